/**
 * libibverbs from Java: control verbs by JNA's direct mapping, the data path by prepared calls of the functions that a device's context
 * points to. Memory is named by native addresses, lengths are long, every failure is a TransportException. Knows nothing of messages.
 */
package org.parley.transport.verbs.binding;
