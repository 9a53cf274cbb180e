package org.parley.foam.mesh;

import java.util.List;

/**
 * A mesh of polyhedra as OpenFOAM has it: faces with an owner and, if inside, a neighbour of a higher label, internal
 * faces first and in upper-triangular order, then the patches' faces. A face's area vector points out of its owner.
 * Arrays are the mesh's own: read them, never write. Any thread may read.
 */
public final class Mesh {
    private final double[] points;
    private final int[] faceStarts;
    private final int[] faceVertices;
    private final int[] owner;
    private final int[] neighbour;
    private final List<Patch> patches;
    private final int cells;
    private Geometry geometry;

    /**
     * A mesh of what the files points, faces, owner, neighbour and boundary hold.
     *
     * @param points x, y, z of each.
     * @param faceStarts where in {@code faceVertices} each face begins, and where the last one ends.
     * @param faceVertices the points of the faces.
     * @param owner a cell for each face.
     * @param neighbour a cell for each internal face.
     * @param patches in the order of their faces.
     */
    public Mesh(
            final double[] points,
            final int[] faceStarts,
            final int[] faceVertices,
            final int[] owner,
            final int[] neighbour,
            final List<Patch> patches) {
        this.points = points;
        this.faceStarts = faceStarts;
        this.faceVertices = faceVertices;
        this.owner = owner;
        this.neighbour = neighbour;
        this.patches = List.copyOf(patches);
        int last = -1;
        for (final int cell : owner) {
            last = Math.max(last, cell);
        }
        for (final int cell : neighbour) {
            last = Math.max(last, cell);
        }
        this.cells = last + 1;
    }

    /**
     * How many cells.
     *
     * @return the number.
     */
    public int cells() {
        return cells;
    }

    /**
     * How many faces, with those of the boundary.
     *
     * @return the number.
     */
    public int faces() {
        return owner.length;
    }

    /**
     * How many faces lie between two cells of this mesh; they have the lowest labels.
     *
     * @return the number.
     */
    public int internalFaces() {
        return neighbour.length;
    }

    /**
     * The points.
     *
     * @return x, y, z of each.
     */
    public double[] points() {
        return points;
    }

    /**
     * Where each face begins in {@link #faceVertices}, and where the last one ends.
     *
     * @return one more than there are faces.
     */
    public int[] faceStarts() {
        return faceStarts;
    }

    /**
     * The faces' points, by the right hand around the area vector.
     *
     * @return the points of all faces.
     */
    public int[] faceVertices() {
        return faceVertices;
    }

    /**
     * The cell that each face's area vector points out of.
     *
     * @return one for each face.
     */
    public int[] owner() {
        return owner;
    }

    /**
     * The cell that each internal face's area vector points into.
     *
     * @return one for each internal face.
     */
    public int[] neighbour() {
        return neighbour;
    }

    /**
     * The patches.
     *
     * @return in the order of their faces.
     */
    public List<Patch> patches() {
        return patches;
    }

    /**
     * The patch of a name.
     *
     * @param name which.
     * @return its place in {@link #patches}; -1 if there is none.
     */
    public int patch(final String name) {
        for (int i = 0; i < patches.size(); i++) {
            if (patches.get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Face centres.
     *
     * @return x, y, z of each face.
     */
    public double[] faceCentres() {
        return geometry().faceCentres;
    }

    /**
     * Face area vectors.
     *
     * @return x, y, z of each face.
     */
    public double[] faceAreas() {
        return geometry().faceAreas;
    }

    /**
     * Cell centres.
     *
     * @return x, y, z of each cell.
     */
    public double[] cellCentres() {
        return geometry().cellCentres;
    }

    /**
     * Cell volumes.
     *
     * @return one for each cell.
     */
    public double[] cellVolumes() {
        return geometry().cellVolumes;
    }

    /**
     * The cell that a point lies in: on the inner side of all its faces.
     *
     * @param point x, y, z.
     * @return the lowest of them, should it lie between several; -1 if it lies in none.
     */
    public int cellAt(final double[] point) {
        final double[] areas = faceAreas();
        final double[] centres = faceCentres();
        final boolean[] outside = new boolean[cells];
        for (int face = 0; face < faces(); face++) {
            double way = 0;
            for (int d = 0; d < 3; d++) {
                way += areas[3 * face + d] * (point[d] - centres[3 * face + d]);
            }
            if (way > 0) {
                outside[owner[face]] = true;
            } else if (way < 0 && face < neighbour.length) {
                outside[neighbour[face]] = true;
            }
        }
        for (int cell = 0; cell < cells; cell++) {
            if (!outside[cell]) {
                return cell;
            }
        }
        return -1;
    }

    private synchronized Geometry geometry() {
        if (geometry == null) {
            geometry = new Geometry(this);
        }
        return geometry;
    }
}
