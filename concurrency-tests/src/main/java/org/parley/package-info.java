/** Tests of what is not public in the library. */
package org.parley;
