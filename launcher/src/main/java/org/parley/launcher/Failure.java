package org.parley.launcher;

/**
 * The first failure of a job.
 *
 * @param member the rank that failed, or null if it was none of them
 * @param how what happened, to follow the rank's name in a sentence
 * @param detail what more is known, or null
 * @param code the job's exit code
 */
record Failure(Member member, String how, String detail, int code) {}
