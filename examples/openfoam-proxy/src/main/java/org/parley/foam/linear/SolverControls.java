package org.parley.foam.linear;

/**
 * What fvSolution says of one field's solver.
 *
 * @param solver PCG, PBiCG, PBiCGStab, smoothSolver or GAMG
 * @param preconditioner DIC, DILU, diagonal or none, for the first three
 * @param smoother GaussSeidel or symGaussSeidel, for the last two
 * @param tolerance residual at which iterations end
 * @param relTol the same, relative to the initial residual; 0 for not so
 * @param minIter fewest iterations
 * @param maxIter most iterations
 * @param sweeps sweeps of the smoother between two looks at the residual
 * @param gamg what only GAMG wants
 */
public record SolverControls(
        String solver,
        String preconditioner,
        String smoother,
        double tolerance,
        double relTol,
        int minIter,
        int maxIter,
        int sweeps,
        GamgControls gamg) {

    /**
     * What fvSolution says of GAMG.
     *
     * @param cellsInCoarsestLevel fewest cells a rank on the coarsest level
     * @param mergeLevels how many pairings make one level
     * @param cacheAgglomeration whether levels are kept from one solution to the next
     * @param preSweeps sweeps on the way down
     * @param preSweepsLevelMultiplier how many more a level
     * @param maxPreSweeps most of them
     * @param postSweeps sweeps on the way up
     * @param postSweepsLevelMultiplier how many more a level
     * @param maxPostSweeps most of them
     * @param finestSweeps sweeps on the finest level
     * @param scaleCorrection whether corrections are scaled; null for as the matrix is symmetric
     */
    public record GamgControls(
            int cellsInCoarsestLevel,
            int mergeLevels,
            boolean cacheAgglomeration,
            int preSweeps,
            int preSweepsLevelMultiplier,
            int maxPreSweeps,
            int postSweeps,
            int postSweepsLevelMultiplier,
            int maxPostSweeps,
            int finestSweeps,
            Boolean scaleCorrection) {
        /** OpenFOAM's defaults. */
        public static final GamgControls DEFAULT = new GamgControls(10, 1, true, 0, 1, 4, 2, 1, 4, 2, null);
    }

    /**
     * Returns PCG or PBiCGStab, whichever suits the matrix, with tolerances.
     *
     * @param symmetric whether the matrix is
     * @param tolerance absolute
     * @param relTol relative
     */
    static SolverControls coarsest(final boolean symmetric, final double tolerance, final double relTol) {
        return new SolverControls(
                symmetric ? "PCG" : "PBiCGStab",
                symmetric ? "DIC" : "DILU",
                "",
                tolerance,
                relTol,
                0,
                1000,
                1,
                GamgControls.DEFAULT);
    }
}
