package org.parley.foam.fvm;

import java.io.PrintStream;
import org.parley.foam.dictionary.FoamException;
import org.parley.foam.dictionary.Numbers;
import org.parley.foam.linear.Performance;

/** The log as icoFoam writes it; only the first rank's is printed. */
final class Log {
    private final PrintStream out;
    private final int precision;

    /**
     * Makes a log.
     *
     * @param out where to, or null for nowhere
     * @param precision digits of numbers
     */
    Log(final PrintStream out, final int precision) {
        this.out = out;
        this.precision = precision;
    }

    /** Prints a line, or several. */
    void line(final String text) {
        if (out != null) {
            out.print(text + "\n");
            out.flush();
        }
    }

    String number(final double value) {
        return Numbers.format(value, precision);
    }

    void solved(final String field, final Performance performance) {
        line(performance.solver + ":  Solving for " + field
                + (performance.singular
                        ? ":  solution singularity"
                        : ", Initial residual = " + number(performance.initialResidual) + ", Final residual = "
                                + number(performance.finalResidual) + ", No Iterations " + performance.iterations));
        if (Double.isNaN(performance.finalResidual)) {
            throw new FoamException("the solution for " + field
                    + " has diverged: its residual is no number; a smaller deltaT, or tighter tolerances, may help");
        }
    }
}
