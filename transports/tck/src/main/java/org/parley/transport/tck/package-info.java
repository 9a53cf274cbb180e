/** The contract that every transport passes: JUnit classes to extend. */
package org.parley.transport.tck;
