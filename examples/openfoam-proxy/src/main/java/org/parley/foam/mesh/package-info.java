/** The polyhedral mesh, its geometry and its files. */
package org.parley.foam.mesh;
