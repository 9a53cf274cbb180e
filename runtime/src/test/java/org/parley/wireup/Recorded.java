package org.parley.wireup;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notes all events as texts. */
final class Recorded implements RankEvents {
    final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void joined(int rank, long pid) {
        events.add("joined " + rank + " pid " + pid);
    }

    @Override
    public void wiredUp() {
        events.add("wired up");
    }

    @Override
    public void hopeless(int rank, String how) {
        events.add("hopeless " + rank + " " + how);
    }

    @Override
    public void left(int rank) {
        events.add("left " + rank);
    }

    @Override
    public void failed(int rank, String what, int blames) {
        events.add("failed " + rank + " " + what + " blames " + blames);
    }

    @Override
    public void aborted(int rank, int code, String why) {
        events.add("aborted " + rank + " " + code + " " + why);
    }

    @Override
    public void disconnected(int rank) {
        events.add("disconnected " + rank);
    }

    @Override
    public void reported(int rank, Report report) {
        events.add("reported " + rank + " " + report);
    }

    @Override
    public void silent(int rank, long seconds, boolean isDead) {
        events.add((isDead ? "dead " : "silent ") + rank);
    }

    @Override
    public void refused(String why) {
        events.add("refused " + why);
    }
}
