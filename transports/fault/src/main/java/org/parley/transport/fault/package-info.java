/** A transport decorator that drops, delays, cuts and kills, for tests and drills. */
package org.parley.transport.fault;
