package org.parley.foam;

import java.io.BufferedWriter;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import org.parley.foam.dictionary.Numbers;
import org.parley.foam.mesh.Mesh;

/** A legacy VTK file of polyhedra, with the fields of the cells, for ParaView and its like. */
final class Vtk {
    private static final int POLYHEDRON = 42;

    private Vtk() {}

    static void write(final BufferedWriter out, final Case caze, final String time) throws IOException {
        final Mesh mesh = caze.mesh();
        final int digits = caze.writePrecision();
        out.write("# vtk DataFile Version 2.0\n" + caze.root().getFileName() + ", time " + time
                + "\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS " + mesh.points().length / 3 + " double\n");
        rows(out, mesh.points(), 3, Math.max(10, digits));
        cells(out, mesh);
        out.write("CELL_DATA " + mesh.cells() + "\n");
        for (final Map.Entry<String, Field.Kind> entry : caze.fields(time).entrySet()) {
            final Field.Kind kind = entry.getValue();
            if (kind == Field.Kind.SURFACE_SCALAR) {
                continue;
            }
            out.write(
                    kind == Field.Kind.VOL_VECTOR
                            ? "VECTORS " + entry.getKey() + " double\n"
                            : "SCALARS " + entry.getKey() + " double 1\nLOOKUP_TABLE default\n");
            rows(out, caze.readField(time, entry.getKey(), kind).internal(), kind.components(), digits);
        }
    }

    private static void rows(final BufferedWriter out, final double[] values, final int width, final int digits)
            throws IOException {
        final StringBuilder line = new StringBuilder();
        for (int i = 0; i < values.length; i++) {
            Numbers.append(line, values[i], digits);
            line.append(i % width == width - 1 ? '\n' : ' ');
            if (i % width == width - 1) {
                out.append(line);
                line.setLength(0);
            }
        }
    }

    /** A cell is the number of its integers, the number of its faces, and each face with the number of its points. */
    private static void cells(final BufferedWriter out, final Mesh mesh) throws IOException {
        final int[] faces = new int[mesh.cells()];
        final int[] integers = new int[mesh.cells()];
        final int[][] of = new int[mesh.cells()][6];
        long all = 0;
        for (int face = 0; face < mesh.faces(); face++) {
            for (int side = 0; side < (face < mesh.internalFaces() ? 2 : 1); side++) {
                final int cell = side == 0 ? mesh.owner()[face] : mesh.neighbour()[face];
                if (faces[cell] == of[cell].length) {
                    of[cell] = Arrays.copyOf(of[cell], 2 * faces[cell]);
                }
                of[cell][faces[cell]++] = face;
                integers[cell] += 1 + mesh.faceStarts()[face + 1] - mesh.faceStarts()[face];
            }
        }
        for (final int count : integers) {
            all += count + 2;
        }
        out.write("CELLS " + mesh.cells() + " " + all + "\n");
        final StringBuilder line = new StringBuilder();
        for (int cell = 0; cell < mesh.cells(); cell++) {
            line.append(integers[cell] + 1).append(' ').append(faces[cell]);
            for (int i = 0; i < faces[cell]; i++) {
                final int begin = mesh.faceStarts()[of[cell][i]];
                final int end = mesh.faceStarts()[of[cell][i] + 1];
                line.append(' ').append(end - begin);
                for (int j = begin; j < end; j++) {
                    line.append(' ').append(mesh.faceVertices()[j]);
                }
            }
            out.append(line.append('\n'));
            line.setLength(0);
        }
        out.write("CELL_TYPES " + mesh.cells() + "\n");
        out.write((POLYHEDRON + "\n").repeat(mesh.cells()));
    }
}
