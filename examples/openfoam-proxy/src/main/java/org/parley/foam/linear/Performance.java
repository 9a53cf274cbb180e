package org.parley.foam.linear;

/** What a solver did: OpenFOAM's solverPerformance. */
public final class Performance {
    /** What is added to norms so that nothing is divided by zero. */
    static final double SMALL = 1e-20;

    private static final double VSMALL = 1e-300;

    /** Solver as the log names it, its preconditioner in front. */
    public final String solver;

    /** Normalised residual before the first iteration. */
    public double initialResidual;

    /** Normalised residual after the last. */
    public double finalResidual;

    /** How many iterations were made. */
    public int iterations;

    /** Whether the solver stopped because the system is singular. */
    public boolean singular;

    Performance(final String solver) {
        this.solver = solver;
    }

    boolean converged(final SolverControls controls) {
        return finalResidual < controls.tolerance()
                || controls.relTol() > SMALL && finalResidual < controls.relTol() * initialResidual;
    }

    /** Counts iterations; returns whether there are more to come. */
    boolean goOn(final int more, final SolverControls controls) {
        iterations += more;
        return iterations < controls.maxIter() && !converged(controls) || iterations < controls.minIter();
    }

    boolean checkSingular(final double value) {
        singular = value < VSMALL;
        return singular;
    }
}
