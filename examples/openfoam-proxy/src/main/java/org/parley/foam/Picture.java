package org.parley.foam;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.parley.foam.dictionary.FoamException;
import org.parley.foam.dictionary.Numbers;
import org.parley.foam.mesh.Mesh;

/** A picture of the last time: speed and streamlines as SVG, in the middle plane across z; or all fields as VTK. */
final class Picture {
    private static final int COLUMNS = 200;
    private static final int PIXEL = 4;
    private static final int COLOURS = 48;
    private static final int SEED = 12;
    private static final int NEAR = 3;
    private static final int LONGEST = 4000;

    private final double left;
    private final double bottom;
    private final double size;
    private final int columns;
    private final int rows;
    /** Velocity at each place of the raster; NaN outside of the mesh. */
    private final double[] u;

    private final double[] v;
    private final boolean[] taken;
    private double fastest;

    private Picture(final Mesh mesh, final double[] velocity) {
        final double[] low = {Double.MAX_VALUE, Double.MAX_VALUE, Double.MAX_VALUE};
        final double[] high = {-Double.MAX_VALUE, -Double.MAX_VALUE, -Double.MAX_VALUE};
        final double[] points = mesh.points();
        for (int i = 0; i < points.length; i++) {
            low[i % 3] = Math.min(low[i % 3], points[i]);
            high[i % 3] = Math.max(high[i % 3], points[i]);
        }
        left = low[0];
        bottom = low[1];
        size = Math.max(high[0] - low[0], high[1] - low[1]) / COLUMNS;
        columns = Math.max(1, (int) Math.ceil((high[0] - low[0]) / size - 1e-6));
        rows = Math.max(1, (int) Math.ceil((high[1] - low[1]) / size - 1e-6));
        u = new double[columns * rows];
        v = new double[columns * rows];
        taken = new boolean[columns * rows];
        Arrays.fill(u, Double.NaN);
        Arrays.fill(v, Double.NaN);
        sample(mesh, velocity, (low[2] + high[2]) / 2);
    }

    /** Refuses a file that cannot be written, before a run of hours. */
    static void check(final Path file) {
        final Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)
                || !Files.isDirectory(folder)
                || !Files.isWritable(Files.exists(file) ? file : folder)) {
            throw new FoamException(
                    file,
                    0,
                    "cannot be written (--picture): "
                            + (Files.isDirectory(file)
                                    ? "it is a folder"
                                    : Files.isDirectory(folder) ? "no permission" : "there is no folder " + folder));
        }
    }

    /** Writes a picture of the case's last time. */
    static void write(final Case caze, final Path file) {
        final double[] times = caze.times();
        if (times.length == 0) {
            throw new FoamException(caze.folder(), 0, "has no time to draw");
        }
        final String time = caze.timeFolder(times[times.length - 1]);
        final Field velocity = caze.readField(time, "U", Field.Kind.VOL_VECTOR);
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            if (file.toString().endsWith(".vtk")) {
                Vtk.write(out, caze, time);
            } else {
                new Picture(caze.mesh(), velocity.internal()).draw(out, time);
            }
        } catch (final IOException e) {
            throw new FoamException(file, 0, "cannot be written: " + e);
        }
    }

    /** Each cell that the plane cuts gives its velocity to the places that its lower face covers. */
    private void sample(final Mesh mesh, final double[] velocity, final double plane) {
        final double[] from = new double[mesh.cells()];
        final double[] to = new double[mesh.cells()];
        final double[] down = new double[mesh.cells()];
        final int[] lowest = new int[mesh.cells()];
        Arrays.fill(from, Double.MAX_VALUE);
        Arrays.fill(to, -Double.MAX_VALUE);
        Arrays.fill(down, Double.MAX_VALUE);
        for (int face = 0; face < mesh.faces(); face++) {
            for (int side = 0; side < (face < mesh.internalFaces() ? 2 : 1); side++) {
                final int cell = side == 0 ? mesh.owner()[face] : mesh.neighbour()[face];
                for (int i = mesh.faceStarts()[face]; i < mesh.faceStarts()[face + 1]; i++) {
                    final double z = mesh.points()[3 * mesh.faceVertices()[i] + 2];
                    from[cell] = Math.min(from[cell], z);
                    to[cell] = Math.max(to[cell], z);
                }
                final double out = mesh.faceAreas()[3 * face + 2] * (side == 0 ? 1 : -1);
                if (out < down[cell]) {
                    down[cell] = out;
                    lowest[cell] = face;
                }
            }
        }
        for (int cell = 0; cell < mesh.cells(); cell++) {
            if (from[cell] <= plane && plane < to[cell]) {
                fill(mesh, lowest[cell], velocity[3 * cell], velocity[3 * cell + 1]);
            }
        }
    }

    private void fill(final Mesh mesh, final int face, final double cellU, final double cellV) {
        final int begin = mesh.faceStarts()[face];
        final int count = mesh.faceStarts()[face + 1] - begin;
        final double[] x = new double[count];
        final double[] y = new double[count];
        double x0 = Double.MAX_VALUE;
        double x1 = 0;
        double y0 = Double.MAX_VALUE;
        double y1 = 0;
        for (int i = 0; i < count; i++) {
            x[i] = (mesh.points()[3 * mesh.faceVertices()[begin + i]] - left) / size;
            y[i] = (mesh.points()[3 * mesh.faceVertices()[begin + i] + 1] - bottom) / size;
            x0 = Math.min(x0, x[i]);
            x1 = Math.max(x1, x[i]);
            y0 = Math.min(y0, y[i]);
            y1 = Math.max(y1, y[i]);
        }
        for (int row = (int) y0; row < Math.min(rows, y1 + 1); row++) {
            for (int column = (int) x0; column < Math.min(columns, x1 + 1); column++) {
                if (covers(x, y, column + 0.5, row + 0.5)) {
                    u[row * columns + column] = cellU;
                    v[row * columns + column] = cellV;
                    fastest = Math.max(fastest, Math.hypot(cellU, cellV));
                }
            }
        }
    }

    private static boolean covers(final double[] x, final double[] y, final double px, final double py) {
        boolean inside = false;
        for (int i = 0, j = x.length - 1; i < x.length; j = i++) {
            if (y[i] > py != y[j] > py && px < (x[j] - x[i]) * (py - y[i]) / (y[j] - y[i]) + x[i]) {
                inside = !inside;
            }
        }
        return inside;
    }

    private void draw(final BufferedWriter out, final String time) throws IOException {
        final int width = columns * PIXEL;
        final int height = rows * PIXEL;
        out.write("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + (height + 24)
                + "\" font-family=\"sans-serif\" font-size=\"14\">\n");
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; ) {
                final int colour = colour(row * columns + column);
                int end = column + 1;
                while (end < columns && colour(row * columns + end) == colour) {
                    end++;
                }
                if (colour >= 0) {
                    out.write("<rect x=\"" + column * PIXEL + "\" y=\"" + (rows - 1 - row) * PIXEL + "\" width=\""
                            + (end - column) * PIXEL + "\" height=\"" + PIXEL + "\" fill=\"hsl("
                            + 240 * (COLOURS - 1 - colour) / (COLOURS - 1) + ",80%,60%)\"/>\n");
                }
                column = end;
            }
        }
        out.write("<g fill=\"none\" stroke=\"#222\" stroke-width=\"1\">\n");
        for (int row = SEED / 2; row < rows; row += SEED) {
            for (int column = SEED / 2; column < columns; column += SEED) {
                if (!taken[row * columns + column]) {
                    line(out, column, row);
                }
            }
        }
        out.write("</g>\n<text x=\"4\" y=\"" + (height + 17) + "\">time " + time + ", speed 0 (blue) to "
                + Numbers.format(fastest, 4) + " (red)</text>\n</svg>\n");
    }

    private int colour(final int at) {
        if (Double.isNaN(u[at])) {
            return -1;
        }
        return fastest == 0 ? 0 : (int) (Math.hypot(u[at], v[at]) / fastest * (COLOURS - 1) + 0.5);
    }

    /** A streamline both ways from a place, until it leaves the mesh, stands still, or comes near another. */
    private void line(final BufferedWriter out, final int column, final int row) throws IOException {
        final boolean[] own = new boolean[taken.length];
        final StringBuilder back = new StringBuilder();
        final StringBuilder ahead = new StringBuilder();
        trace(column + 0.5, row + 0.5, -0.5, own, back);
        trace(column + 0.5, row + 0.5, 0.5, own, ahead);
        if (ahead.length() + back.length() > 0) {
            out.write("<path d=\"" + (back.length() > 0 ? "M" + back.substring(1) : "")
                    + (ahead.length() > 0 ? "M" + ahead.substring(1) : "") + "\"/>\n");
        }
        for (int i = 0; i < own.length; i++) {
            taken[i] |= own[i];
        }
    }

    private void trace(
            final double x0, final double y0, final double step, final boolean[] own, final StringBuilder path) {
        final double[] velocity = new double[2];
        double x = x0;
        double y = y0;
        for (int i = 0; i < LONGEST && direction(x, y, velocity); i++) {
            if (i % 4 == 0) {
                path.append(String.format(Locale.ROOT, "L%.1f %.1f", x * PIXEL, (rows - y) * PIXEL));
            }
            final double middleX = x + step / 2 * velocity[0];
            final double middleY = y + step / 2 * velocity[1];
            if (!direction(middleX, middleY, velocity)) {
                break;
            }
            x += step * velocity[0];
            y += step * velocity[1];
            final boolean closed = i > 20 && Math.hypot(x - x0, y - y0) < 0.6;
            if (closed || i > 8 && isNear(x, y)) {
                break;
            }
            mark(x, y, own);
        }
    }

    private boolean isNear(final double x, final double y) {
        final int column = (int) x;
        final int row = (int) y;
        return column < 0 || row < 0 || column >= columns || row >= rows || taken[row * columns + column];
    }

    private void mark(final double x, final double y, final boolean[] own) {
        for (int row = (int) y - NEAR; row <= (int) y + NEAR; row++) {
            for (int column = (int) x - NEAR; column <= (int) x + NEAR; column++) {
                if (row >= 0 && column >= 0 && row < rows && column < columns) {
                    own[row * columns + column] = true;
                }
            }
        }
    }

    /** The flow's direction between the places around; false outside of the mesh and where nothing moves. */
    private boolean direction(final double x, final double y, final double[] into) {
        final int column = (int) Math.floor(x - 0.5);
        final int row = (int) Math.floor(y - 0.5);
        final double a = x - 0.5 - column;
        final double b = y - 0.5 - row;
        double sumU = 0;
        double sumV = 0;
        double weights = 0;
        for (int corner = 0; corner < 4; corner++) {
            final int c = column + corner % 2;
            final int r = row + corner / 2;
            if (c < 0 || r < 0 || c >= columns || r >= rows || Double.isNaN(u[r * columns + c])) {
                continue;
            }
            final double weight = (corner % 2 == 0 ? 1 - a : a) * (corner / 2 == 0 ? 1 - b : b);
            sumU += weight * u[r * columns + c];
            sumV += weight * v[r * columns + c];
            weights += weight;
        }
        final double speed = Math.hypot(sumU, sumV);
        if (weights < 0.5 || !(speed > 1e-6 * fastest)) {
            return false;
        }
        into[0] = sumU / speed;
        into[1] = sumV / speed;
        return true;
    }
}
