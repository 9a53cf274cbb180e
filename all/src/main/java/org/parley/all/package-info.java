/** Nothing but dependencies: runtime, collectives and every transport. */
package org.parley.all;
