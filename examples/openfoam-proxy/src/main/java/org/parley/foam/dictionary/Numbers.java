package org.parley.foam.dictionary;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Numbers as a C++ stream of a given precision prints them, which is how OpenFOAM writes files and logs. */
public final class Numbers {
    /** OpenFOAM's {@code writePrecision} where none is set; its logs follow the same entry. */
    public static final int PRECISION = 6;

    private static final int MOST_DIGITS = 17;

    /** Up to so many digits the short way is safe. */
    private static final int FAST = 12;

    /** How near to a half a product may come before the exact value decides. */
    private static final double NEAR = 1e-3;

    /** The largest power of ten that a double holds exactly. */
    private static final int EXACT = 22;

    private static final double[] POWERS = new double[EXACT + 1];

    static {
        for (int i = 0; i < POWERS.length; i++) {
            POWERS[i] = Double.parseDouble("1e" + i);
        }
    }

    private Numbers() {}

    /**
     * Formats a number as {@code %g} does.
     *
     * @param value the number.
     * @param precision how many significant digits, 1 at least.
     * @return its text.
     */
    public static String format(final double value, final int precision) {
        final StringBuilder text = new StringBuilder(MOST_DIGITS + 7);
        append(text, value, precision);
        return text.toString();
    }

    /**
     * Appends a number as {@code %g} prints it.
     *
     * @param to where to.
     * @param value the number.
     * @param precision how many significant digits, 1 at least.
     */
    public static void append(final StringBuilder to, final double value, final int precision) {
        if (value == (int) value && Math.abs(value) < POWERS[Math.min(precision, 9)]) {
            if (value == 0 && 1 / value < 0) {
                to.append('-');
            }
            to.append((int) value);
            return;
        }
        if (Double.isNaN(value)) {
            to.append("nan");
            return;
        }
        if (Double.isInfinite(value)) {
            to.append(value > 0 ? "inf" : "-inf");
            return;
        }
        if (precision > FAST || !appendFast(to, value, precision)) {
            appendExactly(to, value, precision);
        }
    }

    /**
     * The digits as a whole number, by one or two products with exact powers of ten. Their rounding moves the product by
     * far less than the distance to the next half that is asked for: the digits are those of the exact value.
     */
    private static boolean appendFast(final StringBuilder to, final double value, final int precision) {
        final double magnitude = Math.abs(value);
        int exponent = (int) Math.floor(Math.log10(magnitude));
        final int shift = precision - 1 - exponent;
        if (shift > 2 * EXACT || shift < -EXACT) {
            return false;
        }
        final double scaled = shift < 0
                ? magnitude / POWERS[-shift]
                : shift <= EXACT ? magnitude * POWERS[shift] : magnitude * POWERS[EXACT] * POWERS[shift - EXACT];
        long digits = (long) (scaled + 0.5);
        if (Math.abs(scaled - Math.floor(scaled) - 0.5) < NEAR || digits < POWERS[precision - 1]) {
            return false;
        }
        if (digits == (long) POWERS[precision]) {
            digits /= 10;
            exponent++;
        }
        while (digits % 10 == 0) {
            digits /= 10;
        }
        append(to, value < 0, Long.toString(digits), exponent, precision);
        return true;
    }

    private static void appendExactly(final StringBuilder to, final double value, final int precision) {
        final BigDecimal rounded =
                new BigDecimal(value).round(new MathContext(Math.max(1, precision), RoundingMode.HALF_EVEN));
        final String digits = rounded.unscaledValue().abs().toString();
        int length = digits.length();
        while (length > 1 && digits.charAt(length - 1) == '0') {
            length--;
        }
        append(
                to,
                value < 0,
                digits.substring(0, length),
                digits.length() - 1 - rounded.scale(),
                Math.max(1, precision));
    }

    private static void append(
            final StringBuilder to,
            final boolean negative,
            final String digits,
            final int exponent,
            final int precision) {
        final int length = digits.length();
        if (negative) {
            to.append('-');
        }
        if (exponent < -4 || exponent >= precision) {
            to.append(digits.charAt(0));
            if (length > 1) {
                to.append('.').append(digits, 1, length);
            }
            to.append('e').append(exponent < 0 ? '-' : '+');
            if (Math.abs(exponent) < 10) {
                to.append('0');
            }
            to.append(Math.abs(exponent));
        } else if (exponent < 0) {
            to.append("0.").append("0".repeat(-exponent - 1)).append(digits);
        } else if (length <= exponent + 1) {
            to.append(digits).append("0".repeat(exponent + 1 - length));
        } else {
            to.append(digits, 0, exponent + 1).append('.').append(digits, exponent + 1, length);
        }
    }
}
