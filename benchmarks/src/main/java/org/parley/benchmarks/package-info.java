/** Benchmarks whose tables are those of the OSU Micro-Benchmarks. */
package org.parley.benchmarks;
