/** decomposePar and reconstructPar: which rank has which cells, the files of the ranks, and back. */
package org.parley.foam.decompose;
