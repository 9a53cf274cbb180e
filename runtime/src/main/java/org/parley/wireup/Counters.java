package org.parley.wireup;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Counters as reports carry them and people read them: {@code bytes.sent 12, tcp.reconnects 1}; those at 0 are left out. */
public final class Counters {
    private static final Pattern COUNTER = Pattern.compile("([a-z][a-z.]*) (\\d{1,18})(?=,|$)");

    private Counters() {}

    /**
     * Writes counters.
     *
     * @param counters values by name
     */
    public static String text(final Map<String, Long> counters) {
        return new TreeMap<>(counters)
                .entrySet().stream()
                        .filter(each -> each.getValue() != 0)
                        .map(each -> each.getKey() + " " + each.getValue())
                        .collect(Collectors.joining(", "));
    }

    /**
     * Reads what {@link #text} has written; what does not look so is passed over.
     *
     * @param text of a rank, which may be of another version
     */
    public static Map<String, Long> parse(final String text) {
        final Map<String, Long> result = new TreeMap<>();
        for (final Matcher each = COUNTER.matcher(text); each.find(); ) {
            result.put(each.group(1), Long.parseLong(each.group(2)));
        }
        return result;
    }
}
