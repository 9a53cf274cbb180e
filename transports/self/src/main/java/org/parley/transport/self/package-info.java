/** Messages of a rank to itself. */
package org.parley.transport.self;
