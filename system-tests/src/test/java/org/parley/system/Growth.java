package org.parley.system;

import java.util.List;
import java.util.Locale;

/**
 * A straight line through measurements (least squares), and whether it climbs.
 *
 * @param rise how far it climbs from the first to the last one
 * @param error standard error of that, from how far measurements are off the line
 * @param level where it begins
 */
record Growth(double rise, double error, double level) {
    private static final int CERTAINTY = 4;

    static Growth of(final List<double[]> points) {
        final int count = points.size();
        final double meanX =
                points.stream().mapToDouble(point -> point[0]).average().orElseThrow();
        final double meanY =
                points.stream().mapToDouble(point -> point[1]).average().orElseThrow();
        double xx = 0;
        double xy = 0;
        for (final double[] point : points) {
            xx += (point[0] - meanX) * (point[0] - meanX);
            xy += (point[0] - meanX) * (point[1] - meanY);
        }
        final double slope = xy / xx;
        double off = 0;
        for (final double[] point : points) {
            final double line = meanY + slope * (point[0] - meanX);
            off += (point[1] - line) * (point[1] - line);
        }
        final double span = points.get(count - 1)[0] - points.get(0)[0];
        final double error = Math.sqrt(off / (count - 2) / xx) * span;
        return new Growth(slope * span, error, meanY - slope * span / 2);
    }

    /** Whether it climbs farther than is allowed, and not by the chance of where measurements lie. */
    boolean exceeds(final double allowed) {
        return rise > allowed + CERTAINTY * error;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "from %.0f by %.1f (standard error %.1f)", level, rise, error);
    }
}
