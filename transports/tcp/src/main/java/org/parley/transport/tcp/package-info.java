/**
 * TCP between ranks. Netty connects, accepts and greets on a thread of its own; what is established is
 * then read and written by descriptor, by whoever holds the progress word.
 */
package org.parley.transport.tcp;
