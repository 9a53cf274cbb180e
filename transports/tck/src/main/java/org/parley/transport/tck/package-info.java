/**
 * The contract that every transport passes: a JUnit class to extend, and a job of several ranks in
 * one JVM to write further tests of transports with.
 */
package org.parley.transport.tck;
