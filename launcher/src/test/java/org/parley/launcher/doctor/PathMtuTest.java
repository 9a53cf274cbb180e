package org.parley.launcher.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PathMtuTest {
    private static final int MTU = 4200;
    private static final IntPredicate SMALL_ONES = payload -> payload < 1000;

    /** Loses each first of so many packets, whatever their size, and those that the path loses. */
    private static IntPredicate busy(final int period, final IntPredicate path) {
        final AtomicInteger count = new AtomicInteger();
        return payload -> count.incrementAndGet() % period != 1 && path.test(payload);
    }

    @Test
    void shouldSayThatLongPacketsPass() {
        assertThat(PathMtu.probe(MTU, payload -> payload <= MTU - 28)).isEqualTo(PathMtu.WHOLE);
    }

    @Test
    void shouldSayThatLongPacketsDoNotPass() {
        assertThat(PathMtu.probe(MTU, SMALL_ONES)).isEqualTo(PathMtu.CUT);
        assertThat(PathMtu.probe(MTU, payload -> payload < MTU - 28)).isEqualTo(PathMtu.CUT);
    }

    /** What is lost on a busy machine is not taken for what a path loses, and what a path loses is found there, too. */
    @Test
    void shouldNotBeMisledByAMachineThatIsBusy() {
        for (int period = 3; period < 6; period++) {
            assertThat(PathMtu.probe(MTU, busy(period, payload -> true))).isEqualTo(PathMtu.WHOLE);
            assertThat(PathMtu.probe(MTU, busy(period, SMALL_ONES))).isEqualTo(PathMtu.CUT);
        }
    }

    @Test
    void shouldMakeNothingOfSilenceWhereSmallPacketsAreSilentToo() {
        final AtomicInteger count = new AtomicInteger();

        assertThat(PathMtu.probe(MTU, payload -> count.getAndIncrement() == 0)).isEqualTo(PathMtu.UNKNOWN);
        assertThat(PathMtu.probe(MTU, payload -> false)).isEqualTo(PathMtu.UNKNOWN);
        assertThat(PathMtu.probe("", MTU)).isEqualTo(PathMtu.UNKNOWN);
    }
}
