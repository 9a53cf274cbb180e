/**
 * What programs use: {@link org.parley.Parley} joins the job, {@link org.parley.Communicator}
 * sends, receives and reduces. Names and meaning are those of the MPI standard, version 3.1, in
 * Java's spelling.
 */
package org.parley;
