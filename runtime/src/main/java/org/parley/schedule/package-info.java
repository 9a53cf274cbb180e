/**
 * Collectives as schedules: an algorithm plans a list of steps once, the engine runs it as often as
 * wanted, blocking or not.
 */
package org.parley.schedule;
