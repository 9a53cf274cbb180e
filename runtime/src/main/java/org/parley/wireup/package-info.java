/** How a rank finds its job: by the launcher's rendezvous, among threads of one JVM, or alone. */
package org.parley.wireup;
