/** Tests of the verbs themselves, below messages: {@code parley perf}. */
package org.parley.benchmarks.perf;
