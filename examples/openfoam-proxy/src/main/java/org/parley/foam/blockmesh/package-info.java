/** blockMesh: meshes of hexahedral blocks, from blockMeshDict. */
package org.parley.foam.blockmesh;
