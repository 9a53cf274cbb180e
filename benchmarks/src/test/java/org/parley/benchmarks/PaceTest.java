package org.parley.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.parley.Parley;

/** What the user says is done; what he does not say takes no minutes on a slow network. */
class PaceTest {
    private static final Repetition OFTEN = Benchmark.LATENCY.repetition();
    private static final Metric.Load SMALL = new Metric.Load(8, 1);
    private static final Metric.Load HUGE = new Metric.Load(4 << 20, 64);

    @Test
    void shouldRepeatAsOftenAsTheSizeGives() {
        final AtomicLong run = new AtomicLong();
        final Pace pace = choose(SMALL, 0, run);
        assertThat(pace).isEqualTo(new Pace(OFTEN.small(), OFTEN.smallWarmup()));
        assertThat(run).as("warm-up on two ranks").hasValue(2L * OFTEN.smallWarmup());
    }

    @Test
    void shouldRepeatLessWhereItTakesLong() {
        final Pace pace = choose(SMALL, 100_000, new AtomicLong());
        assertThat(pace.iterations()).isBetween(3, 5_000);
        assertThat(pace.warmup()).isEqualTo(OFTEN.smallWarmup());
        final Pace slowest = choose(HUGE, 300_000_000, new AtomicLong());
        assertThat(slowest).isEqualTo(new Pace(3, 1));
    }

    @Test
    void shouldDoWhatTheUserSays() {
        final AtomicLong run = new AtomicLong();
        assertThat(choose(HUGE, 1_000_000, run, "-i", "7", "-x", "4")).isEqualTo(new Pace(7, 4));
        assertThat(run).hasValue(2 * 4);
        assertThat(choose(HUGE, 1_000_000, run, "-x", "5").warmup()).isEqualTo(5);
    }

    private static Pace choose(
            final Metric.Load load, final long nanos, final AtomicLong run, final String... arguments) {
        final Pace[] paces = new Pace[2];
        final String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = "latency";
        Parley.local(
                2,
                parley -> paces[parley.world().rank()] = Pace.choose(
                        new Control(parley.world()), Benchmark.LATENCY, BenchOptions.parse(all), load, count -> {
                            run.addAndGet(count);
                            LockSupport.parkNanos(count * nanos);
                        }));
        assertThat(paces[1]).as("the same on all ranks").isEqualTo(paces[0]);
        return paces[0];
    }
}
