package org.parley.foam.fvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.parley.foam.Case;
import org.parley.foam.Field;

/** The lid-driven cavity's centre lines against Ghia, Ghia and Shin (1982), and the order of accuracy. */
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class GhiaTest {
    private static final String PCG = "solver PCG; preconditioner DIC; tolerance 1e-05; relTol 0.05;";
    private static final String SMOOTH = "solver smoothSolver; smoother symGaussSeidel; tolerance 1e-06; relTol 0.01;";

    private static final double[] Y = {
        0.9766, 0.9688, 0.9609, 0.9531, 0.8516, 0.7344, 0.6172, 0.5, 0.4531, 0.2813, 0.1719, 0.1016, 0.0703, 0.0625,
        0.0547
    };
    private static final double[] U_100 = {
        0.84123, 0.78871, 0.73722, 0.68717, 0.23151, 0.00332, -0.13641, -0.20581, -0.21090, -0.15662, -0.10150,
        -0.06434, -0.04775, -0.04192, -0.03717
    };
    private static final double[] U_400 = {
        0.75837, 0.68439, 0.61756, 0.55892, 0.29093, 0.16256, 0.02135, -0.11477, -0.17119, -0.32726, -0.24299, -0.14612,
        -0.10338, -0.09266, -0.08186
    };
    private static final double[] X = {
        0.9688, 0.9609, 0.9531, 0.9453, 0.9063, 0.8594, 0.8047, 0.5, 0.2344, 0.2266, 0.1563, 0.0938, 0.0781, 0.0703,
        0.0625
    };
    private static final double[] V_100 = {
        -0.05906, -0.07391, -0.08864, -0.10313, -0.16914, -0.22445, -0.24533, 0.05454, 0.17527, 0.17507, 0.16077,
        0.12317, 0.10890, 0.10091, 0.09233
    };

    @TempDir
    Path folder;

    @Test
    void shouldHaveGhiasCentreLinesAtReynolds100() {
        final double[] field = steady(128, 100, 0.02, 500);
        for (int i = 0; i < Y.length; i++) {
            assertEquals(U_100[i], along(field, 128, 0, Y[i]), 0.01, "u at y = " + Y[i]);
        }
        for (int i = 0; i < X.length; i++) {
            assertEquals(V_100[i], along(field, 128, 1, X[i]), 0.01, "v at x = " + X[i]);
        }
    }

    @Test
    void shouldHaveGhiasCentreLineAtReynolds400() {
        final double[] field = steady(128, 400, 0.05, 600);
        for (int i = 0; i < Y.length; i++) {
            assertEquals(U_400[i], along(field, 128, 0, Y[i]), 0.01, "u at y = " + Y[i]);
        }
    }

    @Test
    void shouldConvergeWithTheSecondOrder() {
        final double[] centre = new double[3];
        for (int i = 0; i < 3; i++) {
            final int cells = 16 << i;
            centre[i] = along(steady(cells, 100, 0.8 / cells, 16 * cells), cells, 0, 0.5);
        }
        final double order = Math.log((centre[1] - centre[0]) / (centre[2] - centre[1])) / Math.log(2);
        assertTrue(order > 1.6 && order < 2.6, "order " + order);
    }

    private double[] steady(final int cells, final double reynolds, final double deltaT, final int steps) {
        final Path cavity = folder.resolve("cavity" + cells);
        Cases.cavity(cavity, cells, reynolds, deltaT, steps, PCG, SMOOTH);
        Runs.mesh(cavity);
        Runs.solve(cavity, 1);
        final Case caze = Case.of(cavity);
        final double[] times = caze.times();
        return caze.readField(caze.timeFolder(times[times.length - 1]), "U", Field.Kind.VOL_VECTOR)
                .internal();
    }

    /** u on the vertical centre line, v on the horizontal one, between the cells' centres. */
    private static double along(final double[] field, final int cells, final int component, final double at) {
        final double place = at * cells - 0.5;
        final int low = Math.max(0, Math.min(cells - 2, (int) Math.floor(place)));
        final double share = place - low;
        return (1 - share) * middle(field, cells, component, low) + share * middle(field, cells, component, low + 1);
    }

    private static double middle(final double[] field, final int cells, final int component, final int line) {
        double sum = 0;
        for (int side = cells / 2 - 1; side <= cells / 2; side++) {
            final int cell = component == 0 ? line * cells + side : side * cells + line;
            sum += field[3 * cell + component];
        }
        return sum / 2;
    }
}
