package org.parley.transport.tcp;

import java.util.Arrays;
import java.util.Map;
import org.parley.transport.tck.TestJob;

/** No test: prints what a look at a rank's links costs where nothing has come, and where one of them talks. */
final class PollCost {
    private static final int ROUNDS = 2_000;
    private static final int TIMES = 20;

    private PollCost() {}

    public static void main(final String... args) {
        for (int warm = 0; warm < 2; warm++) {
            for (final int links : new int[] {1, 2, 4, 5, 8, 64}) {
                measure(links, warm > 0);
            }
        }
    }

    private static void measure(final int links, final boolean prints) {
        try (TestJob job = new TestJob(links + 1, TcpTransport::new, Map.of())) {
            final byte[] message = new byte[8];
            for (int from = 1; from <= links; from++) {
                job.send(from, 0, message);
                job.take(0, from);
            }
            final double[] empty = new double[TIMES];
            final double[] busy = new double[TIMES];
            for (int time = 0; time < TIMES; time++) {
                long began = System.nanoTime();
                for (int i = 0; i < ROUNDS; i++) {
                    job.rank(0).poll();
                }
                empty[time] = (System.nanoTime() - began) / (double) ROUNDS;
                began = System.nanoTime();
                for (int i = 0; i < ROUNDS / 10; i++) {
                    job.rank(1).send(0, message);
                    while (job.rank(0).from(1).isEmpty()) {
                        job.rank(0).poll();
                    }
                    job.rank(0).from(1).remove();
                    job.rank(0).send(1, message);
                    while (job.rank(1).from(0).isEmpty()) {
                        job.rank(1).poll();
                    }
                    job.rank(1).from(0).remove();
                }
                busy[time] = (System.nanoTime() - began) / (double) (ROUNDS / 10) / 2;
            }
            if (prints) {
                System.out.printf(
                        "%2d links: %6.2f us a look, %6.2f us from send to receipt%n",
                        links, least(empty) / 1e3, least(busy) / 1e3);
            }
        }
    }

    /** What it costs when nothing else runs. */
    private static double least(final double[] values) {
        return Arrays.stream(values).min().orElseThrow();
    }
}
