/** Tests of what is not public in the shared-memory transport. */
package org.parley.transport.shm;
