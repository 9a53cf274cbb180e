package org.parley.benchmarks.perf;

import java.util.Arrays;
import java.util.List;
import org.parley.config.Values;
import org.parley.transport.Option.Kind;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.UnmatchedArgumentException;

/** What the user wants measured; perftest's options, as far as they are here. */
@Command(
        name = "parley perf",
        sortOptions = false,
        usageHelpWidth = 100,
        description = {
            "Measures the verbs of an RDMA device between two ranks, below messages, as perftest does,",
            "and prints its table. MB are 2^20 bytes, as there."
        },
        footer = {"", "The options of parley run about hosts are taken as well."})
final class PerfOptions {
    private static final int SMALL = 2;
    private static final int LARGE = 64 * 1024;
    private static final int LARGEST = 8 << 20;
    private static final int LEAST_DEPTH = 4;
    private static final int MOST_LIST = 64;

    @Parameters(
            paramLabel = "NAME",
            arity = "0..1",
            description = "send_lat, send_bw, write_lat, write_bw, read_lat or read_bw")
    private String name;

    @Option(names = "-a", description = "All sizes: 2 bytes and its doubles up to 8 MiB; of datagrams to the MTU.")
    private boolean all;

    @Option(names = "-s", paramLabel = "SIZE", description = "Size in bytes (2; bandwidth 65536).")
    private String size;

    @Option(names = "-n", paramLabel = "ITER", description = "Iterations of each size (1000; bandwidth 5000).")
    private Integer iterations;

    @Option(names = "-q", paramLabel = "DEPTH", description = "Sends under way at once (128).")
    private int depth = 128;

    @Option(names = "-d", paramLabel = "DEVICE", description = "Device by name (the first with an active port).")
    private String device;

    @Option(names = "-c", paramLabel = "RC|UD", description = "Reliable connection, or datagrams (RC).")
    private String connection = "RC";

    @Option(names = "-l", paramLabel = "N", description = "Bandwidth: sends that are posted with one doorbell (1).")
    private int list = 1;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    private long bytes;

    private PerfOptions() {}

    /**
     * Reads and checks a command line.
     *
     * @throws IllegalArgumentException if it makes no sense, in one sentence
     */
    static PerfOptions parse(final String... arguments) {
        final PerfOptions options = new PerfOptions();
        try {
            new CommandLine(options).parseArgs(arguments);
        } catch (final UnmatchedArgumentException e) {
            final String wrong = e.getUnmatched().get(0);
            final List<String> known = Arrays.asList("-a", "-s", "-n", "-q", "-d", "-c", "-l", "--help");
            throw new IllegalArgumentException(
                    "unknown argument '" + wrong + "'; the nearest is " + Values.nearest(wrong, known), e);
        } catch (final ParameterException e) {
            throw new IllegalArgumentException(e.getMessage().replace('\n', ' '), e);
        }
        if (!options.help) {
            options.check();
        }
        return options;
    }

    private void check() {
        final List<String> names = PerfTest.names();
        if (name == null) {
            throw new IllegalArgumentException("name a test: " + String.join(", ", names));
        }
        if (!names.contains(name)) {
            throw new IllegalArgumentException(
                    "there is no test " + name + "; the nearest is " + Values.nearest(name, names));
        }
        if (!connection.equals("RC") && !connection.equals("UD")) {
            throw new IllegalArgumentException("-c is '" + connection + "', must be RC or UD");
        }
        if (isDatagram() && !name.startsWith("send")) {
            throw new IllegalArgumentException("-c UD: datagrams are sent, neither written nor read");
        }
        if (all && size != null) {
            throw new IllegalArgumentException("-a and -s exclude each other");
        }
        bytes = size == null ? standardSize() : Values.parse(Kind.SIZE, size);
        atLeast("-s", bytes, 1);
        atLeast("-n", iterations(), 1);
        atLeast("-q", depth, LEAST_DEPTH);
        atLeast("-l", list, 1);
        if (list > Math.min(depth / 2, MOST_LIST)) {
            throw new IllegalArgumentException("-l is " + list + ", must be at most half of -q, and " + MOST_LIST);
        }
        if (bytes > Integer.MAX_VALUE / 2) {
            throw new IllegalArgumentException("-s is " + size + ", must be less than 1 GiB");
        }
    }

    private static void atLeast(final String option, final long value, final long least) {
        if (value < least) {
            throw new IllegalArgumentException(option + " is " + value + ", must be at least " + least);
        }
    }

    private int standardSize() {
        return isBandwidth() && !isDatagram() ? LARGE : SMALL;
    }

    /** Returns the text for {@code --help}, or null if it is not asked for. */
    String help() {
        return help ? new CommandLine(this).getUsageMessage() : null;
    }

    String name() {
        return name;
    }

    boolean isBandwidth() {
        return name.endsWith("_bw");
    }

    boolean isDatagram() {
        return connection.equals("UD");
    }

    String connection() {
        return connection;
    }

    int iterations() {
        return iterations == null ? isBandwidth() ? 5000 : 1000 : iterations;
    }

    int depth() {
        return depth;
    }

    int list() {
        return list;
    }

    /** Returns the device's name, or null: any. */
    String device() {
        return device;
    }

    long firstSize() {
        return all ? SMALL : bytes;
    }

    /**
     * Returns the largest size.
     *
     * @param limit what a message can have
     */
    long lastSize(final long limit) {
        if (!all && bytes > limit) {
            throw new IllegalArgumentException("-s is " + bytes + ", and a message has at most " + limit + " bytes");
        }
        return all ? Math.min(LARGEST, limit) : bytes;
    }
}
