package org.parley.foam.dictionary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers as C's strtold and a cast to double have them. */
class LongDoubleTest {
    /** What OpenFOAM made of the first, seen where a flow started from it; the others, by C. */
    @ParameterizedTest
    @CsvSource({"0.428619, 0.42861899999999997", "-0.428619, -0.42861899999999997", "0.5, 0.5", "1e-06, 1e-06"})
    void shouldReadAsOpenFoamDoes(final String text, final String exact) {
        assertEquals(Double.parseDouble(exact), Lexer.of(text).readNumber());
    }

    @Test
    void shouldRoundTwiceByBothWays() {
        final Random random = new Random(1912);
        int other = 0;
        for (int i = 0; i < 40_000; i++) {
            final long digits = random.nextInt(1_000_000);
            final int power = random.nextInt(25) - 18;
            final String text = digits + "e" + power;
            final double expected = twice(new BigDecimal(text));
            assertEquals(expected, LongDouble.scaled(digits, power), text);
            assertEquals(expected, LongDouble.parse(text), text);
            assertEquals(expected, Lexer.of(text).readNumber(), text);
            other += expected == Double.parseDouble(text) ? 0 : 1;
        }
        assertTrue(other > 0, other + " of them round otherwise once");
    }

    /** By integers: to 64 bits, then to 53, ties to even. */
    private static double twice(final BigDecimal number) {
        if (number.signum() == 0) {
            return 0;
        }
        // Times a power of two, so that the whole part has more than 64 bits whatever the number is.
        final int shift = 160;
        final BigDecimal scaled = number.multiply(new BigDecimal(BigInteger.ONE.shiftLeft(shift)));
        final BigInteger whole = scaled.toBigInteger();
        final boolean rest = scaled.stripTrailingZeros().scale() > 0;
        final BigInteger once = round(whole, 64, rest);
        return Math.scalb(round(once, 53, false).doubleValue(), -shift);
    }

    private static BigInteger round(final BigInteger whole, final int bits, final boolean rest) {
        final int less = Math.max(0, whole.bitLength() - bits);
        final BigDecimal unit = new BigDecimal(BigInteger.ONE.shiftLeft(less));
        final BigDecimal number = new BigDecimal(whole).add(rest ? new BigDecimal("0.25") : BigDecimal.ZERO);
        return number.divide(unit)
                .setScale(0, RoundingMode.HALF_EVEN)
                .toBigInteger()
                .shiftLeft(less);
    }
}
