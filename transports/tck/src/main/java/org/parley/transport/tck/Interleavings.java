package org.parley.transport.tck;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.parley.transport.Endpoint;

/**
 * Ranks that do by turns what comes to somebody's mind: claim, commit, abort, poll much or little,
 * expose, fetch. What arrives is compared with what was sent.
 */
final class Interleavings {
    private static final byte FRAME = 0;
    private static final byte KEY = 1;
    private static final int MOST_EXPOSED = 20;

    private final TestJob job;
    private final boolean alone;
    private final boolean fetches;
    private final Random random;
    private final int largest;

    /** By sender and receiver: what is under way. */
    private final List<ArrayDeque<byte[]>> expected = new ArrayList<>();

    private final List<ArrayDeque<Exposure>> announced = new ArrayList<>();
    private final List<Exposure> ready = new ArrayList<>();
    private final List<Exposure> fetching = new ArrayList<>();
    private int exposed;
    private long seed;

    Interleavings(final TestJob job, final boolean alone, final boolean fetches, final Random random) {
        this.job = job;
        this.alone = alone;
        this.random = random;
        this.largest = job.rank(0).transport().capabilities().maxFrame();
        this.fetches = fetches && job.rank(0).transport().capabilities().get();
        for (int i = 0; i < job.size() * job.size(); i++) {
            expected.add(new ArrayDeque<>());
            announced.add(new ArrayDeque<>());
        }
    }

    void run(final int steps) {
        for (int step = 0; step < steps; step++) {
            step();
            check();
        }
        job.await("all that is under way", () -> {
            check();
            while (!ready.isEmpty()) {
                fetchOne();
            }
            endFetches();
            return exposed == 0 && expected.stream().allMatch(ArrayDeque::isEmpty);
        });
    }

    private void step() {
        final int from = random.nextInt(job.size());
        final int to = alone ? 0 : (from + 1 + random.nextInt(job.size() - 1)) % job.size();
        switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> sendSome(from, to);
            case 4 -> abortOne(from, to);
            case 5 -> job.rank(from).poll(1 + random.nextInt(3));
            case 6, 7 -> job.rank(from).poll();
            case 8 -> exposeOne(from, to);
            default -> {
                fetchOne();
                endFetches();
            }
        }
    }

    private void sendSome(final int from, final int to) {
        final int burst = 1 + random.nextInt(20);
        for (int i = 0; i < burst; i++) {
            final int length = 1 + random.nextInt(random.nextInt(10) == 0 ? largest : 200);
            final byte[] frame = Pattern.bytes(seed++, length);
            frame[0] = FRAME;
            if (!job.rank(from).send(to, frame)) {
                return;
            }
            expected.get(link(from, to)).add(frame);
        }
    }

    private void abortOne(final int from, final int to) {
        final Endpoint endpoint = job.rank(from).to(to);
        final int length = 1 + random.nextInt(largest);
        final long address = endpoint.claim(length);
        if (address > 0) {
            Pattern.fill(-1, address, length);
            endpoint.abort();
        }
    }

    private void exposeOne(final int from, final int to) {
        if (!fetches || exposed == MOST_EXPOSED) {
            return;
        }
        final int length = 1 + random.nextInt(random.nextInt(20) == 0 ? 2_000_000 : 50_000);
        final Exposure exposure = new Exposure(job, from, to, length);
        if (!exposure.tryExpose()) {
            exposure.close();
            return;
        }
        final byte[] frame = {KEY};
        if (job.rank(from).send(to, frame)) {
            exposed++;
            expected.get(link(from, to)).add(frame);
            announced.get(link(from, to)).add(exposure);
        } else {
            exposure.conceal();
            exposure.close();
        }
    }

    private void fetchOne() {
        if (ready.isEmpty()) {
            return;
        }
        final Exposure exposure = ready.remove(random.nextInt(ready.size()));
        final long result = exposure.tryFetch();
        if (result == 0) {
            fetching.add(exposure);
        } else if (result == Endpoint.UNREACHABLE) {
            conceal(exposure);
        } else {
            throw new AssertionError("get returned " + result);
        }
    }

    private void endFetches() {
        for (final Exposure exposure : List.copyOf(fetching)) {
            if (exposure.hasEnded()) {
                exposure.check();
                fetching.remove(exposure);
                conceal(exposure);
            }
        }
    }

    private void conceal(final Exposure exposure) {
        exposure.conceal();
        exposure.close();
        exposed--;
    }

    private void check() {
        for (int to = 0; to < job.size(); to++) {
            for (int from = 0; from < job.size(); from++) {
                final ArrayDeque<byte[]> arrived = job.rank(to).from(from);
                for (byte[] frame; (frame = arrived.poll()) != null; ) {
                    final byte[] sent = expected.get(link(from, to)).poll();
                    if (!Arrays.equals(sent, frame)) {
                        throw new AssertionError("from " + from + " to " + to + ": " + Arrays.toString(frame)
                                + " arrived instead of " + Arrays.toString(sent));
                    }
                    if (frame[0] == KEY) {
                        ready.add(announced.get(link(from, to)).remove());
                    }
                }
            }
        }
    }

    private int link(final int from, final int to) {
        return from * job.size() + to;
    }
}
