/** Linear algebra of a finite-volume mesh: matrices by faces and the solvers that OpenFOAM has for them. */
package org.parley.foam.linear;
