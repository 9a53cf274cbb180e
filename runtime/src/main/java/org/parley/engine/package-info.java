/**
 * The way of a message between {@link org.parley.Communicator} and a transport: choice of protocol,
 * sessions, matching, progress. All state here belongs to the holder of the engine's progress word.
 */
package org.parley.engine;
