package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A leak is found behind noise, and noise is taken for none. */
class GrowthTest {
    private static List<double[]> measured(final double rise, final double noise) {
        final Random random = new Random(4711);
        final List<double[]> points = new ArrayList<>();
        for (int i = 0; i <= 40; i++) {
            points.add(new double[] {i * 1000.0, 200_000 + rise * i / 40 + noise * random.nextGaussian()});
        }
        return points;
    }

    @Test
    void shouldTellALeakFromNoise() {
        assertThat(Growth.of(measured(0, 1000)).exceeds(2048)).isFalse();
        assertThat(Growth.of(measured(1500, 100)).exceeds(2048)).isFalse();
        assertThat(Growth.of(measured(10_000, 1000)).exceeds(2048)).isTrue();
        assertThat(Growth.of(measured(3000, 100)).exceeds(2048)).isTrue();
        assertThat(Growth.of(measured(-9000, 10)).exceeds(0)).isFalse();
    }

    @Test
    void shouldSayWhatALineIs() {
        final Growth growth = Growth.of(measured(400, 0));
        assertThat(growth.rise()).isBetween(399.9, 400.1);
        assertThat(growth.error()).isLessThan(0.1);
        assertThat(growth).hasToString("from 200000 by 400.0 (standard error 0.0)");
    }
}
