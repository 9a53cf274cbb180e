/** Finite volumes: geometry for interpolation, fields with their conditions, and the operators that make matrices. */
package org.parley.foam.fvm;
