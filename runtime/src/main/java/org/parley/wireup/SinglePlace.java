package org.parley.wireup;

import java.nio.file.Path;
import java.util.List;
import org.parley.transport.JobSecret;

/** A world of one rank: a program that was not launched. */
public final class SinglePlace implements Place {
    private final JobSecret secret = JobSecret.create();
    private final Arbiter arbiter = new Arbiter((ranks, ruling) -> this.news.told(ruling));
    private News news;

    /** Makes one. */
    public SinglePlace() {}

    @Override
    public String job() {
        return "single-" + ProcessHandle.current().pid();
    }

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public int size() {
        return 1;
    }

    @Override
    public int localSize() {
        return 1;
    }

    @Override
    public boolean sharesCores() {
        return false;
    }

    @Override
    public boolean wantsMap() {
        return false;
    }

    @Override
    public void tellMap(final List<String> transports) {
        // Nobody asks.
    }

    @Override
    public JobSecret secret() {
        return secret;
    }

    /** There is nobody to share files with. */
    @Override
    public Path folder() {
        return Path.of("/nonexistent");
    }

    @Override
    public String host(final int rank) {
        return "this process";
    }

    @Override
    public byte[][] exchange(final byte[] mine) {
        return new byte[][] {mine};
    }

    @Override
    public void listen(final News listener) {
        news = listener;
    }

    @Override
    public void ask(final Petition petition) {
        arbiter.ask(0, petition);
    }

    @Override
    public void waiting(final String what) {
        // Nobody else is there to ask.
    }

    @Override
    public void leave(final String counters) {
        // Nobody else is there.
    }

    @Override
    public void abort(final int code, final String why) {
        // CHECKSTYLE.OFF: NoConsole there is no launcher that tells
        System.err.println("parley: aborted with code " + code + ": " + why);
        System.exit(code == 0 ? 1 : code);
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
