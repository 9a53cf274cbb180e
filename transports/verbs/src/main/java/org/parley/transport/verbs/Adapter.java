package org.parley.transport.verbs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.agrona.UnsafeApi;
import org.parley.transport.Interfaces;
import org.parley.transport.JobSecret;
import org.parley.transport.TransportContext.OptionValues;
import org.parley.transport.TransportException;
import org.parley.transport.verbs.binding.Verbs;
import org.parley.transport.verbs.binding.VerbsContext;
import org.parley.transport.verbs.binding.VerbsDevice;

/**
 * The device and the port that a rank uses, opened, with what all its connections share. Threads: the completion queues are polled by
 * the holder of the progress word; all else may be called from any thread.
 */
final class Adapter implements AutoCloseable {
    static final String LIBRARY = "verbs.library";
    static final String DEVICES = "verbs.devices";
    static final String GID_INDEX = "verbs.gid.index";
    static final String MTU = "verbs.mtu";
    static final String PKEY = "verbs.pkey";

    /** The guest's driver of VMware's PVRDMA, and its PCI id. */
    static final String PVRDMA = "vmw_pvrdma";

    /** Bytes that a peer reads to see that its RDMA READ reads. */
    static final int PROOF_BYTES = 16;

    /** Why there is nothing to open. */
    static final String NO_DEVICE = "this machine has no RDMA device (/sys/class/infiniband is empty)";

    private static final Path KERNELS = Path.of("/sys/class/infiniband");
    private static final String SOFT_ROCE = "rdma_rxe";
    private static final String IWARP = "4";
    private static final int LARGEST_QUEUE = 16 * 1024;

    private final VerbsContext context;
    private final VerbsContext.Limits limits;
    private final int number;
    private final Wish wish;
    private volatile State state;
    private final byte[] proof = JobSecret.random(PROOF_BYTES);
    private final long proofMemory = UnsafeApi.allocateMemory(2 * PROOF_BYTES);

    /** In one page. */
    private final long proofAddress = proofMemory + PROOF_BYTES - 1 & -PROOF_BYTES;

    private final VerbsContext.Region proofRegion;
    private volatile CompletionQueue[] queues = new CompletionQueue[0];

    /** A completion queue and how much of it is promised. */
    static final class CompletionQueue {
        private final long handle;
        private final int entries;
        private int promised;

        private CompletionQueue(final long handle, final int entries) {
            this.handle = handle;
            this.entries = entries;
        }

        long handle() {
            return handle;
        }
    }

    /** What the user wants: a GID and a P_Key, -1: any; the largest MTU, 0: any. */
    private record Wish(int gid, int pkey, long mtu) {
        static Wish of(final OptionValues options) {
            return new Wish(gidWish(options), pkeyWish(options), options.number(MTU));
        }
    }

    /**
     * What the port is now.
     *
     * @param port the device's word
     * @param gidIndex which GID is used; negative: none
     * @param pkeyIndex which P_Key is used
     * @param onFabric the port as peers see it
     */
    record State(VerbsContext.Port port, int gidIndex, int pkeyIndex, FabricPort onFabric) {}

    private Adapter(final VerbsContext context, final int number, final Wish wish, final State state) {
        this.context = context;
        this.limits = context.limits();
        this.number = number;
        this.wish = wish;
        this.state = state;
        UnsafeApi.copyMemory(proof, UnsafeApi.arrayBaseOffset(byte[].class), null, proofAddress, PROOF_BYTES);
        proofRegion = context.register(proofAddress, PROOF_BYTES, VerbsContext.REMOTE_READ);
    }

    /** Whether there may be a device: loading a library that finds none takes a while. */
    static boolean isWorthLooking(final OptionValues options) {
        if (!options.text(LIBRARY).equals(Verbs.LIBRARY)) {
            return true;
        }
        try (DirectoryStream<Path> devices = Files.newDirectoryStream(KERNELS)) {
            return devices.iterator().hasNext();
        } catch (final IOException e) {
            return false;
        }
    }

    /**
     * Opens the best port that the options permit.
     *
     * @throws TransportException if there is none, with the reason of each
     */
    static Adapter open(final OptionValues options) {
        final List<VerbsDevice> devices =
                new ArrayList<>(Verbs.load(options.text(LIBRARY)).devices());
        // Hardware before what pretends to be.
        devices.sort(Comparator.comparing(device -> device.driver().equals(SOFT_ROCE)));
        final List<String> reasons = new ArrayList<>();
        final List<String> wishes = Arrays.stream(options.text(DEVICES).split(","))
                .map(String::strip)
                .filter(wish -> !wish.isEmpty())
                .toList();
        for (final VerbsDevice device : devices) {
            if (!wishes.isEmpty()
                    && !wishes.contains(device.name())
                    && !wishes.contains(device.driver())
                    && !wishes.contains(device.pciId())) {
                reasons.add(device.name() + " (" + device.driver() + ") is not in --set verbs.devices");
                continue;
            }
            if (device.line("node_type").startsWith(IWARP)) {
                reasons.add(device.name() + " is an iWARP device, which needs rdma_cm");
                continue;
            }
            final Adapter adapter = openPort(device, options, reasons);
            if (adapter != null) {
                return adapter;
            }
        }
        throw new TransportException(
                reasons.isEmpty()
                        ? "libibverbs finds no RDMA device: is its provider installed (Debian: ibverbs-providers)?"
                        : String.join("; ", reasons));
    }

    private static Adapter openPort(final VerbsDevice device, final OptionValues options, final List<String> reasons) {
        final VerbsContext context;
        try {
            context = device.open();
        } catch (final TransportException e) {
            reasons.add(e.getMessage());
            return null;
        }
        boolean isTaken = false;
        try {
            final int ports = context.limits().ports();
            for (int number = 1; number <= ports; number++) {
                try {
                    final Wish wish = Wish.of(options);
                    final Adapter adapter = new Adapter(context, number, wish, stateOf(context, number, wish));
                    isTaken = true;
                    return adapter;
                } catch (final TransportException e) {
                    reasons.add(e.getMessage());
                }
            }
        } catch (final TransportException e) {
            reasons.add(e.getMessage());
        } finally {
            if (!isTaken) {
                context.close();
            }
        }
        return null;
    }

    /** Throws a {@link TransportException} if the port carries no data. */
    private static State stateOf(final VerbsContext context, final int number, final Wish wish) {
        final String name = context.device().name();
        final VerbsContext.Port port = context.port(number);
        if (!port.active()) {
            throw new TransportException("port " + number + " of " + name + " is " + stateOf(port)
                    + ": see ip link for its network card, or ibv_devinfo");
        }
        final int gidIndex = chooseGid(context, number, port, wish.gid());
        if (gidIndex < 0 && port.ethernet()) {
            throw new TransportException(
                    "port " + number + " of " + name + " has no GID: its network card has no address");
        }
        final int pkeyIndex = choosePkey(context, number, port, wish.pkey());
        return new State(port, gidIndex, pkeyIndex, onFabric(context, number, port, gidIndex, pkeyIndex, wish));
    }

    /**
     * Looks at the port again: it may have been away, and a machine that has moved has other addresses.
     *
     * @throws TransportException if it carries no data
     */
    void look() {
        state = stateOf(context, number, wish);
    }

    private static int gidWish(final OptionValues options) {
        final String wish = options.text(GID_INDEX).strip();
        if (!wish.matches("\\d{0,4}")) {
            throw new TransportException("verbs.gid.index=" + wish + " is no number of an entry: see ibv_devinfo -v");
        }
        return wish.isEmpty() ? -1 : Integer.parseInt(wish);
    }

    private static int pkeyWish(final OptionValues options) {
        final String wish = options.text(PKEY).strip();
        if (!wish.matches("(0x[0-9a-fA-F]{1,4})?")) {
            throw new TransportException("verbs.pkey=" + wish + " is no P_Key such as 0x8001: see the port's pkeys in"
                    + " /sys/class/infiniband");
        }
        return wish.isEmpty() ? -1 : Integer.decode(wish);
    }

    /** The first of which the port is a full member, else the first: two limited members do not hear each other. */
    private static int choosePkey(
            final VerbsContext context, final int number, final VerbsContext.Port port, final int wish) {
        int limited = -1;
        final List<String> all = new ArrayList<>();
        for (int index = 0; index < port.pkeys(); index++) {
            final int pkey = context.pkey(number, index);
            if (FabricPort.isSamePartition(pkey, 0)) {
                continue;
            }
            all.add(String.format("0x%04x", pkey));
            final boolean isWanted = wish < 0 || FabricPort.isSamePartition(pkey, wish);
            if (isWanted && FabricPort.isFullMember(pkey)) {
                return index;
            }
            if (isWanted && limited < 0) {
                limited = index;
            }
        }
        if (limited < 0) {
            throw new TransportException("port " + number + " of "
                    + context.device().name()
                    + (wish < 0
                            ? " is in no partition: its P_Key table is empty (D304)"
                            : " has no P_Key of the partition of --set verbs.pkey=" + String.format("0x%04x", wish)
                                    + ", but " + String.join(", ", all) + " (D304)"));
        }
        return limited;
    }

    private static String stateOf(final VerbsContext.Port port) {
        return switch (port.state()) {
            case 1 -> "DOWN";
            case 2 -> "INIT (no subnet manager?)";
            case 3 -> "ARMED";
            case 4 -> "ACTIVE";
            default -> "in state " + port.state();
        };
    }

    /** An IPv4 address over UDP is what routers and peers know best. */
    private static int chooseGid(
            final VerbsContext context, final int number, final VerbsContext.Port port, final int wish) {
        if (wish >= 0) {
            if (wish >= port.gids()) {
                throw new TransportException("verbs.gid.index=" + wish + ": port " + number + " of "
                        + context.device().name() + " has GIDs 0 to " + (port.gids() - 1));
            }
            return wish;
        }
        if (!port.ethernet()) {
            return -1;
        }
        int best = -1;
        int bestWorth = -1;
        for (int index = 0; index < port.gids(); index++) {
            final byte[] gid = context.gid(number, index);
            if (Arrays.equals(gid, new byte[VerbsContext.GID_BYTES])) {
                continue;
            }
            final FabricPort.Kind kind = kindOf(context, number, port, index);
            final int worth = (FabricPort.isIpv4(gid) ? 2 : 0) + (kind == FabricPort.Kind.ROCE_V1 ? 0 : 1);
            if (worth > bestWorth) {
                best = index;
                bestWorth = worth;
            }
        }
        return best;
    }

    private static FabricPort.Kind kindOf(
            final VerbsContext context, final int number, final VerbsContext.Port port, final int gidIndex) {
        if (!port.ethernet()) {
            return FabricPort.Kind.INFINIBAND;
        }
        return switch (context.device().line("ports/" + number + "/gid_attrs/types/" + gidIndex)) {
            case "IB/RoCE v1" -> FabricPort.Kind.ROCE_V1;
            case "RoCE v2" -> FabricPort.Kind.ROCE_V2;
            default -> FabricPort.Kind.ROCE;
        };
    }

    private static FabricPort onFabric(
            final VerbsContext context,
            final int number,
            final VerbsContext.Port port,
            final int gidIndex,
            final int pkeyIndex,
            final Wish wish) {
        final byte[] gid = context.gid(number, Math.max(0, gidIndex));
        return new FabricPort(
                kindOf(context, number, port, gidIndex),
                mtu(port, wish.mtu()),
                wish.gid() >= 0,
                prefixOf(gid),
                port.lid(),
                context.pkey(number, pkeyIndex),
                gid);
    }

    private static int mtu(final VerbsContext.Port port, final long wish) {
        for (int number = 1; number <= port.mtu(); number++) {
            if (wish > 0 && 128L << number >= wish) {
                return number;
            }
        }
        return port.mtu();
    }

    private static int prefixOf(final byte[] gid) {
        if (!FabricPort.isIpv4(gid)) {
            return 0;
        }
        try {
            final InetAddress address = InetAddress.getByAddress(Arrays.copyOfRange(gid, 12, 16));
            return Interfaces.ofThisMachine().stream()
                    .filter(local -> local.address().equals(address))
                    .mapToInt(Interfaces.Local::prefix)
                    .findFirst()
                    .orElse(0);
        } catch (final UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    VerbsContext context() {
        return context;
    }

    VerbsContext.Limits limits() {
        return limits;
    }

    int portNumber() {
        return number;
    }

    long maxMessage() {
        return state.port().maxMessage();
    }

    State state() {
        return state;
    }

    int gidIndex() {
        return state.gidIndex();
    }

    int pkeyIndex() {
        return state.pkeyIndex();
    }

    FabricPort onFabric() {
        return state.onFabric();
    }

    /** Whether each empty look at a completion queue leaves the virtual machine. */
    boolean isParavirtual() {
        return context.device().driver().equals(PVRDMA);
    }

    /** What a peer must find when it reads {@link #proofAddress()}. */
    byte[] proof() {
        return proof;
    }

    long proofAddress() {
        return proofAddress;
    }

    int proofKey() {
        return proofRegion.rkey();
    }

    String name() {
        return context.device().name();
    }

    /** Says what the port is, for people. */
    String text() {
        final State now = state;
        final FabricPort onFabric = now.onFabric();
        return name() + " port " + number + ", " + onFabric.kind().text() + ", GID " + onFabric.text()
                + (now.gidIndex() >= 0 ? " (index " + now.gidIndex() + ")" : "") + ", P_Key " + onFabric.pkeyText()
                + ", MTU " + (128 << onFabric.mtu());
    }

    /** Whether the GID that packets have is another one now; a look at a table of the kernel, not at the device. */
    boolean hasLostAddress() {
        final State now = state;
        return now.gidIndex() >= 0
                && !Arrays.equals(
                        context.gid(number, now.gidIndex()), now.onFabric().gid());
    }

    /** Says what state the port is in now; for errors. */
    String portState() {
        try {
            return "port " + number + " of " + name() + " is " + stateOf(context.port(number));
        } catch (final TransportException e) {
            return e.getMessage();
        }
    }

    /** Finds room for a connection's completions, in a new queue if need be. */
    synchronized CompletionQueue promise(final int entries) {
        for (final CompletionQueue queue : queues) {
            if (queue.entries - queue.promised >= entries) {
                queue.promised += entries;
                return queue;
            }
        }
        final CompletionQueue added = create(entries);
        added.promised = entries;
        final CompletionQueue[] more = Arrays.copyOf(queues, queues.length + 1);
        more[queues.length] = added;
        queues = more;
        return added;
    }

    /** Devices promise longer queues than they make, as QEMU's does. */
    private CompletionQueue create(final int entries) {
        for (int size = Math.max(entries, Math.min(LARGEST_QUEUE, limits.maxCompletions())); ; size /= 2) {
            try {
                return new CompletionQueue(context.createCompletionQueue(size, 0), size);
            } catch (final TransportException e) {
                if (size / 2 < entries) {
                    throw e;
                }
            }
        }
    }

    synchronized void release(final CompletionQueue queue, final int entries) {
        queue.promised -= entries;
    }

    CompletionQueue[] queues() {
        return queues;
    }

    @Override
    public void close() {
        try {
            for (final CompletionQueue queue : queues) {
                context.destroyCompletionQueue(queue.handle);
            }
            context.deregister(proofRegion);
            UnsafeApi.freeMemory(proofMemory);
        } finally {
            context.close();
        }
    }
}
