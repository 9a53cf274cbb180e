/** The lock-free structures under jcstress; JcstressTest runs them all. */
package org.parley.concurrency;
