package org.parley.benchmarks.perf;

import java.util.ArrayList;
import java.util.List;
import org.parley.config.Options;
import org.parley.transport.TransportException;
import org.parley.transport.verbs.binding.Verbs;
import org.parley.transport.verbs.binding.VerbsContext;
import org.parley.transport.verbs.binding.VerbsDevice;

/**
 * The port that is measured, opened.
 *
 * @param context the device
 * @param number the port's
 * @param port what it is
 * @param gidIndex the GID that is used; negative: none, as on InfiniBand
 */
record PerfPort(VerbsContext context, int number, VerbsContext.Port port, int gidIndex) implements AutoCloseable {
    private static final int IPV4_ZEROS = 10;
    private static final int SMALLEST_MTU = 128;

    /** Of a region, for pages around messages. */
    private static final int RESERVE = 16 * 1024;

    /**
     * Opens the first active port, of a device by name if one is given.
     *
     * @throws TransportException if there is none, with the reason of each
     */
    static PerfPort open(final Options options, final String name) {
        final List<String> reasons = new ArrayList<>();
        for (final VerbsDevice device :
                Verbs.load(options.text("verbs.library")).devices()) {
            if (name == null || name.equals(device.name())) {
                final PerfPort port =
                        open(device, options.text("verbs.gid.index").strip(), reasons);
                if (port != null) {
                    return port;
                }
            } else {
                reasons.add(device.name() + " is not -d " + name);
            }
        }
        throw new TransportException(
                reasons.isEmpty()
                        ? "libibverbs finds no RDMA device (Debian: apt-get install ibverbs-providers)"
                        : String.join("; ", reasons));
    }

    private static PerfPort open(final VerbsDevice device, final String gid, final List<String> reasons) {
        VerbsContext context = null;
        try {
            context = device.open();
            for (int number = 1; number <= context.limits().ports(); number++) {
                final VerbsContext.Port port = context.port(number);
                if (port.active()) {
                    return new PerfPort(
                            context,
                            number,
                            port,
                            gid.isEmpty() ? choose(context, number, port) : Integer.parseInt(gid));
                }
                reasons.add("port " + number + " of " + device.name() + " is not active: see ibv_devinfo");
            }
        } catch (final TransportException e) {
            reasons.add(e.getMessage());
        }
        if (context != null) {
            context.close();
        }
        return null;
    }

    /** An IPv4 address if there is one, and the last of these: behind RoCE v1 stands v2. */
    private static int choose(final VerbsContext context, final int number, final VerbsContext.Port port) {
        int best = -1;
        boolean isBestIpv4 = false;
        for (int index = 0; port.ethernet() && index < port.gids(); index++) {
            final byte[] gid = context.gid(number, index);
            final boolean isIpv4 = isIpv4(gid);
            if (!isEmpty(gid, gid.length) && (isIpv4 || !isBestIpv4)) {
                best = index;
                isBestIpv4 = isIpv4;
            }
        }
        return best;
    }

    private static boolean isEmpty(final byte[] gid, final int length) {
        for (int i = 0; i < length; i++) {
            if (gid[i] != 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isIpv4(final byte[] gid) {
        return isEmpty(gid, IPV4_ZEROS) && gid[IPV4_ZEROS] == -1 && gid[IPV4_ZEROS + 1] == -1;
    }

    /** Returns the longest message that both of its ends have registered memory for. */
    long maxMessage(final boolean isDatagram) {
        final int mtu = SMALLEST_MTU << port.mtu();
        return isDatagram
                ? mtu
                : Math.min(
                        port.maxMessage(), Math.min(1L << 30, (context.limits().maxRegion() - RESERVE) / 2));
    }

    /** Says what it is, for people. */
    String text() {
        return context.device().name() + " port " + number + (gidIndex < 0 ? "" : ", GID index " + gidIndex) + ", MTU "
                + (SMALLEST_MTU << port.mtu());
    }

    byte[] gid() {
        return context.gid(number, Math.max(0, gidIndex));
    }

    @Override
    public void close() {
        context.close();
    }
}
