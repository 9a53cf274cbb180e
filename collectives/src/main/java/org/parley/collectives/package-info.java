/**
 * Collective operations: one algorithm a file, its cost in the first line, one table that selects.
 */
package org.parley.collectives;
