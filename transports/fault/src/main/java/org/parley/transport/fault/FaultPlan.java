package org.parley.transport.fault;

import java.util.List;
import org.parley.transport.Option;
import org.parley.transport.TransportContext;

/**
 * What goes wrong how often, in thousandths, and the seed from which chance is drawn. Immutable.
 *
 * <p>Within the contract of transports are: {@code refuse}, {@code hold}, {@code shorten}, {@code
 * hide}, {@code bar}, {@code spoil} and {@code linger}. The others break it; layers that promise to mend that are tested with them.
 *
 * @param seed same seed, same faults, as long as the calls are the same
 * @param refuse claims that find no room
 * @param hold arrived frames and ended fetches that are kept back for some polls, with all behind
 *     them
 * @param shorten polls that hand over one frame per peer at most
 * @param hide calls of {@code expose} that return 0
 * @param bar peers whose memory cannot be read
 * @param spoil fetches that end with a failure
 * @param drop arrived frames that are lost
 * @param duplicate arrived frames that are handed over twice
 * @param reorder arrived frames that are handed over after the next one
 * @param corrupt arrived frames of which one bit is changed
 * @param cut arrived frames that are lost with all behind them, because the link goes down
 * @param linger frames that may leave later, and wait for the next claim or poll of their sender
 */
public record FaultPlan(
        long seed,
        int refuse,
        int hold,
        int shorten,
        int hide,
        int bar,
        int spoil,
        int drop,
        int duplicate,
        int reorder,
        int corrupt,
        int cut,
        int linger) {

    /** The option with the seed; 0 switches all faults off. */
    public static final String SEED = "fault.seed";

    /** Nothing goes wrong. */
    public static final FaultPlan NONE = new FaultPlan(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    private static final int CERTAIN = 1000;

    /** Checks the parts. */
    public FaultPlan {
        for (final int part :
                new int[] {refuse, hold, shorten, hide, bar, spoil, drop, duplicate, reorder, corrupt, cut, linger}) {
            if (part < 0 || part > CERTAIN) {
                throw new IllegalArgumentException("a part is " + part + " thousandths, must be 0 to " + CERTAIN);
            }
        }
        if (refuse == CERTAIN) {
            throw new IllegalArgumentException("refuse is 1000: nothing could ever be sent");
        }
    }

    /**
     * Makes a plan of everything that a transport may do at any time to calls that still succeed.
     *
     * @param seed same seed, same faults
     */
    public static FaultPlan legal(final long seed) {
        return new FaultPlan(seed, 200, 100, 300, 250, 250, 0, 0, 0, 0, 0, 0, 0);
    }

    /**
     * Makes a plan of faults that no transport may show.
     *
     * @param seed same seed, same faults
     * @param drop arrived frames that are lost
     * @param duplicate arrived frames that are handed over twice
     * @param reorder arrived frames that are handed over after the next one
     * @param corrupt arrived frames of which one bit is changed
     */
    public static FaultPlan illegal(
            final long seed, final int drop, final int duplicate, final int reorder, final int corrupt) {
        return new FaultPlan(seed, 0, 0, 0, 0, 0, 0, drop, duplicate, reorder, corrupt, 0, 0);
    }

    /** Whether a transport under this plan keeps its contract. */
    boolean isLegal() {
        return drop + duplicate + reorder + corrupt + cut == 0;
    }

    /** Returns the options that {@link #from} reads: all off. */
    static List<Option> options() {
        return List.of(
                new Option(SEED, Option.Kind.NUMBER, "0", "Seed of the faults; 0: no faults."),
                part("refuse", "Claims that find no room."),
                part("hold", "Arrived frames that are kept back for some polls."),
                part("shorten", "Polls that hand over one frame per peer at most."),
                part("hide", "Memory that cannot be exposed."),
                part("bar", "Peers whose memory cannot be read."),
                part("spoil", "Fetches that fail."),
                part("drop", "Frames that are lost."),
                part("duplicate", "Frames that arrive twice."),
                part("reorder", "Frames that arrive after the next one."),
                part("corrupt", "Frames that arrive with one bit changed."),
                part("cut", "Frames with which the link goes down."),
                part("linger", "Frames that leave as late as they may."));
    }

    private static Option part(final String name, final String help) {
        return new Option("fault." + name, Option.Kind.NUMBER, "0", help + " Thousandths.");
    }

    /** Reads a plan from options. */
    static FaultPlan from(final TransportContext.OptionValues options) {
        return new FaultPlan(
                options.number(SEED),
                number(options, "refuse"),
                number(options, "hold"),
                number(options, "shorten"),
                number(options, "hide"),
                number(options, "bar"),
                number(options, "spoil"),
                number(options, "drop"),
                number(options, "duplicate"),
                number(options, "reorder"),
                number(options, "corrupt"),
                number(options, "cut"),
                number(options, "linger"));
    }

    private static int number(final TransportContext.OptionValues options, final String name) {
        return (int) Math.min(options.number("fault." + name), Integer.MAX_VALUE);
    }
}
