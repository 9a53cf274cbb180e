package org.parley.launcher;

import java.util.concurrent.TimeUnit;

/** At most one line a minute about strangers that knock: a port scan is no reason to shout. */
final class Complaints {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final Output output;
    private long last;
    private int count;

    Complaints(final Output output) {
        this.output = output;
    }

    void add(final String why) {
        final long now = System.nanoTime();
        count++;
        if (count == 1 || now - last > MINUTE) {
            last = now;
            output.say("parley: " + why + (count > 1 ? " (" + count + " so far)" : ""));
        }
    }
}
