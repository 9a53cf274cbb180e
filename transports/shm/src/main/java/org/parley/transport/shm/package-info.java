/**
 * Messages between ranks of one machine: a ring in a shared file per ordered pair for frames, and
 * single copies from process to process for long messages.
 */
package org.parley.transport.shm;
