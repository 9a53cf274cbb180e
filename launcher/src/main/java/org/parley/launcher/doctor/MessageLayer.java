package org.parley.launcher.doctor;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What programs get, beside what VMware's PVRDMA has been measured to give: about 80 % of the link's
 * bandwidth, and a latency ten times below that of TCP over vmxnet3.
 */
final class MessageLayer {
    private static final double BROKEN_SHARE = 0.3;
    private static final double MIN_GAIN = 3;
    private static final int LARGEST_MTU = 4096;
    private static final double BITS = 8;

    private MessageLayer() {}

    /**
     * Measures.
     *
     * @param peer the other host; empty: two processes of this one
     * @param link its speed in bits per second; 0: not known, or not that of an adapter
     */
    static Examined examine(
            final String peer, final Jobs jobs, final String host, final VerbsProbe verbs, final long link) {
        final Examined result = new Examined(host + (peer.isEmpty() ? "" : " and " + peer), Layer.MESSAGES);
        final double latency = measure(result, peer, jobs, "rc", "latency", "8:8");
        final double bandwidth = result.isBroken() ? 0 : measure(result, peer, jobs, "rc", "bw", "1m:1m");
        if (result.isBroken()) {
            return result;
        }
        if (link == 0) {
            result.fact(String.format(
                    Locale.ROOT,
                    "8 B take %.2f us, 1 MiB goes at %.0f MB/s; a software or emulated device: nothing to be expected of it",
                    latency,
                    bandwidth));
            return result;
        }
        final double share = bandwidth * 1e6 * BITS / link;
        result.fact(String.format(
                Locale.ROOT,
                "1 MiB goes at %.0f MB/s, %.0f %% of the link (expected: about 80)",
                bandwidth,
                share * 100));
        if (share < BROKEN_SHARE) {
            result.found(
                    Code.D501,
                    String.format(Locale.ROOT, "%.0f %%", share * 100),
                    verbs.mtu() < LARGEST_MTU
                            ? "MTU first: it is " + verbs.mtu()
                                    + "; MTU 9000 on card, switch and physical port make it 4096"
                            : "MTU is 4096; then queue depth: --set verbs.queue.depth=1024 or more; then priority flow control");
        }
        final double overTcp = measure(result, peer, jobs, "tcp", "latency", "8:8");
        if (overTcp > 0) {
            result.fact(String.format(
                    Locale.ROOT,
                    "8 B take %.2f us, over TCP %.2f: %.1f times below (expected: about 10)",
                    latency,
                    overTcp,
                    overTcp / latency));
            if (overTcp < MIN_GAIN * latency) {
                result.found(
                        Code.D502,
                        String.format(Locale.ROOT, "%.2f us, over TCP %.2f us", latency, overTcp),
                        "one processor for each rank (--bind-to core), latency sensitivity high, power management off in the host");
            }
        }
        return result;
    }

    private static double measure(
            final Examined result,
            final String peer,
            final Jobs jobs,
            final String transport,
            final String benchmark,
            final String sizes) {
        // A window of bw's is 64 MiB: a slow link is to be through within a minute, too.
        final boolean isWindows = benchmark.equals("bw");
        final Jobs.Result ended = jobs.pair(
                peer,
                "bench",
                "--transports",
                transport,
                "--format",
                "json",
                "-m",
                sizes,
                "-i",
                isWindows ? "10" : "100",
                "-x",
                isWindows ? "1" : "10",
                benchmark);
        if (ended.code() == 0) {
            try {
                final Map<String, Object> all = JSON.std.mapFrom(ended.out());
                final Map<?, ?> row = (Map<?, ?>) ((List<?>) all.get("results")).get(0);
                return ((Number) row.get(benchmark.equals("latency") ? "latency_us" : "bandwidth_mb_s")).doubleValue();
            } catch (final IOException | ClassCastException | NullPointerException | IndexOutOfBoundsException e) {
                result.found(
                        Code.D503, benchmark + " over " + transport + ": no result in what it printed", "parley info");
                return 0;
            }
        }
        result.found(
                Code.D503,
                benchmark + " over " + transport + ": " + ended.reason(),
                "parley bench " + benchmark + " -v --transports " + transport + " tells more");
        return 0;
    }
}
