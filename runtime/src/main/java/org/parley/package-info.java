/**
 * The MPI-style API: start at Parley.
 */
package org.parley;
