package org.parley.foam.mesh;

/** Centres, areas and volumes by the formulas of OpenFOAM's primitiveMesh, in its order of operations. */
final class Geometry {
    /** Below it a volume or an area counts as none. */
    private static final double TINY = 1e-300;

    final double[] faceCentres;
    final double[] faceAreas;
    final double[] cellCentres;
    final double[] cellVolumes;

    Geometry(final Mesh mesh) {
        faceCentres = new double[3 * mesh.faces()];
        faceAreas = new double[3 * mesh.faces()];
        cellCentres = new double[3 * mesh.cells()];
        cellVolumes = new double[mesh.cells()];
        for (int face = 0; face < mesh.faces(); face++) {
            measureFace(mesh, face);
        }
        measureCells(mesh);
    }

    private void measureFace(final Mesh mesh, final int face) {
        final double[] p = mesh.points();
        final int[] vertices = mesh.faceVertices();
        final int begin = mesh.faceStarts()[face];
        final int end = mesh.faceStarts()[face + 1];
        final int at = 3 * face;
        if (end - begin == 3) {
            final int a = 3 * vertices[begin];
            final int b = 3 * vertices[begin + 1];
            final int c = 3 * vertices[begin + 2];
            for (int i = 0; i < 3; i++) {
                faceCentres[at + i] = 1.0 / 3.0 * (p[a + i] + p[b + i] + p[c + i]);
            }
            final double ux = p[b] - p[a];
            final double uy = p[b + 1] - p[a + 1];
            final double uz = p[b + 2] - p[a + 2];
            final double vx = p[c] - p[a];
            final double vy = p[c + 1] - p[a + 1];
            final double vz = p[c + 2] - p[a + 2];
            faceAreas[at] = 0.5 * (uy * vz - uz * vy);
            faceAreas[at + 1] = 0.5 * (uz * vx - ux * vz);
            faceAreas[at + 2] = 0.5 * (ux * vy - uy * vx);
            return;
        }
        double ex = p[3 * vertices[begin]];
        double ey = p[3 * vertices[begin] + 1];
        double ez = p[3 * vertices[begin] + 2];
        for (int i = begin + 1; i < end; i++) {
            ex += p[3 * vertices[i]];
            ey += p[3 * vertices[i] + 1];
            ez += p[3 * vertices[i] + 2];
        }
        ex /= end - begin;
        ey /= end - begin;
        ez /= end - begin;
        double nx = 0;
        double ny = 0;
        double nz = 0;
        double sum = 0;
        double cx = 0;
        double cy = 0;
        double cz = 0;
        for (int i = begin; i < end; i++) {
            final int a = 3 * vertices[i];
            final int b = 3 * vertices[i + 1 == end ? begin : i + 1];
            final double ux = p[b] - p[a];
            final double uy = p[b + 1] - p[a + 1];
            final double uz = p[b + 2] - p[a + 2];
            final double vx = ex - p[a];
            final double vy = ey - p[a + 1];
            final double vz = ez - p[a + 2];
            final double tx = uy * vz - uz * vy;
            final double ty = uz * vx - ux * vz;
            final double tz = ux * vy - uy * vx;
            final double area = Math.sqrt(tx * tx + ty * ty + tz * tz);
            nx += tx;
            ny += ty;
            nz += tz;
            sum += area;
            cx += area * (p[a] + p[b] + ex);
            cy += area * (p[a + 1] + p[b + 1] + ey);
            cz += area * (p[a + 2] + p[b + 2] + ez);
        }
        final boolean flat = sum < TINY;
        faceCentres[at] = flat ? ex : 1.0 / 3.0 * cx / sum;
        faceCentres[at + 1] = flat ? ey : 1.0 / 3.0 * cy / sum;
        faceCentres[at + 2] = flat ? ez : 1.0 / 3.0 * cz / sum;
        faceAreas[at] = 0.5 * nx;
        faceAreas[at + 1] = 0.5 * ny;
        faceAreas[at + 2] = 0.5 * nz;
    }

    private void measureCells(final Mesh mesh) {
        final int[] owner = mesh.owner();
        final int[] neighbour = mesh.neighbour();
        final double[] estimate = new double[3 * mesh.cells()];
        final int[] count = new int[mesh.cells()];
        for (int face = 0; face < mesh.faces(); face++) {
            addCentre(estimate, count, owner[face], face);
        }
        for (int face = 0; face < neighbour.length; face++) {
            addCentre(estimate, count, neighbour[face], face);
        }
        for (int cell = 0; cell < mesh.cells(); cell++) {
            estimate[3 * cell] /= count[cell];
            estimate[3 * cell + 1] /= count[cell];
            estimate[3 * cell + 2] /= count[cell];
        }
        for (int face = 0; face < mesh.faces(); face++) {
            addPyramid(estimate, owner[face], face, 1);
        }
        for (int face = 0; face < neighbour.length; face++) {
            addPyramid(estimate, neighbour[face], face, -1);
        }
        for (int cell = 0; cell < mesh.cells(); cell++) {
            for (int i = 0; i < 3; i++) {
                cellCentres[3 * cell + i] = Math.abs(cellVolumes[cell]) > TINY
                        ? cellCentres[3 * cell + i] / cellVolumes[cell]
                        : estimate[3 * cell + i];
            }
            cellVolumes[cell] *= 1.0 / 3.0;
        }
    }

    private void addCentre(final double[] estimate, final int[] count, final int cell, final int face) {
        estimate[3 * cell] += faceCentres[3 * face];
        estimate[3 * cell + 1] += faceCentres[3 * face + 1];
        estimate[3 * cell + 2] += faceCentres[3 * face + 2];
        count[cell]++;
    }

    private void addPyramid(final double[] estimate, final int cell, final int face, final int sign) {
        final int c = 3 * cell;
        final int f = 3 * face;
        final double volume = sign
                * (faceAreas[f] * (faceCentres[f] - estimate[c])
                        + faceAreas[f + 1] * (faceCentres[f + 1] - estimate[c + 1])
                        + faceAreas[f + 2] * (faceCentres[f + 2] - estimate[c + 2]));
        for (int i = 0; i < 3; i++) {
            cellCentres[c + i] += volume * (3.0 / 4.0 * faceCentres[f + i] + 1.0 / 4.0 * estimate[c + i]);
        }
        cellVolumes[cell] += volume;
    }
}
