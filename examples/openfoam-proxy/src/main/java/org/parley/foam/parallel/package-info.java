/** What ranks do together: halo exchange, reductions, and where their time goes. */
package org.parley.foam.parallel;
