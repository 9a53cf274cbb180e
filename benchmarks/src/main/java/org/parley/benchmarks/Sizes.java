package org.parley.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The message sizes of a table: a first one, and its doubles up to the last one.
 *
 * @param min bytes of the first
 * @param max bytes that none exceeds
 */
record Sizes(long min, long max) {
    private static final Pattern RANGE = Pattern.compile("(?:(\\d+[kmg]?):)?(\\d+[kmg]?)");

    /**
     * Reads {@code MIN:MAX} or {@code MAX}; numbers may end in k, m or g.
     *
     * @param text what the user wrote
     * @param standard has the first size if none is given
     */
    static Sizes parse(final String text, final Sizes standard) {
        final Matcher range = RANGE.matcher(text.toLowerCase(Locale.ROOT));
        if (!range.matches()) {
            throw new UsageException("-m takes MIN:MAX or MAX in bytes, such as 8:65536 or 1m, not '" + text + "'");
        }
        final long max = bytes(range.group(2), text);
        final long min = range.group(1) == null ? Math.min(standard.min, max) : bytes(range.group(1), text);
        if (min > max) {
            throw new UsageException("-m " + text + ": the first size is larger than the last");
        }
        return new Sizes(min, max);
    }

    private static long bytes(final String text, final String whole) {
        final int end = text.length() - 1;
        final int unit = "kmg".indexOf(text.charAt(end));
        try {
            return unit < 0
                    ? Long.parseLong(text)
                    : Math.multiplyExact(Long.parseLong(text.substring(0, end)), 1L << 10 * (unit + 1));
        } catch (final NumberFormatException | ArithmeticException e) {
            throw new UsageException("-m " + whole + ": " + text + " is too large");
        }
    }

    /** Returns sizes that are whole numbers of elements. */
    Sizes multiplesOf(final int element) {
        final long first = Math.max(element, (min + element - 1) / element * element);
        return new Sizes(first, Math.max(first, max));
    }

    /** Returns all of them. */
    List<Long> all() {
        final List<Long> all = new ArrayList<>();
        for (long size = min; size <= max && size >= min; size = size == 0 ? 1 : 2 * size) {
            all.add(size);
        }
        return all;
    }
}
