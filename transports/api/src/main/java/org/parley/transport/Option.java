package org.parley.transport;

/**
 * One option: the single place of its key, default, unit and help text.
 *
 * @param key lower-case letters, digits and dots, such as {@code shm.ring.size}
 * @param kind what values look like
 * @param standard the built-in value, in the form a user would write
 * @param help one sentence: what it does and when to change it
 */
public record Option(String key, Kind kind, String standard, String help) {

    /** What an option's values look like. */
    public enum Kind {
        /** Any text. */
        TEXT,
        /** {@code true} or {@code false}. */
        FLAG,
        /** A whole number. */
        NUMBER,
        /** Bytes: {@code 4096}, {@code 8k}, {@code 1m}, {@code 2g} (powers of 1024). */
        SIZE,
        /** Time: {@code 500us}, {@code 20ms}, {@code 30s}, {@code 5min}. */
        TIME
    }
}
