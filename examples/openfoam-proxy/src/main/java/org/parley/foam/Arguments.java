package org.parley.foam;

import java.nio.file.Path;
import java.util.Locale;

/**
 * The command line of a rank.
 *
 * @param folder the case; null for a synthetic one that is not kept.
 * @param cells of the synthetic cavity along x, y, z; null for a case that is there.
 * @param steps of the synthetic cavity.
 * @param reynolds number of the synthetic cavity.
 * @param reconstruct whether the ranks' fields are put together at the end; on one rank, whether to do only that.
 * @param picture a file to write at the end, .svg or .vtk; null for none.
 * @param progress whether to say on stderr how far the run is.
 */
record Arguments(
        Path folder, int[] cells, int steps, double reynolds, boolean reconstruct, Path picture, boolean progress) {
    private static final int STEPS = 100;
    private static final double REYNOLDS = 100;

    /**
     * Looks at a command line and no further, so that a mistake in it is said before a job is started.
     *
     * @param words of a rank.
     */
    public static void main(final String... words) {
        try {
            parse(words);
        } catch (final IllegalArgumentException e) {
            System.err.println("icofoam: " + e.getMessage());
            System.exit(2);
        }
    }

    /** Whether the case is made here. */
    boolean synthetic() {
        return cells != null;
    }

    static Arguments parse(final String... words) {
        Path folder = null;
        int[] cells = null;
        int steps = STEPS;
        double reynolds = REYNOLDS;
        boolean reconstruct = false;
        Path picture = null;
        boolean progress = false;
        String ofCavity = null;
        for (int i = 0; i < words.length; i++) {
            final String word = words[i];
            if (word.equals("--reconstruct")) {
                reconstruct = true;
                continue;
            }
            if (word.equals("--progress")) {
                progress = true;
                continue;
            }
            if (i + 1 == words.length) {
                throw new IllegalArgumentException(
                        word.matches("-case|--case|--cells|--steps|--re|--picture")
                                ? word + " needs a value"
                                : "unknown argument " + word);
            }
            final String value = words[++i];
            ofCavity = word.matches("--steps|--re") ? word : ofCavity;
            switch (word) {
                case "-case", "--case" -> folder = Path.of(value);
                case "--cells" -> cells = cells(value);
                case "--steps" -> steps = (int) number(word + " " + value, value, 1e9, true);
                case "--re" -> reynolds = number(word + " " + value, value, 1e12, false);
                case "--picture" -> picture = picture(value);
                default -> throw new IllegalArgumentException("unknown argument " + word);
            }
        }
        if (cells == null && ofCavity != null) {
            throw new IllegalArgumentException(ofCavity + " is of the cavity that --cells makes; a case says in its "
                    + (ofCavity.equals("--re")
                            ? "constant/transportProperties how viscous its fluid is (nu)"
                            : "system/controlDict how long it runs (endTime, deltaT)"));
        }
        if (cells == null && folder == null) {
            folder = Path.of(".");
        }
        return new Arguments(folder, cells, steps, reynolds, reconstruct, picture, progress);
    }

    private static int[] cells(final String text) {
        final String[] parts = text.toLowerCase(Locale.ROOT).split("x", -1);
        final int[] cells = {1, 1, 1};
        if (parts.length < 2 || parts.length > 3) {
            throw new IllegalArgumentException("--cells " + text + ": expected NXxNYxNZ, such as 200x200x1");
        }
        double product = 1;
        for (int i = 0; i < parts.length; i++) {
            cells[i] = (int) number("--cells " + text, parts[i], 1e6, true);
            product *= cells[i];
        }
        if (product > 1 << 27) {
            throw new IllegalArgumentException("--cells " + text + ": more than " + (1 << 27) + " cells");
        }
        return cells;
    }

    private static double number(final String said, final String text, final double most, final boolean whole) {
        try {
            final double number = Double.parseDouble(text);
            if (number > 0 && number <= most && (!whole || number == (long) number)) {
                return number;
            }
        } catch (final NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(
                said + ": expected " + (whole ? "whole numbers" : "a number") + " of more than 0");
    }

    private static Path picture(final String text) {
        if (!text.endsWith(".svg") && !text.endsWith(".vtk")) {
            throw new IllegalArgumentException("--picture " + text + ": expected a name that ends in .svg or .vtk");
        }
        return Path.of(text);
    }
}
