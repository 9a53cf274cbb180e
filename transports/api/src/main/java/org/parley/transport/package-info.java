/**
 * The contract between the messaging runtime and whatever carries its frames: a {@link
 * org.parley.transport.Transport} opens {@link org.parley.transport.Endpoint}s to peers and hands
 * what arrives to one {@link org.parley.transport.FrameHandler}. Nothing here knows of
 * communicators, tags or datatypes.
 */
package org.parley.transport;
