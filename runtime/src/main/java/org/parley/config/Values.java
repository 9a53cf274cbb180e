package org.parley.config;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.parley.transport.Option;
import org.parley.transport.Option.Kind;

/** The form of options' values: numbers with units. */
public final class Values {
    private static final Pattern NUMBER = Pattern.compile("(\\d+)\\s*([a-z]*)");
    private static final Map<String, Long> SIZES = Map.of(
            "", 1L, "b", 1L, "k", 1L << 10, "kb", 1L << 10, "m", 1L << 20, "mb", 1L << 20, "g", 1L << 30, "gb",
            1L << 30);
    private static final Map<String, Long> TIMES = Map.of(
            "ns",
            1L,
            "us",
            1_000L,
            "ms",
            1_000_000L,
            "s",
            1_000_000_000L,
            "",
            1_000_000_000L,
            "min",
            60_000_000_000L,
            "m",
            60_000_000_000L,
            "h",
            3_600_000_000_000L);

    private Values() {}

    /**
     * Reads a value.
     *
     * @param kind what it is to be
     * @param text what the user wrote
     * @return the number, the bytes, the nanoseconds, 1 or 0 for a flag, 0 for a text
     * @throws IllegalArgumentException naming the value and the form it should have
     */
    public static long parse(final Kind kind, final String text) {
        final String value = text.strip().toLowerCase(Locale.ROOT);
        return switch (kind) {
            case TEXT -> 0;
            case FLAG -> flag(value);
            case NUMBER -> scaled(value, Map.of("", 1L), "a whole number such as 1024");
            case SIZE -> scaled(value, SIZES, "a size such as 4096, 8k, 1m or 2g");
            case TIME -> scaled(value, TIMES, "a time such as 500us, 20ms, 30s or 5min");
        };
    }

    /**
     * Looks whether an option can have a value.
     *
     * @param option which
     * @param text what the user wrote
     * @throws IllegalArgumentException naming the value and what it should be
     */
    public static void check(final Option option, final String text) {
        final long value = parse(option.kind(), text);
        final String word = text.strip();
        if (!option.choices().isEmpty() && !option.choices().contains(word)) {
            throw new IllegalArgumentException("\"" + word + "\" is none of " + String.join(", ", option.choices()));
        }
        if (!option.least().isEmpty() && value < parse(option.kind(), option.least())) {
            throw new IllegalArgumentException(word + " is less than " + option.least());
        }
        if (!option.most().isEmpty() && value > parse(option.kind(), option.most())) {
            throw new IllegalArgumentException(word + " is more than " + option.most());
        }
    }

    private static long flag(final String value) {
        return switch (value) {
            case "true", "yes", "on", "1" -> 1;
            case "false", "no", "off", "0" -> 0;
            default -> throw new IllegalArgumentException("\"" + value + "\" is neither true nor false");
        };
    }

    private static long scaled(final String value, final Map<String, Long> units, final String form) {
        final Matcher matcher = NUMBER.matcher(value);
        final Long unit = matcher.matches() ? units.get(matcher.group(2)) : null;
        if (unit == null) {
            throw new IllegalArgumentException("\"" + value + "\" is not " + form);
        }
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
        } catch (final NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException("\"" + value + "\" is too large", e);
        }
    }

    /**
     * Finds the name that a user probably meant.
     *
     * @param wrong what was written
     * @param known what exists, not empty
     */
    public static String nearest(final String wrong, final Collection<String> known) {
        String best = null;
        int bestDistance = Integer.MAX_VALUE;
        for (final String candidate : known) {
            final int distance = distance(wrong, candidate);
            if (distance < bestDistance) {
                bestDistance = distance;
                best = candidate;
            }
        }
        return best;
    }

    /**
     * Returns how many letters must be changed, put in or taken out to make one word of another
     * (Levenshtein's distance).
     *
     * @param a one
     * @param b the other
     */
    public static int distance(final String a, final String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            final int[] next = new int[b.length() + 1];
            next[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                final int change = row[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                next[j] = Math.min(change, Math.min(row[j], next[j - 1]) + 1);
            }
            row = next;
        }
        return row[b.length()];
    }
}
