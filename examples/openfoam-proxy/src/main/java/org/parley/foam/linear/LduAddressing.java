package org.parley.foam.linear;

/**
 * Which cells the faces of a mesh join: face f joins cell {@code lower[f]} to {@code upper[f] >
 * lower[f]}, and faces are sorted by their lower cell. Made once a mesh; immutable.
 */
public final class LduAddressing {
    /** Number of cells. */
    public final int size;

    /** Lower cell of each face. */
    public final int[] lower;

    /** Upper cell of each face. */
    public final int[] upper;

    /** First face whose lower cell is this, for each cell and one more. */
    final int[] ownerStart;

    /** Faces sorted by their upper cell. */
    final int[] losort;

    /** First of {@link #losort} whose upper cell is this, for each cell and one more. */
    final int[] losortStart;

    /** Distances upper - lower of all faces, ascending, if there are at most three and each cell's faces ascend as well, so
     * that by bands a cell's sum has the order of its faces; else null. */
    final int[] bands;

    /** Which of the {@link #bands} a face lies on, if there are any. */
    final byte[] band;

    /**
     * Cells in a line, if the mesh is made of lines: bands are 1, this, and perhaps one of at least
     * four lines; no line joins its end to the next one's start. Else 0.
     */
    final int line;

    /**
     * Makes the addressing.
     *
     * @param size number of cells
     * @param lower lower cell of each face, ascending
     * @param upper upper cell of each face
     * @throws IllegalArgumentException if the faces are not sorted so
     */
    public LduAddressing(final int size, final int[] lower, final int[] upper) {
        this.size = size;
        this.lower = lower;
        this.upper = upper;
        this.ownerStart = new int[size + 1];
        this.losortStart = new int[size + 1];
        this.losort = new int[upper.length];
        for (int f = 0; f < lower.length; f++) {
            if (lower[f] >= upper[f] || f > 0 && lower[f] < lower[f - 1]) {
                throw new IllegalArgumentException("face " + f + " joins cell " + lower[f] + " to " + upper[f]
                        + ": owners must ascend and be below their neighbours");
            }
            ownerStart[lower[f] + 1]++;
            losortStart[upper[f] + 1]++;
        }
        for (int c = 0; c < size; c++) {
            ownerStart[c + 1] += ownerStart[c];
            losortStart[c + 1] += losortStart[c];
        }
        final int[] next = losortStart.clone();
        for (int f = 0; f < upper.length; f++) {
            losort[next[upper[f]]++] = f;
        }
        this.bands = findBands();
        this.band = bands == null ? null : new byte[upper.length];
        this.line = findLine();
        if (bands != null) {
            for (int f = 0; f < upper.length; f++) {
                byte b = 0;
                while (bands[b] != upper[f] - lower[f]) {
                    b++;
                }
                band[f] = b;
            }
        }
    }

    private int findLine() {
        if (bands == null || bands.length < 2 || bands[0] != 1) {
            return 0;
        }
        final int found = bands[1];
        if (found < 8 || size % found != 0 || bands.length == 3 && bands[2] < Lines.TOGETHER * found) {
            return 0;
        }
        for (int f = 0; f < upper.length; f++) {
            if (upper[f] == lower[f] + 1 && upper[f] % found == 0) {
                return 0;
            }
        }
        return found;
    }

    private int[] findBands() {
        int[] found = new int[0];
        for (int f = 0; f < upper.length; f++) {
            final int distance = upper[f] - lower[f];
            if (f > 0 && lower[f] == lower[f - 1] && upper[f] < upper[f - 1]) {
                return null;
            }
            boolean known = false;
            for (final int b : found) {
                known |= b == distance;
            }
            if (!known) {
                if (found.length == 3) {
                    return null;
                }
                found = java.util.Arrays.copyOf(found, found.length + 1);
                found[found.length - 1] = distance;
                java.util.Arrays.sort(found);
            }
        }
        return found;
    }
}
