package org.parley.wireup;

import java.nio.charset.StandardCharsets;
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
    public void contributed(int rank, String options, byte[] address) {
        events.add("contributed " + rank + " [" + options + "] " + new String(address, StandardCharsets.UTF_8));
    }

    @Override
    public void asked(int rank, Petition petition) {
        events.add("asked " + rank + " " + petition);
    }

    @Override
    public void broken(String why) {
        events.add("broken " + why);
    }

    @Override
    public void mapped(int rank, List<String> transports) {
        events.add("mapped " + rank + " " + transports);
    }

    @Override
    public void left(int rank, String counters) {
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
