package org.parley.foam.linear;

import java.util.ArrayList;
import java.util.List;

/**
 * Arrays that solvers work in. None keeps anything in them from one solution to the next, so the solvers of all fields
 * of one mesh have the same. Of one thread.
 */
public final class Workspace {
    /** Which cells the faces join, for those who want to know their shape. */
    final LduAddressing addressing;

    private final List<double[]> arrays = new ArrayList<>();
    private int taken;

    /**
     * Makes a workspace without arrays.
     *
     * @param addressing of the mesh
     */
    public Workspace(final LduAddressing addressing) {
        this.addressing = addressing;
    }

    /** Another solver takes its arrays, from the first on. */
    void begin() {
        taken = 0;
    }

    /** Returns so many arrays that the solver has not taken yet. */
    double[][] take(final int count) {
        final double[][] several = new double[count][];
        for (int i = 0; i < count; i++) {
            several[i] = take();
        }
        return several;
    }

    /** Returns an array that the solver has not taken yet, with whatever is in it. */
    double[] take() {
        if (taken == arrays.size()) {
            arrays.add(new double[addressing.size]);
        }
        return arrays.get(taken++);
    }
}
