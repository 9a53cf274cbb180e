package org.parley.launcher;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a command line says: options by their key, and the rest.
 *
 * <p>Lines that are plainly right are read here; all else, and all help, is picocli's ({@link
 * Picocli}), which needs longer to load than a rank to start.
 */
final class Arguments {
    private final Map<String, List<String>> values = new HashMap<>();
    private final List<String> rest = new ArrayList<>();

    /**
     * Reads a command line.
     *
     * @return null if there is anything in it that this does not understand
     */
    static Arguments readPlain(final Command command, final List<String> line) {
        final Map<String, Flag> byName = new HashMap<>();
        for (final Flag flag : command.flags()) {
            flag.names().forEach(name -> byName.put(name, flag));
        }
        final Arguments result = new Arguments();
        for (int i = 0; i < line.size(); i++) {
            final String word = line.get(i);
            final int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            final Flag flag = byName.get(equals < 0 ? word : word.substring(0, equals));
            if (flag != null && flag.hasValue() && (equals > 0 || i + 1 < line.size())) {
                result.add(flag.key(), equals > 0 ? word.substring(equals + 1) : line.get(++i));
            } else if (flag != null && !flag.hasValue() && equals < 0) {
                result.add(flag.key(), "");
            } else if (word.equals("--") && command.programFollows()) {
                result.rest.addAll(line.subList(i + 1, line.size()));
                return result;
            } else if (flag != null || word.startsWith("-") && !command.passesUnknown()) {
                return null;
            } else if (command.programFollows()) {
                result.rest.addAll(line.subList(i, line.size()));
                return result;
            } else {
                result.rest.add(word);
            }
        }
        return result;
    }

    void add(final String name, final String value) {
        values.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
    }

    void addRest(final List<String> words) {
        rest.addAll(words);
    }

    /** Whether an option is there. */
    boolean has(final String name) {
        return values.containsKey(name);
    }

    /** Returns an option's last value, or null. */
    String value(final String name) {
        final List<String> all = all(name);
        return all.isEmpty() ? null : all.get(all.size() - 1);
    }

    /** Returns an option's values in order. */
    List<String> all(final String name) {
        return values.getOrDefault(name, List.of());
    }

    /** Returns what is no option. */
    List<String> rest() {
        return rest;
    }
}
