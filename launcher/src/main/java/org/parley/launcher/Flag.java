package org.parley.launcher;

import java.util.List;

/**
 * An option of a command: the single place of its spellings and its help.
 *
 * @param key what its values are found by: the first of all spellings, whether or not a command has it
 * @param parameter what its value is, for people; null if it has none
 * @param help one sentence
 * @param names all spellings that a command has
 */
record Flag(String key, String parameter, String help, List<String> names) {

    /** An option that has a value. */
    static Flag of(final String parameter, final String help, final String... names) {
        return new Flag(names[0], parameter, help, List.of(names));
    }

    /** An option that is there or not. */
    static Flag plain(final String help, final String... names) {
        return of(null, help, names);
    }

    /** Returns it without some of its spellings, perhaps without any. */
    Flag without(final List<String> some) {
        return new Flag(
                key,
                parameter,
                help,
                names.stream().filter(name -> !some.contains(name)).toList());
    }

    boolean hasValue() {
        return parameter != null;
    }

    String name() {
        return names.get(0);
    }
}
