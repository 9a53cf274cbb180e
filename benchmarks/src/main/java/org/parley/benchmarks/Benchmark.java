package org.parley.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.parley.Communicator;

/** All benchmarks there are: their names, what they tell, and what they do. */
enum Benchmark {
    LATENCY(
            "Latency",
            Group.ONE_PAIR,
            Metric.HALF_ROUND_TRIP,
            Repetition.LATENCY,
            setup -> new PingPong(setup, Pair.only(setup.world()))),
    MULTI_LAT(
            "Multi Latency",
            Group.PAIRS,
            Metric.HALF_ROUND_TRIP,
            Repetition.LATENCY,
            setup -> new PingPong(setup, Pair.ofHalves(setup.world()))),
    BW(
            "Bandwidth",
            Group.ONE_PAIR,
            Metric.BANDWIDTH,
            Repetition.BANDWIDTH,
            setup -> new Streaming(setup, Pair.only(setup.world()), false)),
    BIBW(
            "Bi-Directional Bandwidth",
            Group.ONE_PAIR,
            Metric.BANDWIDTH,
            Repetition.BANDWIDTH,
            setup -> new Streaming(setup, Pair.only(setup.world()), true)),
    MBW_MR(
            "Multiple Bandwidth / Message Rate",
            Group.PAIRS,
            Metric.RATE,
            Repetition.BANDWIDTH,
            setup -> new Streaming(setup, Pair.ofHalves(setup.world()), false)),
    BARRIER("Barrier Latency", Group.NO_DATA, Metric.CALL, Repetition.COLLECTIVE, CollectiveCalls.Barrier::new),
    BCAST("Broadcast Latency", Group.ALL, Metric.CALL, Repetition.COLLECTIVE, CollectiveCalls.Bcast::new),
    ALLREDUCE(
            "Allreduce Latency",
            Group.REDUCTION,
            Metric.CALL,
            Repetition.COLLECTIVE,
            setup -> new CollectiveCalls.Reduction(setup, true)),
    REDUCE(
            "Reduce Latency",
            Group.REDUCTION,
            Metric.CALL,
            Repetition.COLLECTIVE,
            setup -> new CollectiveCalls.Reduction(setup, false));

    /** What {@code bench} without a name runs. */
    static final List<Benchmark> MAIN_JOB = List.of(LATENCY, BW, ALLREDUCE);

    /** Who talks to whom. */
    private enum Group {
        ONE_PAIR,
        PAIRS,
        ALL,
        REDUCTION,
        NO_DATA
    }

    private static final Sizes POINT_TO_POINT = new Sizes(1, 4 << 20);
    private static final Sizes COLLECTIVE = new Sizes(4, 1 << 20);

    private final String title;
    private final Group group;
    private final Metric metric;
    private final Repetition repetition;
    private final Function<Setup, Workload> maker;

    Benchmark(
            final String title,
            final Group group,
            final Metric metric,
            final Repetition repetition,
            final Function<Setup, Workload> maker) {
        this.title = title;
        this.group = group;
        this.metric = metric;
        this.repetition = repetition;
        this.maker = maker;
    }

    /** Returns what a user calls it. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns what OSU's tables call it. */
    String title() {
        return title;
    }

    Metric metric() {
        return metric;
    }

    Repetition repetition() {
        return repetition;
    }

    Workload make(final Setup setup) {
        return maker.apply(setup);
    }

    /** Whether rows have a size. */
    boolean hasSizes() {
        return group != Group.NO_DATA;
    }

    boolean hasWindow() {
        return !metric.isLatency();
    }

    /** Returns the type of the elements, as OSU's tables call it; null: they do not tell. */
    String datatype(final Sizes sizes) {
        return switch (group) {
            case ONE_PAIR, PAIRS, ALL -> "MPI_CHAR";
            case REDUCTION ->
                sizes.all().stream().allMatch(size -> size % Double.BYTES == 0)
                        ? "MPI_DOUBLE"
                        : "MPI_DOUBLE, MPI_FLOAT where 8 does not divide the size";
            case NO_DATA -> null;
        };
    }

    /**
     * Returns the sizes to measure.
     *
     * @param wanted what the user gave, or null
     */
    Sizes sizes(final String wanted) {
        if (group == Group.NO_DATA) {
            return new Sizes(0, 0);
        }
        final Sizes standard = group == Group.ONE_PAIR || group == Group.PAIRS ? POINT_TO_POINT : COLLECTIVE;
        final Sizes sizes = wanted == null ? standard : Sizes.parse(wanted, standard);
        return group == Group.REDUCTION ? sizes.multiplesOf(Float.BYTES) : sizes;
    }

    /** Returns the number of pairs that talk at once. */
    int pairs(final Communicator world) {
        return group == Group.PAIRS ? world.size() / 2 : 1;
    }

    /** Returns the messages of an iteration. */
    double messages(final int window, final Communicator world) {
        return (this == BIBW ? 2.0 : 1.0) * window * pairs(world);
    }

    /**
     * Whether two ranks exchange messages, as far as is known: a collective's algorithm may spare
     * some pairs.
     *
     * @param half half the number of ranks
     */
    boolean talk(final int first, final int second, final int half) {
        return switch (group) {
            case ONE_PAIR -> first == 0 && second == 1;
            case PAIRS -> second == first + half && first < half;
            default -> true;
        };
    }

    static Benchmark named(final String name) {
        for (final Benchmark benchmark : values()) {
            if (benchmark.id().equals(name)) {
                return benchmark;
            }
        }
        throw new UsageException("there is no benchmark '"
                + name
                + "'; there are "
                + String.join(", ", Arrays.stream(values()).map(Benchmark::id).toList()));
    }
}
