/**
 * A transport around another that does, by a seeded plan, what wires do on bad days: some of it
 * within the contract of transports (it is late, it is full, it cannot expose memory), some not (it
 * loses, repeats, reorders, changes, cuts). For tests.
 */
package org.parley.transport.fault;
