package org.parley.foam.dictionary;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** OpenFOAM's file format. */
class DictionaryTest {
    @TempDir
    Path folder;

    @Test
    void shouldReadWordsNumbersAndLists() {
        final Dictionary dict = Dictionary.of("""
                // a comment
                word linear; text "two words"; number -1.5e-3; whole 7; on yes; /* another
                over lines */ off false;
                div(phi,U) Gauss linear;
                vector (1 2 3); list (1 2 3 4); counted 2(5 6); repeated 3{7}; words (a b); empty ();
                vectors 2((1 0 0) (0 1 0));
                """);
        assertEquals("linear", dict.word("word"));
        assertEquals("two words", dict.word("text"));
        assertEquals(-0.0015, dict.number("number"));
        assertEquals(7, dict.integer("whole"));
        assertTrue(dict.flag("on", false));
        assertFalse(dict.flag("off", true));
        final Tokens scheme = dict.tokens("div(phi,U)");
        assertEquals("Gauss", scheme.word());
        assertEquals("linear", scheme.word());
        assertTrue(scheme.atEnd());
        assertArrayEquals(new double[] {1, 2, 3}, dict.vector("vector"));
        assertArrayEquals(new int[] {1, 2, 3, 4}, dict.tokens("list").integers());
        assertArrayEquals(new int[] {5, 6}, dict.tokens("counted").integers());
        assertArrayEquals(new int[] {7, 7, 7}, dict.tokens("repeated").integers());
        assertEquals(List.of("a", "b"), dict.tokens("words").words());
        assertEquals(0, dict.tokens("empty").integers().length);
        assertArrayEquals(
                new double[] {1, 0, 0, 0, 1, 0}, dict.tokens("vectors").numbers(3));
    }

    @Test
    void shouldPassOverNameAndDimensionsOfANumber() {
        assertEquals(0.01, Dictionary.of("nu nu [0 2 -1 0 0 0 0] 0.01;").number("nu"));
        assertEquals(0.01, Dictionary.of("nu [0 2 -1 0 0] 0.01;").number("nu"));
        assertEquals(0.01, Dictionary.of("nu 0.01;").number("nu"));
    }

    @Test
    void shouldReadFields() {
        final Dictionary dict = Dictionary.of("""
                a uniform 3; b uniform (1 2 3); c nonuniform List<scalar> 3(1 2 3); d nonuniform 0();
                e nonuniform List<vector> 2{(1 2 3)}; f nonuniform List<scalar>
                2
                (
                4
                5
                )
                ;
                """);
        assertArrayEquals(new double[] {3, 3}, dict.field("a", 1, 2));
        assertArrayEquals(new double[] {1, 2, 3, 1, 2, 3}, dict.field("b", 3, 2));
        assertArrayEquals(new double[] {1, 2, 3}, dict.field("c", 1, 3));
        assertEquals(0, dict.field("d", 3, 0).length);
        assertArrayEquals(new double[] {1, 2, 3, 1, 2, 3}, dict.field("e", 3, 2));
        assertArrayEquals(new double[] {4, 5}, dict.field("f", 1, 2));
    }

    @Test
    void shouldExpandMacros() {
        final Dictionary dict = Dictionary.of("""
                x 2; inner { y 3; z $y; top $:x; around $..x; up ${x}; deep $:inner.y; list (1 $y ($x)); }
                p { solver PCG; tolerance 1e-6; sub { a 1; } } pFinal { $p; tolerance 1e-7; sub { b 2; } }
                q $p;
                """);
        final Dictionary inner = dict.dictionary("inner");
        assertEquals(3, inner.integer("z"));
        assertEquals(2, inner.integer("top"));
        assertEquals(2, inner.integer("around"));
        assertEquals(2, inner.integer("up"));
        assertEquals(3, inner.integer("deep"));
        final Dictionary last = dict.dictionary("pFinal");
        assertEquals("PCG", last.word("solver"));
        assertEquals(1e-7, last.number("tolerance"));
        assertEquals(1, last.dictionary("sub").integer("a"));
        assertEquals(2, last.dictionary("sub").integer("b"));
        assertFalse(dict.dictionary("p").dictionary("sub").has("b"));
        assertEquals("PCG", dict.dictionary("q").word("solver"));
    }

    @Test
    void shouldMatchPatternsAfterNamesAndTheLastFirst() {
        final Dictionary dict = Dictionary.of("\"(U|k).*\" 1; \"U.*\" 2; Ux 3;");
        assertEquals(3, dict.integer("Ux"));
        assertEquals(2, dict.integer("Uy"));
        assertEquals(1, dict.integer("kx"));
        assertFalse(dict.has("p"));
    }

    @Test
    void shouldReplaceValuesAndMergeDictionaries() {
        final Dictionary dict = Dictionary.of("a 1; a 2; d { x 1; } d { y 2; } #remove a\nb 3;");
        assertFalse(dict.has("a"));
        assertEquals(1, dict.dictionary("d").integer("x"));
        assertEquals(2, dict.dictionary("d").integer("y"));
        assertFalse(Dictionary.of("#inputMode overwrite\nd { x 1; } d { y 2; }")
                .dictionary("d")
                .has("x"));
    }

    @Test
    void shouldInclude() throws IOException {
        Files.createDirectories(folder.resolve("system"));
        Files.writeString(folder.resolve("system/more"), "y 2;");
        Files.writeString(folder.resolve("top"), "z 3;");
        Files.writeString(folder.resolve("system/list"), "2\n3");
        Files.writeString(
                folder.resolve("system/dict"),
                "x 1;\n#include \"more\"\n#include \"$FOAM_CASE/top\"\n#includeIfPresent \"none\"\n#include \"<system>/more\"\n"
                        + "l (1 #include \"list\" 4);\nd { #include \"more\" }");
        final Dictionary dict = Dictionary.read(folder.resolve("system/dict"), folder);
        assertEquals(2, dict.integer("y"));
        assertEquals(3, dict.integer("z"));
        assertArrayEquals(new int[] {1, 2, 3, 4}, dict.tokens("l").integers());
        assertEquals(2, dict.dictionary("d").integer("y"));
    }

    @Test
    void shouldReadBackWhatItWrites() throws IOException {
        final String text =
                "a 1; b \"two words\"; c (1 (2 3) [0 1]); d { e uniform (1 2 3); \"f.*\" g; } h Gauss linear; i 2(1 2);";
        final Dictionary dict = Dictionary.of(text);
        dict.putField("j", 1, new double[] {1, 2});
        final Path first = folder.resolve("first");
        final Path second = folder.resolve("second");
        write(dict, first);
        write(Dictionary.read(first, folder), second);
        final Dictionary read = Dictionary.read(second, folder);
        assertEquals(Files.readString(first), Files.readString(second).replace("second", "first"));
        assertEquals("g", read.dictionary("d").word("ff"));
        assertArrayEquals(new double[] {1, 2}, read.field("j", 1, 2));
    }

    private static void write(final Dictionary dict, final Path file) {
        try (FoamWriter writer = FoamWriter.create(file, 6)) {
            dict.remove("FoamFile");
            writer.header("dictionary", "here", file.getFileName().toString());
            writer.topEntries(dict);
            writer.footer();
        }
    }

    @Test
    void shouldSayWhereSomethingIsMissing() throws IOException {
        final Path file = folder.resolve("dict");
        Files.writeString(file, "a 1;\n\nd\n{\n    b two;\n}\n");
        final Dictionary dict = Dictionary.read(file, folder);
        assertMessage(
                file + ":5: entry 'b': expected a number, found 'two'",
                () -> dict.dictionary("d").number("b"));
        assertMessage(
                file + ":3: entry 'c' is missing in dictionary 'd'",
                () -> dict.dictionary("d").word("c"));
        assertMessage(file + ": entry 'c' is missing", () -> dict.word("c"));
        assertMessage(file + ":1: 'a' is a value, expected a dictionary '{ ... }'", () -> dict.dictionary("a"));
        assertMessage(file + ":3: 'd' is a dictionary, not a value", () -> dict.word("d"));
    }

    private static void assertMessage(final String message, final Runnable action) {
        assertEquals(message, assertThrows(FoamException.class, action::run).getMessage());
    }

    /** The right column is what printf makes of the left by %.PRECISIONg. */
    @ParameterizedTest
    @CsvSource({
        "0, 6, 0",
        "-0.0, 6, -0",
        "1, 6, 1",
        "-12, 6, -12",
        "100000, 6, 100000",
        "1000000, 6, 1e+06",
        "123456789, 6, 1.23457e+08",
        "0.1, 6, 0.1",
        "0.0001, 6, 0.0001",
        "0.00001, 6, 1e-05",
        "0.00012345678, 6, 0.000123457",
        "1.5, 1, 2",
        "2.5, 1, 2",
        "0.15, 1, 0.1",
        "999999.5, 6, 1e+06",
        "99999.95, 6, 99999.9",
        "3.14159265358979, 10, 3.141592654",
        "1e-300, 6, 1e-300",
        "1.7976931348623157e308, 6, 1.79769e+308",
        "0.1, 17, 0.10000000000000001",
        "1e15, 16, 1000000000000000",
        "123456, 3, 1.23e+05",
        "1e10, 12, 10000000000"
    })
    void shouldPrintNumbersAsCDoes(final double number, final int precision, final String text) {
        assertEquals(text, Numbers.format(number, precision));
    }

    @ParameterizedTest
    @CsvSource({
        "1",
        "0.1",
        "123456.789",
        "1e-7",
        "-4.9e-324",
        "1.7976931348623157e308",
        "0.30000000000000004",
        "2.2250738585072014e-308"
    })
    void shouldReadTheNearestNumber(final double number) {
        assertEquals(number, Dictionary.of("x " + number + ";").number("x"));
        assertEquals(
                number, Dictionary.of("x " + Numbers.format(number, 17) + ";").number("x"));
    }

    @Test
    void shouldPrintTheDigitsOfTheExactValue() {
        final Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            final double number = i % 2 == 0
                    ? Double.longBitsToDouble(random.nextLong())
                    : Math.round(random.nextDouble() * 1e6) / 2e6 * Math.pow(10, random.nextInt(30) - 20);
            final int precision = 1 + random.nextInt(16);
            if (Double.isFinite(number)) {
                final BigDecimal exact =
                        new BigDecimal(number).round(new MathContext(precision, RoundingMode.HALF_EVEN));
                final String text = Numbers.format(number, precision);
                assertEquals(0, exact.compareTo(new BigDecimal(text)), () -> number + " by " + precision + ": " + text);
            }
        }
    }
}
