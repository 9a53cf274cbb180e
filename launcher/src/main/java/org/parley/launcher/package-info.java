/** The parley command. */
package org.parley.launcher;
