package org.parley.benchmarks;

import org.parley.Communicator;

/**
 * What a workload is made from.
 *
 * @param world the ranks
 * @param buffer where messages lie
 * @param maxBytes size of the largest message
 * @param window messages under way at once
 * @param validate whether every message has memory of its own, for it will be checked
 */
record Setup(Communicator world, BufferKind buffer, long maxBytes, int window, boolean validate) {}
