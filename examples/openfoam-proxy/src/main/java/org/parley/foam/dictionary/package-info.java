/** OpenFOAM's file format: words, numbers, lists, dictionaries, macros. */
package org.parley.foam.dictionary;
