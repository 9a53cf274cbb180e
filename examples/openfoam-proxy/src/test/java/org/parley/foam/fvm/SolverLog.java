package org.parley.foam.fvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a log says of its solutions. */
final class SolverLog {
    /** One solution: {@code DICPCG p}, residuals, iterations. */
    record Solution(String name, double first, double last, int iterations) {
        static Solution of(final String line) {
            final String[] words = line.split(" ");
            return new Solution(
                    words[0] + " " + words[1],
                    Double.parseDouble(words[2]),
                    Double.parseDouble(words[3]),
                    Integer.parseInt(words[4]));
        }
    }

    private static final Pattern SOLVED = Pattern.compile("(\\w+):  Solving for (\\w+), Initial residual = (\\S+),"
            + " Final residual = (\\S+), No Iterations (\\d+)");
    private static final Pattern COURANT = Pattern.compile("(Courant) (Number) mean: (\\S+) max: (\\S+)");

    private SolverLog() {}

    /** The solutions of a log, and its Courant numbers as if they were ones. */
    static List<Solution> parse(final String log) {
        final List<Solution> found = new ArrayList<>();
        for (final String line : log.split("\n")) {
            Matcher matcher = SOLVED.matcher(line);
            if (matcher.matches()) {
                found.add(new Solution(
                        matcher.group(1) + " " + matcher.group(2),
                        Double.parseDouble(matcher.group(3)),
                        Double.parseDouble(matcher.group(4)),
                        Integer.parseInt(matcher.group(5))));
            }
            matcher = COURANT.matcher(line);
            if (matcher.matches()) {
                found.add(new Solution(
                        "Courant Number",
                        Double.parseDouble(matcher.group(3)),
                        Double.parseDouble(matcher.group(4)),
                        0));
            }
        }
        return found;
    }

    /** Fails unless iterations are the same, and residuals to the digits that the references have. */
    static void assertSame(final List<Solution> expected, final List<Solution> actual) {
        assertSame(expected, actual, 1e-6, 0);
    }

    /** Fails unless residuals are the same to four digits and iterations differ by one at most. */
    static void assertClose(final List<Solution> expected, final List<Solution> actual) {
        assertSame(expected, actual, 1e-4, 1);
    }

    private static void assertSame(
            final List<Solution> expected, final List<Solution> actual, final double relative, final int iterations) {
        assertEquals(expected.size(), actual.size(), "solutions and Courant numbers");
        for (int i = 0; i < expected.size(); i++) {
            final Solution e = expected.get(i);
            final Solution a = actual.get(i);
            final String where = "no. " + i + ", expected " + e + ", got " + a;
            assertEquals(e.name(), a.name(), where);
            assertEquals(e.iterations(), a.iterations(), iterations, where);
            assertEquals(e.first(), a.first(), relative * Math.abs(e.first()) + 1e-9, where);
            if (e.iterations() == a.iterations()) {
                assertEquals(e.last(), a.last(), relative * Math.abs(e.last()) + 1e-12, where);
            }
        }
    }
}
