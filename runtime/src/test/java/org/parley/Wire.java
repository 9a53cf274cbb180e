package org.parley;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Ways for ranks of this JVM to talk; the results of a program must not depend on them. */
enum Wire {
    /** Shared memory as users have it. */
    SHM(Map.of()),

    /** Without copies from process to process: long messages are streamed. */
    STREAMED(Map.of("shm.single.copy", "false")),

    /** The smallest rings and hardly any credit: everything waits for everything. */
    TIGHT(Map.of("shm.ring.size", "32k", "eager.window", "4k")),

    /** Sockets, and frames that are kept until they are acknowledged. */
    TCP(Map.of("transports", "tcp")),

    /** The same with little of everything, and the JDK's channels. */
    TIGHT_TCP(Map.of(
            "transports", "tcp",
            "tcp.native", "false",
            "tcp.window", "256k",
            "tcp.eager.limit", "8k",
            "eager.window", "20k")),

    /** Full, late, slow, and unable to expose, at any moment. */
    FAULTY(Map.of(
            "transports", "faulty-shm",
            "fault.refuse", "200",
            "fault.hold", "50",
            "fault.shorten", "300",
            "fault.hide", "250",
            "fault.bar", "250",
            "fault.spoil", "250"));

    private static final String SEED = "fault.seed";

    private final Map<String, String> options;

    Wire(final Map<String, String> options) {
        this.options = options;
    }

    /** Runs a program on ranks that talk like this. */
    void run(final int ranks, final Program program) {
        run(ranks, ThreadLevel.SERIALIZED, Map.of(), program);
    }

    /** Runs a program on ranks that talk like this, with further options. */
    void run(final int ranks, final ThreadLevel level, final Map<String, String> further, final Program program) {
        final Map<String, String> all = new HashMap<>(options);
        if (this == FAULTY) {
            all.put(SEED, Long.toString(1 + ThreadLocalRandom.current().nextInt(1_000_000)));
        }
        all.putAll(further);
        try {
            withOptions(all, () -> Parley.local(ranks, level, program));
        } catch (final Throwable e) {
            if (this != FAULTY) {
                throw e;
            }
            throw new AssertionError("with -Dparley." + SEED + "=" + all.get(SEED) + ": " + e, e);
        }
    }

    /** Runs something while options are set as if by {@code -D}. */
    static void withOptions(final Map<String, String> options, final Runnable what) {
        final Map<String, String> before = new HashMap<>();
        options.forEach((key, value) -> before.put(key, System.setProperty("parley." + key, value)));
        try {
            what.run();
        } finally {
            before.forEach((key, value) -> {
                if (value == null) {
                    System.clearProperty("parley." + key);
                } else {
                    System.setProperty("parley." + key, value);
                }
            });
        }
    }
}
