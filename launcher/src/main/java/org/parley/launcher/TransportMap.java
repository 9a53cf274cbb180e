package org.parley.launcher;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.parley.wireup.Placement;

/** Over which transports a job's ranks reach each other. */
final class TransportMap {
    private static final String NONE = "none";

    private final Placement placement;
    private final List<List<String>> rows = new ArrayList<>();
    private int told;

    TransportMap(final Placement placement) {
        this.placement = placement;
        for (int rank = 0; rank < placement.size(); rank++) {
            rows.add(null);
        }
    }

    /** Takes what a rank tells; returns whether that was the last. */
    boolean put(final int rank, final List<String> transports) {
        told += rows.get(rank) == null ? 1 : 0;
        rows.set(rank, transports);
        return told == rows.size();
    }

    /** Both come to the same answer; but who looks when the other has left already finds no way. */
    private String name(final int rank, final int other) {
        final String name = rows.get(rank).get(other);
        return Failures.clean(name.startsWith(NONE) ? rows.get(other).get(rank) : name);
    }

    /** What a transport is chosen by, first of all. */
    private String where(final int rank, final int other) {
        if (placement.hosts().size() == 1) {
            return "";
        }
        return placement.hostOf(rank) == placement.hostOf(other) ? ", same host," : ", other host,";
    }

    /** Returns one line if all pairs have the same, else one for each rank. */
    String text() {
        final List<String> lines = new ArrayList<>();
        boolean isUniform = true;
        String only = null;
        for (int rank = 0; rank < rows.size(); rank++) {
            final Map<String, List<Integer>> ranks = new LinkedHashMap<>();
            for (int other = 0; other < rows.size(); other++) {
                if (other != rank) {
                    final String name = name(rank, other) + where(rank, other);
                    ranks.computeIfAbsent(name, key -> new ArrayList<>()).add(other);
                    isUniform &= only == null || only.equals(name);
                    only = name;
                }
            }
            final List<String> parts = new ArrayList<>();
            ranks.forEach((name, others) -> parts.add(name + " to " + Failures.ranges(others)));
            lines.add("rank " + rank + ": " + String.join("; ", parts));
        }
        if (only == null) {
            return "transports: self";
        }
        return isUniform
                ? "transports: " + only + " between all ranks"
                : "transports:\n    " + String.join("\n    ", lines);
    }
}
