/**
 * {@code parley doctor}: the RDMA stack from the bottom up, to the first broken {@link
 * org.parley.launcher.doctor.Layer}. One class a layer examines; {@link org.parley.launcher.doctor.Code} has
 * all that can be found.
 */
package org.parley.launcher.doctor;
