package org.parley.launcher.doctor;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Whether packets of the card's size reach a peer whole, as {@code ping} finds out. */
enum PathMtu {
    /** They do. */
    WHOLE("packets of the card's MTU pass whole"),
    /** They do not, though small ones do. */
    CUT("packets of the card's MTU do not pass"),
    /** Small ones are hardly answered either, or there is no ping, or no address. */
    UNKNOWN("not probed: no answer to ping, or no ping (Debian: apt-get install iputils-ping)");

    /** Before a ping's payload: IP and ICMP. */
    private static final int HEADERS = 28;

    private static final int SMALL = 56;

    /** Of a small one, before anything is made of silence. */
    private static final int TRIES = 3;

    /** Of a long packet and a small one. */
    private static final int ROUNDS = 8;

    /** So many long packets are not lost by chance. */
    private static final int ENOUGH = 4;

    /** Most is answered within a millisecond; a machine that is very busy takes seconds. */
    private static final String ANSWER_SECONDS = "3";

    private static final long LIMIT_SECONDS = 20;

    private final String text;

    PathMtu(final String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /**
     * Probes.
     *
     * @param address the peer's, on the RDMA network; empty: not known
     * @param mtu the smaller one of both cards
     */
    static PathMtu probe(final String address, final int mtu) {
        return address.isEmpty() ? UNKNOWN : probe(mtu, payload -> passes(address, payload));
    }

    /**
     * As {@link #probe(String, int)}. Any answer to a long packet is proof. Silence is not: a busy machine's answers are late or lost
     * whatever the size. So it counts only where a small packet is answered right after it.
     *
     * @param passes whether a packet of such a payload is answered
     */
    static PathMtu probe(final int mtu, final IntPredicate passes) {
        if (mtu <= HEADERS || IntStream.range(0, TRIES).noneMatch(i -> passes.test(SMALL))) {
            return UNKNOWN;
        }
        int silences = 0;
        for (int i = 0; i < ROUNDS && silences < ENOUGH; i++) {
            if (passes.test(mtu - HEADERS)) {
                return WHOLE;
            }
            silences += passes.test(SMALL) ? 1 : 0;
        }
        return silences == ENOUGH ? CUT : UNKNOWN;
    }

    private static boolean passes(final String address, final int payload) {
        try {
            final Process ping = new ProcessBuilder(List.of(
                            "ping",
                            "-M",
                            "do",
                            "-c",
                            "1",
                            "-W",
                            ANSWER_SECONDS,
                            "-s",
                            String.valueOf(payload),
                            address))
                    .redirectInput(new File("/dev/null"))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!ping.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                ping.destroyForcibly();
                return false;
            }
            return ping.exitValue() == 0;
        } catch (final IOException e) {
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
