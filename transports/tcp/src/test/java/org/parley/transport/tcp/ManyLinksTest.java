package org.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.parley.transport.tck.Seeds;
import org.parley.transport.tck.TestJob;

/** Ranks with so many links that they are not all read at each poll. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class ManyLinksTest {
    private static final int RANKS = 9;

    private static byte[] message(final int from, final int number) {
        return ByteBuffer.allocate(16 + number % 3000)
                .putInt(from)
                .putInt(number)
                .array();
    }

    @ParameterizedTest
    @CsvSource({"true,false", "false,false", "true,true"})
    void shouldDeliverFromAllInOrder(final String isNative, final String isEncrypted) {
        final Map<String, String> options = Map.of("tcp.native", isNative, "tcp.tls", isEncrypted);
        try (TestJob job = new TestJob(RANKS, TcpTransport::new, options)) {
            Seeds.run(random -> {
                final int[][] sent = new int[RANKS][RANKS];
                final int[][] taken = new int[RANKS][RANKS];
                for (int i = 0; i < 2000; i++) {
                    final int from = random.nextInt(RANKS);
                    final int to = (from + 1 + random.nextInt(RANKS - 1)) % RANKS;
                    job.send(from, to, message(from, sent[from][to]++));
                    if (random.nextInt(4) == 0) {
                        job.rank(random.nextInt(RANKS)).poll(1 + random.nextInt(3));
                    }
                }
                for (int from = 0; from < RANKS; from++) {
                    for (int to = 0; to < RANKS; to++) {
                        while (taken[from][to] < sent[from][to]) {
                            assertThat(take(job, to, from)).isEqualTo(message(from, taken[from][to]++));
                        }
                    }
                }
            });
        }
    }

    /** Takes the next frame, and does not wait for one that cannot come. */
    private static byte[] take(final TestJob job, final int at, final int from) {
        job.await("a frame from " + from + " at " + at, () -> {
            for (int rank = 0; rank < RANKS; rank++) {
                assertThat(job.rank(rank).linksDown()).as("at rank %d", rank).isEmpty();
            }
            return !job.rank(at).from(from).isEmpty();
        });
        return job.rank(at).from(from).remove();
    }

    /** Whether something comes is noticed where nothing was sent for a while, and so is an end. */
    @Test
    void shouldNoticeTheEndOfOneOfMany() {
        try (TestJob job = new TestJob(RANKS, TcpTransport::new, Map.of())) {
            for (int from = 1; from < RANKS; from++) {
                job.send(from, 0, message(from, 0));
            }
            for (int from = 1; from < RANKS; from++) {
                assertThat(job.take(0, from)).isEqualTo(message(from, 0));
            }
            job.rank(3).drop(0);
            job.await("the end", () -> job.rank(0).linksDown().containsKey(3));
            assertThat(job.rank(0).linksDown()).hasSize(1);
            for (int from = 1; from < RANKS; from++) {
                if (from != 3) {
                    job.send(from, 0, message(from, 1));
                    assertThat(job.take(0, from)).isEqualTo(message(from, 1));
                }
            }
            for (int rank = 1; rank < RANKS; rank++) {
                job.rank(rank).close();
            }
            TestJob.await(
                    "no links", () -> job.rank(0).transport().statistics().get("tcp.links") == 0, job.rank(0)::poll);
        }
    }
}
