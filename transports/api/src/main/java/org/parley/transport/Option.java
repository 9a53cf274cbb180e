package org.parley.transport;

import java.util.List;

/**
 * One option: the single place of its key, default, unit, bounds and help text.
 *
 * @param key lower-case letters, digits and dots, such as {@code shm.ring.size}
 * @param kind what values look like
 * @param standard the built-in value, in the form a user would write
 * @param help one sentence: what it does and when to change it
 * @param least the smallest value, in the form a user would write; empty: any
 * @param most the largest value, in the form a user would write; empty: any
 * @param choices all values that there are; empty: any
 */
public record Option(
        String key, Kind kind, String standard, String help, String least, String most, List<String> choices) {

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

    /**
     * Makes one that takes all values of its kind.
     *
     * @param key lower-case letters, digits and dots
     * @param kind what values look like
     * @param standard the built-in value
     * @param help one sentence
     */
    public Option(final String key, final Kind kind, final String standard, final String help) {
        this(key, kind, standard, help, "", "", List.of());
    }

    /**
     * Returns it with bounds.
     *
     * @param smallest value, in the form a user would write; empty: any
     * @param largest value, in the form a user would write; empty: any
     */
    public Option within(final String smallest, final String largest) {
        return new Option(key, kind, standard, help, smallest, largest, choices);
    }

    /**
     * Returns it with a few values only.
     *
     * @param values all that there are
     */
    public Option oneOf(final String... values) {
        return new Option(key, kind, standard, help, least, most, List.of(values));
    }
}
