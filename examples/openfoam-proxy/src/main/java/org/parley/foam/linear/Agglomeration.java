package org.parley.foam.linear;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.parley.foam.linear.SolverControls.GamgControls;
import org.parley.foam.parallel.Interface;
import org.parley.foam.parallel.Interfaces;
import org.parley.foam.parallel.Ranks;

/**
 * The coarse levels of a mesh for GAMG: cells are joined in pairs over the face of the largest
 * weight, cell by cell, in alternating directions (OpenFOAM's pair agglomeration). All ranks make as
 * many levels; each rank pairs its own cells.
 */
public final class Agglomeration {
    private static final int MOST_LEVELS = 50;

    /** Gives the levels when a solver needs them. */
    @FunctionalInterface
    public interface Source {
        /**
         * Returns the levels of the mesh.
         *
         * @param controls from fvSolution
         */
        Agglomeration get(GamgControls controls);
    }

    /** From one level to the next coarser. */
    static final class Level {
        /** Of the coarse level. */
        final LduAddressing addressing;

        final Interfaces interfaces;

        /** Coarse cell of each fine one. */
        final int[] restrict;

        /** Coarse face of each fine one, or -1 - the coarse cell that it lies in. */
        final int[] faceRestrict;

        /** Whether the coarse face has its lower cell where the fine one has its upper. */
        final boolean[] flip;

        /** Coarse face of each fine one at each interface. */
        final int[][] interfaceRestrict;

        Level(
                final LduAddressing addressing,
                final Interfaces interfaces,
                final int[] restrict,
                final int[] faceRestrict,
                final boolean[] flip,
                final int[][] interfaceRestrict) {
            this.addressing = addressing;
            this.interfaces = interfaces;
            this.restrict = restrict;
            this.faceRestrict = faceRestrict;
            this.flip = flip;
            this.interfaceRestrict = interfaceRestrict;
        }
    }

    final List<Level> levels = new ArrayList<>();
    final LduAddressing finest;
    private boolean forward = true;

    /**
     * Makes the levels; matching on all ranks.
     *
     * @param addressing of the finest level
     * @param interfaces of the finest level
     * @param faceWeights of its faces
     * @param controls from fvSolution
     * @throws IllegalArgumentException if the mesh is too small for a coarse level
     */
    public Agglomeration(
            final LduAddressing addressing,
            final Interfaces interfaces,
            final double[] faceWeights,
            final GamgControls controls) {
        this.finest = addressing;
        final Ranks ranks = interfaces.ranks();
        LduAddressing fine = addressing;
        Interfaces sides = interfaces;
        double[] weights = faceWeights;
        int pairings = 0;
        while (levels.size() < MOST_LEVELS - 1) {
            final int[] restrict = new int[fine.size];
            final int cells = pair(fine, weights, restrict);
            final double[] totals = {cells, fine.size};
            ranks.sum(totals);
            if (totals[0] < (double) ranks.size() * controls.cellsInCoarsestLevel() || totals[0] >= totals[1]) {
                break;
            }
            final Level level = coarsen(fine, sides, restrict, cells);
            final double[] coarseWeights = new double[level.addressing.upper.length];
            for (int f = 0; f < weights.length; f++) {
                if (level.faceRestrict[f] >= 0) {
                    coarseWeights[level.faceRestrict[f]] += weights[f];
                }
            }
            if (pairings % controls.mergeLevels() != 0) {
                levels.set(levels.size() - 1, merge(levels.get(levels.size() - 1), level));
            } else {
                levels.add(level);
            }
            pairings++;
            fine = level.addressing;
            sides = level.interfaces;
            weights = coarseWeights;
        }
        if (levels.isEmpty()) {
            throw new IllegalArgumentException("GAMG: the mesh is too small for nCellsInCoarsestLevel "
                    + controls.cellsInCoarsestLevel() + ": take a smaller one, or another solver");
        }
    }

    private int pair(final LduAddressing fine, final double[] weights, final int[] map) {
        Arrays.fill(map, -1);
        int coarse = 0;
        for (int step = 0; step < fine.size; step++) {
            final int c = forward ? step : fine.size - 1 - step;
            if (map[c] >= 0) {
                continue;
            }
            final int free = heaviest(fine, weights, c, map);
            if (free >= 0) {
                map[fine.lower[free]] = coarse;
                map[fine.upper[free]] = coarse;
                coarse++;
            } else {
                final int any = heaviest(fine, weights, c, null);
                if (any >= 0) {
                    map[c] = Math.max(map[fine.lower[any]], map[fine.upper[any]]);
                }
            }
        }
        for (int step = 0; step < fine.size; step++) {
            final int c = forward ? step : fine.size - 1 - step;
            if (map[c] < 0) {
                map[c] = coarse++;
            }
        }
        if (!forward) {
            for (int c = 0; c < map.length; c++) {
                map[c] = coarse - 1 - map[c];
            }
        }
        forward = !forward;
        return coarse;
    }

    /** The heaviest face of a cell whose two cells are both free yet, or of all its faces; -1 if there is none. */
    private static int heaviest(final LduAddressing fine, final double[] weights, final int cell, final int[] map) {
        int best = -1;
        double most = -1e15;
        // Faces to lower cells first, then to upper ones: that decides among equals.
        for (int k = fine.losortStart[cell]; k < fine.losortStart[cell + 1]; k++) {
            final int f = fine.losort[k];
            if (weights[f] > most && (map == null || map[fine.lower[f]] < 0)) {
                best = f;
                most = weights[f];
            }
        }
        for (int f = fine.ownerStart[cell]; f < fine.ownerStart[cell + 1]; f++) {
            if (weights[f] > most && (map == null || map[fine.upper[f]] < 0)) {
                best = f;
                most = weights[f];
            }
        }
        return best;
    }

    private static Level coarsen(
            final LduAddressing fine, final Interfaces sides, final int[] restrict, final int cells) {
        final int faces = fine.upper.length;
        final int[] first = new int[cells];
        final int[] last = new int[cells];
        Arrays.fill(first, -1);
        final int[] following = new int[faces];
        final int[] neighbour = new int[faces];
        final int[] faceRestrict = new int[faces];
        int found = 0;
        for (int f = 0; f < faces; f++) {
            final int a = restrict[fine.upper[f]];
            final int b = restrict[fine.lower[f]];
            if (a == b) {
                faceRestrict[f] = -1 - a;
                continue;
            }
            final int own = Math.min(a, b);
            final int other = Math.max(a, b);
            int known = first[own];
            while (known >= 0 && neighbour[known] != other) {
                known = following[known];
            }
            if (known < 0) {
                known = found++;
                neighbour[known] = other;
                following[known] = -1;
                if (first[own] < 0) {
                    first[own] = known;
                } else {
                    following[last[own]] = known;
                }
                last[own] = known;
            }
            faceRestrict[f] = known;
        }
        final int[] lower = new int[found];
        final int[] upper = new int[found];
        final int[] number = new int[found];
        int next = 0;
        for (int c = 0; c < cells; c++) {
            for (int face = first[c]; face >= 0; face = following[face]) {
                lower[next] = c;
                upper[next] = neighbour[face];
                number[face] = next++;
            }
        }
        final boolean[] flip = new boolean[faces];
        for (int f = 0; f < faces; f++) {
            if (faceRestrict[f] >= 0) {
                faceRestrict[f] = number[faceRestrict[f]];
                flip[f] = lower[faceRestrict[f]] == restrict[fine.upper[f]];
            }
        }
        final int[][] interfaceRestrict = new int[sides.count()][];
        final Interfaces coarseSides = coarsen(sides, restrict, interfaceRestrict);
        return new Level(
                new LduAddressing(cells, lower, upper), coarseSides, restrict, faceRestrict, flip, interfaceRestrict);
    }

    /** Joins the faces of each interface that have the same coarse cells on both sides. */
    private static Interfaces coarsen(final Interfaces sides, final int[] restrict, final int[][] interfaceRestrict) {
        final double[] field = new double[restrict.length];
        for (int c = 0; c < restrict.length; c++) {
            field[c] = restrict[c];
        }
        sides.start(field);
        sides.finish();
        final List<Interface> coarse = new ArrayList<>();
        for (int n = 0; n < sides.count(); n++) {
            final Interface side = sides.get(n);
            final Map<Long, Integer> known = new HashMap<>();
            final int[] cells = new int[side.size()];
            interfaceRestrict[n] = new int[side.size()];
            for (int i = 0; i < side.size(); i++) {
                final int mine = restrict[side.faceCells[i]];
                final long key = ((long) mine << 32) | (long) side.values[i];
                final int number = known.computeIfAbsent(key, k -> known.size());
                cells[number] = mine;
                interfaceRestrict[n][i] = number;
            }
            final int[] faceCells = Arrays.copyOf(cells, known.size());
            coarse.add(
                    side.neighbour >= 0
                            ? Interface.processor(faceCells, side.neighbour)
                            : Interface.cyclic(faceCells, side.partner));
        }
        return new Interfaces(sides.ranks(), coarse);
    }

    private static Level merge(final Level finer, final Level coarser) {
        final int[] restrict = finer.restrict;
        for (int c = 0; c < restrict.length; c++) {
            restrict[c] = coarser.restrict[restrict[c]];
        }
        final int[] faces = finer.faceRestrict;
        final boolean[] flip = finer.flip;
        for (int f = 0; f < faces.length; f++) {
            if (faces[f] >= 0) {
                flip[f] ^= coarser.flip[faces[f]];
                faces[f] = coarser.faceRestrict[faces[f]];
            } else {
                faces[f] = -1 - coarser.restrict[-1 - faces[f]];
            }
        }
        for (int n = 0; n < finer.interfaceRestrict.length; n++) {
            final int[] sides = finer.interfaceRestrict[n];
            for (int i = 0; i < sides.length; i++) {
                sides[i] = coarser.interfaceRestrict[n][sides[i]];
            }
        }
        return new Level(coarser.addressing, coarser.interfaces, restrict, faces, flip, finer.interfaceRestrict);
    }
}
