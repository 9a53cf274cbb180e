package org.parley.transport.verbs;

import java.util.ArrayList;
import java.util.List;
import org.parley.transport.Option;
import org.parley.transport.TransportContext.OptionValues;
import org.parley.transport.verbs.binding.Verbs;

/** The options that all transports over verbs have. */
final class VerbsOptions {
    static final String DEPTH = "verbs.queue.depth";
    static final String POLLING = "verbs.polling";

    private static final String AUTO = "auto";
    private static final String ALWAYS = "always";

    private static final List<Option> ALL = List.of(
            new Option(
                    Adapter.LIBRARY,
                    Option.Kind.TEXT,
                    Verbs.LIBRARY,
                    "The library of RDMA verbs: a name that the system's loader knows, or a path."),
            new Option(
                    Adapter.DEVICES,
                    Option.Kind.TEXT,
                    "",
                    "RDMA devices that may be used, by name (mlx5_0), driver (vmw_pvrdma) or PCI id (15ad:0820), with"
                            + " commas; empty: all, hardware first."),
            new Option(
                    Adapter.GID_INDEX,
                    Option.Kind.TEXT,
                    "",
                    "Which entry of the port's GID table is used, without comparing networks; empty: IPv4 before"
                            + " others, RoCE v2 before v1."),
            new Option(
                            Adapter.MTU,
                            Option.Kind.NUMBER,
                            "0",
                            "The largest RDMA MTU; 0: the port's. A path has the smaller one of its ends.")
                    .oneOf("0", "256", "512", "1024", "2048", "4096"),
            new Option(
                    Adapter.PKEY,
                    Option.Kind.TEXT,
                    "",
                    "The P_Key of the partition that is used, such as 0x8001; empty: the first of which the port is a full"
                            + " member."),
            new Option(DEPTH, Option.Kind.NUMBER, "1024", "Work requests in a queue at most; fewer save memory."),
            new Option(
                            POLLING,
                            Option.Kind.TEXT,
                            "auto",
                            "How completions are looked for: always at every poll; auto: seldom after empty looks where each"
                                    + " leaves the virtual machine (PVRDMA).")
                    .oneOf(AUTO, ALWAYS));

    private VerbsOptions() {}

    /** Returns them with others. */
    static List<Option> with(final Option... others) {
        final List<Option> all = new ArrayList<>(ALL);
        all.addAll(List.of(others));
        return List.copyOf(all);
    }

    /** Whether looks at a completion queue are to be seldom after empty ones. */
    static boolean skips(final OptionValues options, final Adapter adapter) {
        return adapter.isParavirtual() && options.text(POLLING).equals(AUTO);
    }

    /** Returns the longest queue that the user wants. */
    static int depth(final OptionValues options) {
        return (int) Math.min(options.number(DEPTH), Integer.MAX_VALUE);
    }
}
