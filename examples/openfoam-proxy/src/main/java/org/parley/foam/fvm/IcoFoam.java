package org.parley.foam.fvm;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import org.parley.Communicator;
import org.parley.foam.Case;
import org.parley.foam.Field;
import org.parley.foam.RunTime;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.parallel.CommsType;
import org.parley.foam.parallel.Ranks;

/**
 * icoFoam: transient, incompressible, laminar flow of a Newtonian fluid. It reads the case's fields
 * at the start time, makes the steps, writes the log and the fields. Of one thread a rank.
 */
public final class IcoFoam {
    private final Case caze;
    private final Ranks ranks;
    private final PrintStream out;
    private final long started = System.nanoTime();

    /**
     * Makes the solver of a rank's part of a case.
     *
     * @param caze the case, or the rank's part of it
     * @param world all ranks, or null for one alone
     * @param out where the first rank's log goes; null for nowhere
     */
    public IcoFoam(final Case caze, final Communicator world, final PrintStream out) {
        this.caze = caze;
        final Dictionary switches = caze.controlDict().dictionaryOrEmpty("OptimisationSwitches");
        this.ranks = new Ranks(world, switches.integer("nProcsSimpleSum", 0), commsType(switches));
        this.out = ranks.master() ? out : null;
    }

    private static CommsType commsType(final Dictionary switches) {
        try {
            return CommsType.of(switches.word("commsType", "nonBlocking"));
        } catch (final IllegalArgumentException e) {
            throw switches.error("commsType", e.getMessage());
        }
    }

    /** Returns the ranks, with the account of their time. */
    public Ranks ranks() {
        return ranks;
    }

    /** Runs the case to its end; on all ranks together. */
    public void run() {
        final Log log = new Log(out, caze.writePrecision());
        log.line("Create time\n");
        final RunTime time = caze.runTime(mine -> -ranks.max(-mine));
        log.line("Create mesh for time = " + time.name() + "\n");
        final Schemes schemes = new Schemes(caze.fvSchemes());
        final FvMesh mesh = new FvMesh(caze.mesh(), ranks, schemes.needsPlaces());
        log.line("\nPISO: Operating solver in PISO mode\n\nReading transportProperties\n\nReading field p\n");
        final double nu = caze.transportProperties().number("nu");
        final VolField p = new VolField(mesh, caze.readField(time.name(), "p", Field.Kind.VOL_SCALAR));
        log.line("Reading field U\n");
        final VolField u = new VolField(mesh, caze.readField(time.name(), "U", Field.Kind.VOL_VECTOR));
        log.line("Reading/calculating face flux field phi\n");
        final double[] phi = flux(mesh, time.name(), "phi", u);
        final Piso piso = new Piso(mesh, log, schemes, caze.fvSolution(), nu, u, p, phi, caze.mesh()::cellAt);
        if (caze.exists(time.name() + "/U_0")) {
            final VolField before = new VolField(mesh, caze.readField(time.name(), "U_0", Field.Kind.VOL_VECTOR));
            piso.time().restore(before.inside, before.boundary, flux(mesh, time.name(), "phi_0", before));
        }
        // What is left of reading is more than what is computed with: the heap begins anew without it.
        caze.forgetMesh();
        System.gc();
        log.line("\nStarting time loop\n");
        while (time.loop()) {
            log.line("Time = " + time.name() + "\n");
            piso.step(time.deltaT(), time.previousDeltaT());
            if (time.isWriteTime()) {
                final long begun = System.nanoTime();
                time.write(() -> write(mesh, time.name(), u, p, phi, piso.time()));
                ranks.profile().exclude(System.nanoTime() - begun);
            }
            log.line("ExecutionTime = " + log.number(cpuSeconds()) + " s  ClockTime = "
                    + (System.nanoTime() - started) / 1_000_000_000L + " s\n");
        }
        log.line("End\n");
        if (ranks.size() > 1) {
            Report.print(ranks, log);
        }
    }

    /** To hundredths, as OpenFOAM's clock has them. */
    private static double cpuSeconds() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 10_000_000L / 100.0;
    }

    private double[] flux(final FvMesh mesh, final String time, final String name, final VolField u) {
        if (caze.exists(time + "/" + name)) {
            return VolField.flux(mesh, caze.readField(time, name, Field.Kind.SURFACE_SCALAR));
        }
        final double[] phi = new double[mesh.faces];
        new Operators(mesh).flux(phi, u.inside, u.boundary);
        return phi;
    }

    private void write(
            final FvMesh mesh,
            final String time,
            final VolField u,
            final VolField p,
            final double[] phi,
            final TimeScheme scheme) {
        caze.writeField(time, u.toFile("U", u.inside, u.boundary));
        caze.writeField(time, p.toFile("p", p.inside, p.boundary));
        caze.writeField(time, VolField.fluxFile(mesh, "phi", phi));
        if (scheme.hasOlder()) {
            caze.writeField(time, u.toFile("U_0", scheme.old, scheme.oldBoundary));
            caze.writeField(time, VolField.fluxFile(mesh, "phi_0", scheme.phiOld));
        }
    }
}
