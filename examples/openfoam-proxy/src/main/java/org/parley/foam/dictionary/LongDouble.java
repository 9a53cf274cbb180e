package org.parley.foam.dictionary;

import java.math.BigDecimal;

/**
 * Decimal numbers as OpenFOAM reads them: by C's strtold, which on x86-64 rounds to 64 bits, then to a double's 53. Now
 * and then that is another number than rounding once gives: the one beside it, where 64 bits fall just between two. Its
 * last bit is enough for other digits in the log.
 */
final class LongDouble {
    /** Powers of ten that doubles have exactly. */
    static final int MOST_POWER = 22;

    /** Decimal digits that doubles have exactly. */
    static final int MOST_DIGITS = 15;

    /** How much finer a long double is. */
    private static final double FINER = 2048;

    /** Beyond it, doubles are no finer than what they are rounded from, or the decimals too many to look at. */
    private static final double SMALLEST = 1e-290;

    private static final int LONGEST = 400;

    private static final double[] POWERS = new double[MOST_POWER + 1];

    static {
        for (int i = 0; i <= MOST_POWER; i++) {
            POWERS[i] = Double.parseDouble("1e" + i);
        }
    }

    private LongDouble() {}

    /** digits times ten to the power; both no more than the most. */
    static double scaled(final long digits, final int power) {
        final double factor = POWERS[Math.abs(power)];
        if (power < 0) {
            final double nearest = digits / factor;
            return roundTwice(nearest, Math.fma(-nearest, factor, digits) / factor);
        }
        final double nearest = digits * factor;
        return roundTwice(nearest, Math.fma(digits, factor, -nearest));
    }

    /**
     * Any number.
     *
     * @throws NumberFormatException if the text is none.
     */
    static double parse(final String text) {
        final double nearest = Double.parseDouble(text);
        if (!(Math.abs(nearest) > SMALLEST && Math.abs(nearest) < Double.MAX_VALUE) || text.length() > LONGEST) {
            return nearest;
        }
        return roundTwice(
                nearest, new BigDecimal(text).subtract(new BigDecimal(nearest)).doubleValue());
    }

    /** The double nearest to a number, and what the number has more: that, or the double beside it. */
    private static double roundTwice(final double nearest, final double more) {
        final double beside = more > 0 ? Math.nextUp(nearest) : Math.nextDown(nearest);
        final double half = Math.abs(beside - nearest) / 2;
        final boolean between = more != 0 && half - Math.abs(more) <= half / FINER;
        return between && (Double.doubleToRawLongBits(nearest) & 1) != 0 ? beside : nearest;
    }
}
