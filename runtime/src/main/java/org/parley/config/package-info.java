/** Options: where they are set, what they mean, and how they are checked. */
package org.parley.config;
