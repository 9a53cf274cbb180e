package org.parley.foam;

import java.util.ArrayDeque;
import java.util.Locale;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.DoubleUnaryOperator;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.dictionary.FoamException;
import org.parley.foam.dictionary.Numbers;

/** The clock of a run, by controlDict: the step, when to write, when to end, and the names of times. Of one thread. */
public final class RunTime {
    private static final int MOST_DIGITS = 18;
    private static final double SMALL = 1e-15;

    private final Case caze;
    private final Consumer<RunTime> onStep;
    private final Dictionary control;
    private final String format;
    private final boolean byStep;
    private final double writeInterval;
    private final double startTime;
    private final double deltaT;
    private final String stopAt;
    private final int purgeWrite;
    private final Queue<String> written = new ArrayDeque<>();
    private int precision;
    private double endTime;
    private double value;
    private String name;
    private int index;
    private int writeIndex;
    private boolean writeTime;

    RunTime(final Case caze, final Consumer<RunTime> onStep, final DoubleUnaryOperator earliest) {
        this.caze = caze;
        this.onStep = onStep;
        this.control = caze.controlDict();
        format = control.word("timeFormat", "general");
        if (!format.matches("general|fixed|scientific")) {
            throw control.error(
                    "timeFormat", "timeFormat '" + format + "' is unknown: general, fixed and scientific are known");
        }
        precision = control.integer("timePrecision", Numbers.PRECISION);
        deltaT = control.number("deltaT");
        if (!(deltaT > 0)) {
            throw control.error("deltaT", "deltaT " + deltaT + " has to be more than 0");
        }
        if (control.flag("adjustTimeStep", false)) {
            throw control.error("adjustTimeStep", "adjustTimeStep is not supported: icoFoam does not adjust it");
        }
        final String writeControl = control.word("writeControl", "timeStep");
        byStep = writeControl.equals("timeStep");
        if (!byStep && !writeControl.matches("runTime|adjustableRunTime|adjustable")) {
            throw control.error(
                    "writeControl",
                    "writeControl '" + writeControl + "' is not supported: timeStep, runTime, adjustableRunTime are");
        }
        final String interval =
                !control.has("writeInterval") && control.has("writeFrequency") ? "writeFrequency" : "writeInterval";
        writeInterval = control.number(interval);
        if (byStep ? writeInterval < 1 : !(writeInterval > 0)) {
            throw control.error(interval, interval + " " + writeInterval + " is too small for " + writeControl);
        }
        purgeWrite = Math.max(0, control.integer("purgeWrite", 0));
        stopAt = control.word("stopAt", "endTime");
        endTime = switch (stopAt) {
            case "endTime" -> control.has("stopAt") ? control.number("endTime") : control.number("endTime", 0);
            case "nextWrite", "writeNow", "noWriteNow" -> Double.MAX_VALUE;
            default ->
                throw control.error(
                        "stopAt",
                        "stopAt '" + stopAt + "' is unknown: endTime, nextWrite, writeNow, noWriteNow are known");
        };
        startTime = earliest.applyAsDouble(startTime());
        value = startTime;
        name = nameAtStart();
        if (caze.exists(name + "/uniform/time")) {
            final Dictionary state = caze.dictionary(name + "/uniform/time");
            index = state.integer("index", 0);
        }
    }

    private double startTime() {
        final String startFrom = control.word("startFrom", "latestTime");
        final double[] times = caze.times();
        return switch (startFrom) {
            case "startTime" -> control.number("startTime");
            case "firstTime" -> times.length == 0 ? 0 : times[0];
            case "latestTime" -> times.length == 0 ? 0 : times[times.length - 1];
            default ->
                throw control.error(
                        "startFrom",
                        "startFrom '" + startFrom + "' is unknown: startTime, firstTime and latestTime are known");
        };
    }

    /** A folder that was written with more digits raises the precision. */
    private String nameAtStart() {
        final String usual = name(value);
        if (caze.exists(usual)) {
            return usual;
        }
        final int before = precision;
        while (precision < MOST_DIGITS) {
            precision++;
            if (caze.exists(name(value))) {
                return name(value);
            }
        }
        precision = before;
        final String found = caze.timeFolder(value);
        if (found == null) {
            throw new FoamException(
                    caze.folder(), 0, "has no folder of the start time " + usual + " (startFrom, startTime)");
        }
        return found;
    }

    /**
     * Whether a step remains; if so, makes it: {@code while (time.loop()) { ... }}.
     *
     * @return whether.
     */
    public boolean loop() {
        if (!(value < endTime - 0.5 * deltaT)) {
            return false;
        }
        final double before = value;
        value += deltaT;
        index++;
        if (Math.abs(value) < 10 * SMALL * deltaT) {
            value = 0;
        }
        name = name(value);
        if (byStep) {
            writeTime = index % (int) writeInterval == 0;
        } else {
            final int now = (int) ((value - startTime + 0.5 * deltaT) / writeInterval);
            writeTime = now > writeIndex;
            writeIndex = Math.max(now, writeIndex);
        }
        if (stopAt.equals("noWriteNow") || stopAt.equals("writeNow") || stopAt.equals("nextWrite") && writeTime) {
            endTime = value;
            writeTime |= stopAt.equals("writeNow");
        }
        if (writeTime) {
            final double tolerance = Math.max(Math.min(Math.pow(10, -precision), 0.1 * deltaT), SMALL);
            while (precision < MOST_DIGITS && Math.abs(Double.parseDouble(name) - before - deltaT) > tolerance) {
                precision++;
                name = name(value);
            }
        }
        onStep.accept(this);
        return true;
    }

    /**
     * The time now.
     *
     * @return in seconds.
     */
    public double value() {
        return value;
    }

    /**
     * The time now as its folder is named and as the log prints it.
     *
     * @return by timeFormat and timePrecision.
     */
    public String name() {
        return name;
    }

    /**
     * How many steps, with those before a restart.
     *
     * @return the number.
     */
    public int index() {
        return index;
    }

    /**
     * The step.
     *
     * @return in seconds.
     */
    public double deltaT() {
        return deltaT;
    }

    /**
     * The step before this one: the same, as icoFoam does not adjust it, and after a restart as OpenFOAM takes it.
     *
     * @return in seconds.
     */
    public double previousDeltaT() {
        return deltaT;
    }

    /**
     * When the run ends.
     *
     * @return in seconds.
     */
    public double endTime() {
        return endTime;
    }

    /**
     * Where the run began.
     *
     * @return in seconds.
     */
    public double startValue() {
        return startTime;
    }

    /**
     * Whether fields are to be written now.
     *
     * @return whether.
     */
    public boolean isWriteTime() {
        return writeTime;
    }

    /**
     * Writes the time now: fields, and {@code uniform/time}, from which a restart takes the number of the step; then
     * removes what purgeWrite says is too old.
     *
     * @param fields writes the fields, by the case.
     */
    public void write(final Runnable fields) {
        caze.writeTime(name, () -> {
            fields.run();
            writeState();
        });
        written.add(name);
        while (purgeWrite > 0 && written.size() > purgeWrite) {
            caze.remove(written.remove());
        }
    }

    private void writeState() {
        final Dictionary state = new Dictionary("time");
        state.put("value", Numbers.format(value, MOST_DIGITS));
        state.put("name", '"' + name + '"');
        state.put("index", Integer.toString(index));
        state.put("deltaT", Numbers.format(deltaT, caze.writePrecision()));
        state.put("deltaT0", Numbers.format(deltaT, caze.writePrecision()));
        caze.writeDictionary(name + "/uniform/time", state);
    }

    /**
     * How OpenFOAM names a time's folder.
     *
     * @param time in seconds.
     * @return by timeFormat and timePrecision.
     */
    public String name(final double time) {
        return switch (format) {
            case "fixed" -> String.format(Locale.ROOT, "%." + precision + "f", time);
            case "scientific" -> String.format(Locale.ROOT, "%." + precision + "e", time);
            default -> Numbers.format(time, precision);
        };
    }
}
