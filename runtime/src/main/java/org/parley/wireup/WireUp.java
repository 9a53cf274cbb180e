package org.parley.wireup;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** What ranks have contributed to the wire-up, and who is still to come. One thread. */
public final class WireUp {
    /** How many missing ranks a text names. */
    private static final int NAMED = 16;

    /**
     * Why the wire-up will not succeed.
     *
     * @param rank whose fault it is, or -1
     * @param how what is wrong, to follow the rank's name if there is one
     */
    public record Trouble(int rank, String how) {

        /** Returns what is wrong as a sentence of its own. */
        public String sentence() {
            return rank < 0 ? how : "rank " + rank + " " + how;
        }
    }

    private final byte[][] addresses;
    private final String[] options;
    private final long limitNanos;
    private int first = -1;
    private int count;
    private long since;
    private boolean failed;

    /**
     * Begins one.
     *
     * @param size how many ranks
     * @param limitNanos how long the last may come after the first
     */
    public WireUp(final int size, final long limitNanos) {
        this.addresses = new byte[size][];
        this.options = new String[size];
        this.limitNanos = limitNanos;
    }

    /**
     * Takes a rank's contribution.
     *
     * @param rank which
     * @param optionsInForce the options in force there
     * @param address how others reach it
     * @param now {@link System#nanoTime}
     * @return what is wrong with it, or null
     */
    public Trouble contribute(final int rank, final String optionsInForce, final byte[] address, final long now) {
        if (addresses[rank] != null) {
            return new Trouble(rank, "has contributed its address twice");
        }
        addresses[rank] = address;
        options[rank] = optionsInForce;
        count++;
        if (count == 1) {
            first = rank;
            since = now;
        }
        if (!optionsInForce.equals(options[first])) {
            failed = true;
            return new Trouble(-1, difference(rank));
        }
        return null;
    }

    /** Whether all have contributed. */
    public boolean isComplete() {
        return count == addresses.length;
    }

    /** Returns all addresses in the form in which ranks take them. */
    public byte[] everybody() {
        final ControlFrame.Builder frame = new ControlFrame.Builder(ControlFrame.EVERYBODY).number(addresses.length);
        for (final byte[] address : addresses) {
            frame.bytes(address);
        }
        return ControlFrame.bodyOf(frame.build());
    }

    /**
     * Returns who has not come in time, once, or null.
     *
     * @param now {@link System#nanoTime}
     */
    public Trouble missing(final long now) {
        if (failed || count == 0 || isComplete() || now - since < limitNanos) {
            return null;
        }
        failed = true;
        final List<String> names = new ArrayList<>();
        int missing = -1;
        for (int rank = 0; rank < addresses.length; rank++) {
            if (addresses[rank] == null) {
                missing = rank;
                names.add(String.valueOf(rank));
            }
        }
        final String how = "did not join the job within "
                + TimeUnit.NANOSECONDS.toSeconds(limitNanos)
                + " s after rank "
                + first
                + ": does every rank call Parley.init()? (--set wireup.timeout=TIME waits longer)";
        if (names.size() == 1) {
            return new Trouble(missing, how);
        }
        final boolean isLong = names.size() > NAMED;
        return new Trouble(
                -1,
                "ranks "
                        + String.join(",", isLong ? names.subList(0, NAMED) : names)
                        + (isLong ? ",... (" + names.size() + " ranks) " : " ")
                        + how);
    }

    private String difference(final int rank) {
        final Map<String, String> here = parse(options[rank]);
        final Map<String, String> there = parse(options[first]);
        final TreeSet<String> keys = new TreeSet<>(here.keySet());
        keys.addAll(there.keySet());
        final List<String> lines = new ArrayList<>();
        for (final String key : keys) {
            final String mine = here.getOrDefault(key, "its built-in value");
            final String theirs = there.getOrDefault(key, "its built-in value");
            if (!mine.equals(theirs)) {
                lines.add(key + " is " + theirs + " on rank " + first + " and " + mine + " on rank " + rank);
            }
        }
        return "ranks must agree on options: " + String.join("; ", lines);
    }

    private static Map<String, String> parse(final String text) {
        final Map<String, String> result = new HashMap<>();
        for (final String line : text.split("\n")) {
            final int equals = line.indexOf('=');
            if (equals > 0) {
                result.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        return result;
    }
}
