package org.parley.transport.tck;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import org.parley.transport.Option;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;

/** The values that a transport's options have by themselves, but for some. */
public final class StandardOptions implements TransportContext.OptionValues {
    private static final java.util.regex.Pattern NUMBER = java.util.regex.Pattern.compile("(\\d+)([a-z]*)");
    private static final Map<String, Long> UNITS = Map.of(
            "",
            1L,
            "k",
            1L << 10,
            "m",
            1L << 20,
            "g",
            1L << 30,
            "ns",
            1L,
            "us",
            1_000L,
            "ms",
            1_000_000L,
            "s",
            1_000_000_000L);

    private final Map<String, String> values = new HashMap<>();

    /**
     * Makes them.
     *
     * @param transport whose options
     * @param others values by key that are not to be the standard ones
     */
    public StandardOptions(final Transport transport, final Map<String, String> others) {
        for (final Option option : transport.options()) {
            values.put(option.key(), option.standard());
        }
        for (final String key : others.keySet()) {
            if (!values.containsKey(key)) {
                throw new IllegalArgumentException(transport.name() + " declares no option " + key);
            }
        }
        values.putAll(others);
    }

    @Override
    public long number(final String key) {
        final String text = value(key).toLowerCase(Locale.ROOT);
        final Matcher matcher = NUMBER.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(key + " is no number: " + text);
        }
        return Long.parseLong(matcher.group(1)) * UNITS.get(matcher.group(2));
    }

    @Override
    public boolean flag(final String key) {
        return Boolean.parseBoolean(value(key));
    }

    @Override
    public String text(final String key) {
        return value(key);
    }

    private String value(final String key) {
        final String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("the transport reads " + key + " but does not declare it");
        }
        return value;
    }
}
