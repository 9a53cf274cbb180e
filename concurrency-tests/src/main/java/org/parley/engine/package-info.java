/** Tests of what is not public in the engine. */
package org.parley.engine;
