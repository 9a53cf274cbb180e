package org.parley.launcher.doctor;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Whether packets of the card's size reach a peer whole, as {@code ping} finds out. */
enum PathMtu {
    /** They do. */
    WHOLE("packets of the card's MTU pass whole"),
    /** They do not, though small ones do. */
    CUT("packets of the card's MTU do not pass"),
    /** Not even small ones are answered, or there is no ping, or no address. */
    UNKNOWN("not probed: no answer to ping, or no ping (Debian: apt-get install iputils-ping)");

    /** Before a ping's payload: IP and ICMP. */
    private static final int HEADERS = 28;

    private static final int SMALL = 56;
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
        if (address.isEmpty() || mtu <= HEADERS || !passes(address, SMALL)) {
            return UNKNOWN;
        }
        return passes(address, mtu - HEADERS) ? WHOLE : CUT;
    }

    private static boolean passes(final String address, final int payload) {
        try {
            final Process ping = new ProcessBuilder(
                            List.of("ping", "-M", "do", "-c", "3", "-W", "3", "-s", String.valueOf(payload), address))
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
