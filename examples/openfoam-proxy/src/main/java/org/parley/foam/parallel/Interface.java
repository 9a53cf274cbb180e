package org.parley.foam.parallel;

import org.parley.Request;

/**
 * A patch whose faces join cells to cells elsewhere: on another rank (processor), or on another
 * patch of the same rank (cyclic). The faces of both sides are in the same order.
 */
public final class Interface {
    /** Cell at each face. */
    public final int[] faceCells;

    /** Neighbouring rank, or -1 for a cyclic patch. */
    public final int neighbour;

    /** Of a cyclic patch: index of the other side among the interfaces. */
    public final int partner;

    /** What came from the other side in the last exchange: component by component. */
    public double[] values;

    double[] outgoing;
    Request sending;
    Request receiving;

    private Interface(final int[] faceCells, final int neighbour, final int partner) {
        this.faceCells = faceCells;
        this.neighbour = neighbour;
        this.partner = partner;
        this.values = new double[faceCells.length];
        this.outgoing = new double[faceCells.length];
    }

    /**
     * Makes the interface of a processor patch.
     *
     * @param faceCells cell at each face
     * @param neighbour rank on the other side
     */
    public static Interface processor(final int[] faceCells, final int neighbour) {
        return new Interface(faceCells, neighbour, -1);
    }

    /**
     * Makes the interface of one side of a pair of cyclic patches.
     *
     * @param faceCells cell at each face
     * @param partner index of the other side among the interfaces
     */
    public static Interface cyclic(final int[] faceCells, final int partner) {
        return new Interface(faceCells, -1, partner);
    }

    /** Returns how many faces there are. */
    public int size() {
        return faceCells.length;
    }

    void room(final int components) {
        final int wanted = components * faceCells.length;
        if (values.length < wanted) {
            values = new double[wanted];
            outgoing = new double[wanted];
        }
    }

    void pack(final double[] field, final int component) {
        final int[] cells = faceCells;
        final double[] to = outgoing;
        final int offset = component * cells.length;
        for (int i = 0; i < cells.length; i++) {
            to[offset + i] = field[cells[i]];
        }
    }
}
