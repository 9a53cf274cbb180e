package org.parley.transport.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.transport.Transport;

/**
 * What the runtime relies on in a transport whose links come back: however often they break, in the middle of whatever is
 * under way, nothing is lost, nothing comes twice, the order is kept, and the handler is told of nothing. A transport's
 * module extends it with a class that says how to make one, and how it breaks its own links.
 *
 * <p>Counters are those of {@link Transport#statistics}: {@code reconnects}, {@code frames.replayed} and {@code
 * drill.cuts}, behind the transport's name.
 */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
public abstract class ResumeContract {
    private static final int RANKS = 3;
    private static final int SHORT = 500;
    private static final int LONG = 60_000;

    /** For subclasses. */
    protected ResumeContract() {}

    /** Makes a transport that is not open. */
    protected abstract Transport newTransport();

    /** Returns options with which links break every few milliseconds, at random. */
    protected abstract Map<String, String> breaking();

    /** Returns how many links of a rank are to have come back: fewer where each takes long to make. */
    protected int often() {
        return 5;
    }

    private static long count(final TestRank rank, final String counter) {
        final Transport transport = rank.transport();
        return transport.statistics().getOrDefault(transport.name() + "." + counter, 0L);
    }

    @Test
    void shouldLoseNothingHoweverOftenLinksBreak() {
        Seeds.run(random -> {
            try (TestJob job = new TestJob(RANKS, this::newTransport, breaking())) {
                final Traffic traffic = new Traffic(job, random);
                TestJob.await(
                        "links that broke and came back",
                        () -> count(job.rank(0), "reconnects") >= often()
                                && count(job.rank(1), "reconnects") >= often()
                                && count(job.rank(2), "drill.cuts") > 0
                                && count(job.rank(0), "frames.replayed") > 0,
                        traffic::step);
                traffic.finish();
            }
        });
    }

    /** What has been sent and not arrived yet, from each rank to each. */
    private static final class Traffic {
        private final TestJob job;
        private final Random random;
        private final List<List<byte[]>> underWay = new ArrayList<>();
        private final int longest;
        private int sent;

        Traffic(final TestJob job, final Random random) {
            this.job = job;
            this.random = random;
            this.longest = Math.min(LONG, job.rank(0).transport().capabilities().maxFrame());
            for (int i = 0; i < job.size() * job.size(); i++) {
                underWay.add(new ArrayList<>());
            }
        }

        private byte[] frame() {
            final byte[] frame = new byte[4 + random.nextInt(random.nextInt(10) == 0 ? longest - 4 : SHORT)];
            random.nextBytes(frame);
            frame[0] = (byte) sent;
            return frame;
        }

        private List<byte[]> between(final int from, final int to) {
            return underWay.get(from * job.size() + to);
        }

        void step() {
            final int from = random.nextInt(job.size());
            final int to = (from + 1 + random.nextInt(job.size() - 1)) % job.size();
            final byte[] frame = frame();
            if (job.rank(from).send(to, frame)) {
                between(from, to).add(frame);
                sent++;
            }
            job.rank(random.nextInt(job.size())).poll();
            check();
        }

        private void check() {
            for (int from = 0; from < job.size(); from++) {
                for (int to = 0; to < job.size(); to++) {
                    while (from != to && !job.rank(to).from(from).isEmpty()) {
                        assertThat(job.rank(to).from(from).remove())
                                .as("a frame from %d at %d", from, to)
                                .isEqualTo(between(from, to).remove(0));
                    }
                    assertThat(job.rank(to).linksDown()).isEmpty();
                }
            }
        }

        void finish() {
            job.await("the rest", () -> {
                check();
                return underWay.stream().allMatch(List::isEmpty);
            });
        }
    }
}
