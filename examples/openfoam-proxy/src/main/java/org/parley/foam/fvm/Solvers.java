package org.parley.foam.fvm;

import java.util.HashMap;
import java.util.Map;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.linear.Solver;
import org.parley.foam.linear.SolverControls;
import org.parley.foam.linear.SolverControls.GamgControls;
import org.parley.foam.linear.Workspace;

/** The solvers that fvSolution names, by field; each is made once. */
final class Solvers {
    private final FvMesh mesh;
    private final Dictionary solvers;
    private final Workspace work;
    private final Map<String, Solver> made = new HashMap<>();

    Solvers(final FvMesh mesh, final Dictionary fvSolution) {
        this.mesh = mesh;
        this.work = new Workspace(mesh.addressing);
        this.solvers = fvSolution.dictionary("solvers");
    }

    /**
     * Returns a solver.
     *
     * @param field name of the entry, such as pFinal
     * @param symmetric whether its matrices are
     */
    Solver get(final String field, final boolean symmetric) {
        return made.computeIfAbsent(field, f -> create(solvers.dictionary(f), symmetric));
    }

    private Solver create(final Dictionary entry, final boolean symmetric) {
        try {
            return Solver.create(controls(entry), work, symmetric, mesh::agglomeration);
        } catch (final IllegalArgumentException e) {
            throw entry.error("solver", e.getMessage());
        }
    }

    private static SolverControls controls(final Dictionary entry) {
        final String solver = entry.word("solver");
        final boolean smooths = solver.equals("smoothSolver") || solver.equals("GAMG");
        if (solver.equals("GAMG")) {
            refuse(entry, "agglomerator", "faceAreaPair");
            if (entry.flag("directSolveCoarsest", false) || entry.flag("interpolateCorrection", false)) {
                throw entry.error("solver", "GAMG without directSolveCoarsest and interpolateCorrection is supported");
            }
            if (entry.has("processorAgglomerator")) {
                throw entry.error("processorAgglomerator", "processorAgglomerator is not supported: leave it out");
            }
        }
        return new SolverControls(
                solver,
                smooths ? "" : entry.word("preconditioner"),
                smooths ? entry.word("smoother") : "",
                entry.number("tolerance", 1e-6),
                entry.number("relTol", 0),
                entry.integer("minIter", 0),
                entry.integer("maxIter", 1000),
                entry.integer("nSweeps", 1),
                gamg(entry));
    }

    private static void refuse(final Dictionary entry, final String keyword, final String only) {
        if (!entry.word(keyword, only).equals(only)) {
            throw entry.error(keyword, keyword + " '" + entry.word(keyword) + "' is not supported: " + only + " is");
        }
    }

    private static GamgControls gamg(final Dictionary entry) {
        final GamgControls usual = GamgControls.DEFAULT;
        return new GamgControls(
                entry.integer("nCellsInCoarsestLevel", usual.cellsInCoarsestLevel()),
                entry.integer("mergeLevels", usual.mergeLevels()),
                entry.flag("cacheAgglomeration", usual.cacheAgglomeration()),
                entry.integer("nPreSweeps", usual.preSweeps()),
                entry.integer("preSweepsLevelMultiplier", usual.preSweepsLevelMultiplier()),
                entry.integer("maxPreSweeps", usual.maxPreSweeps()),
                entry.integer("nPostSweeps", usual.postSweeps()),
                entry.integer("postSweepsLevelMultiplier", usual.postSweepsLevelMultiplier()),
                entry.integer("maxPostSweeps", usual.maxPostSweeps()),
                entry.integer("nFinestSweeps", usual.finestSweeps()),
                entry.has("scaleCorrection") ? Boolean.valueOf(entry.flag("scaleCorrection", true)) : null);
    }
}
