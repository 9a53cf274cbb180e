package org.parley.launcher;

import java.util.List;

/**
 * An option of a command: the single place of its spellings and its help.
 *
 * @param parameter what its value is, for people; null if it has none
 * @param help one sentence
 * @param names all spellings; values are found by the first
 */
record Flag(String parameter, String help, List<String> names) {

    /** An option that has a value. */
    static Flag of(final String parameter, final String help, final String... names) {
        return new Flag(parameter, help, List.of(names));
    }

    /** An option that is there or not. */
    static Flag plain(final String help, final String... names) {
        return new Flag(null, help, List.of(names));
    }

    boolean hasValue() {
        return parameter != null;
    }

    String name() {
        return names.get(0);
    }
}
