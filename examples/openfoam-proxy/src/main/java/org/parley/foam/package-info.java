/**
 * icoFoam of OpenFOAM on Parley: cases, clock, fields and the command. Below it: {@code dictionary} (the file format),
 * {@code mesh} (polyMesh and its geometry), {@code blockmesh}, {@code decompose}, {@code linear} (matrices and their
 * solvers), {@code parallel} (halo and reductions), {@code fv} (schemes and conditions), {@code piso} (the algorithm).
 */
package org.parley.foam;
