package org.parley.launcher;

import java.util.HashMap;
import java.util.Map;
import org.parley.wireup.Counters;

/** What ranks have counted, told when they leave, and what came of a drill in all of them together. */
final class Tallies {
    private final Output output;
    private final boolean isVerbose;
    private final boolean isDrill;
    private final Map<String, Long> sums = new HashMap<>();
    private long longest;
    private boolean isHeard;

    /**
     * @param isVerbose whether to tell of each rank
     * @param isDrill whether the user wants links broken
     */
    Tallies(final Output output, final boolean isVerbose, final boolean isDrill) {
        this.output = output;
        this.isVerbose = isVerbose;
        this.isDrill = isDrill;
    }

    void left(final int rank, final String counters) {
        isHeard = true;
        if (isVerbose) {
            output.say("parley: rank " + rank + ": " + counters);
        }
        Counters.parse(counters).forEach((name, count) -> {
            // Without the transport's name.
            sums.merge(name.replaceFirst("^[a-z]+\\.", ""), count, Long::sum);
            if (name.endsWith("stall.longest.ms")) {
                longest = Math.max(longest, count);
            }
        });
    }

    private long sum(final String counter) {
        return sums.getOrDefault(counter, 0L);
    }

    /** Tells what came of a drill, if there was one, or that there was nothing to break. */
    void sayDrill() {
        if (isDrill && isHeard && sum("drill.interval.us") == 0) {
            output.say("parley: drill: 0 links broken: no pair of ranks has a link that can be broken;"
                    + " with --transports tcp those on one host have one, too");
        }
        if (sum("drill.interval.us") > 0) {
            output.say("parley: drill: " + sum("drill.cuts") + " links broken, " + sum("frames.replayed")
                    + " frames sent again, " + sum("duplicates.dropped")
                    + " came twice and were dropped, longest stall " + longest + " ms");
        }
    }
}
