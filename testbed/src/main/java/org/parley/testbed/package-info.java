/**
 * Hosts for tests: each with its own network, processes, host name, /tmp and /dev/shm, and a real
 * sshd; made of namespaces, so that nothing is seen of them outside and nothing is left of them.
 */
package org.parley.testbed;
