package org.parley.transport.verbs.binding;

import com.sun.jna.Native;
import org.agrona.UnsafeApi;
import org.parley.transport.TransportException;

/**
 * An opened device with a protection domain. What it makes is destroyed before it is closed. Any thread: libibverbs locks for itself.
 */
public final class VerbsContext implements AutoCloseable {
    /** {@code IBV_ACCESS_LOCAL_WRITE}: the device may write the memory for this process. */
    public static final int LOCAL_WRITE = 1;

    /** {@code IBV_ACCESS_REMOTE_WRITE}: peers may write the memory. */
    public static final int REMOTE_WRITE = 2;

    /** {@code IBV_ACCESS_REMOTE_READ}: peers may read the memory. */
    public static final int REMOTE_READ = 4;

    /** What begins with a page can be registered everywhere: QEMU's pvrdma refuses memory that touches one page more than it fills. */
    public static final int PAGE = 4096;

    /** Bytes of a GID. */
    public static final int GID_BYTES = 16;

    /**
     * What the device can do.
     *
     * @param maxRegion bytes of a memory region
     * @param maxWorkRequests in a send or receive queue
     * @param maxElements in a work request
     * @param maxCompletions in a completion queue
     * @param maxReads RDMA READs that a queue pair has under way, as initiator and as responder
     * @param maxSharedQueues shared receive queues, 0: none
     * @param ports number of ports
     */
    public record Limits(
            long maxRegion,
            int maxWorkRequests,
            int maxElements,
            int maxCompletions,
            int maxReads,
            int maxSharedQueues,
            int ports) {}

    /**
     * What a port is.
     *
     * @param active whether it carries data
     * @param state {@code ibv_port_state}: 1 down, 2 init, 3 armed, 4 active
     * @param mtu {@code ibv_mtu} in force: 1 to 5 for 256 to 4096 bytes
     * @param gids entries of its GID table
     * @param pkeys entries of its P_Key table
     * @param lid its LID; 0 on Ethernet
     * @param maxMessage bytes of the longest message
     * @param ethernet whether it is RoCE
     */
    public record Port(
            boolean active, int state, int mtu, int gids, int pkeys, int lid, long maxMessage, boolean ethernet) {}

    /**
     * A registered piece of memory.
     *
     * @param handle {@code struct ibv_mr}
     * @param lkey for this process's work requests
     * @param rkey for the peers'
     * @param length its bytes
     */
    public record Region(long handle, int lkey, int rkey, long length) {}

    private static final int SCRATCH_BYTES = 256;
    private static final int ACTIVE = 4;
    private static final int ETHERNET = 2;
    private static final int LARGEST_PORTS = 16;

    private final VerbsDevice device;
    private final long context;
    private final long domain;

    VerbsContext(final VerbsDevice device) {
        this.device = device;
        context = LibIbverbs.ibv_open_device(device.handle());
        if (context == 0) {
            throw Verbs.failed(
                    "ibv_open_device of " + device.name() + " (/dev/infiniband/" + device.node() + ")",
                    Native.getLastError());
        }
        try {
            checkLayout();
            domain = LibIbverbs.ibv_alloc_pd(context);
            if (domain == 0) {
                throw failed("ibv_alloc_pd", Native.getLastError());
            }
        } catch (final TransportException e) {
            LibIbverbs.ibv_close_device(context);
            throw e;
        }
    }

    /** Wrong offsets would call and write anywhere: what can be known of the context must be where it is expected. */
    private void checkLayout() {
        final int[] functions = {
            Layout.Context.POLL_CQ, Layout.Context.REQ_NOTIFY_CQ, Layout.Context.POST_SEND, Layout.Context.POST_RECV
        };
        boolean isRight = UnsafeApi.getLong(context + Layout.Context.DEVICE) == device.handle();
        for (final int function : functions) {
            isRight &= Executable.contains(UnsafeApi.getLong(context + function));
        }
        final Limits limits = isRight ? limits() : null;
        if (limits == null || limits.ports() < 1 || limits.ports() > LARGEST_PORTS || limits.maxWorkRequests() < 1) {
            throw new TransportException("libibverbs lays out its structures otherwise than rdma-core 17 to 44 do on"
                    + " x86-64 (device " + device.name() + "): use Debian's libibverbs1, or --transports ^rc");
        }
    }

    private TransportException failed(final String verb, final int errno) {
        return Verbs.failed(verb + " on " + device.name(), errno);
    }

    /** Returns the device. */
    public VerbsDevice device() {
        return device;
    }

    /** Returns a new set of prepared calls, for one thread. */
    public DataPath newDataPath() {
        return new DataPath(context);
    }

    /** Returns what the device can do. */
    public Limits limits() {
        final long attributes = scratch();
        try {
            check("ibv_query_device", LibIbverbs.ibv_query_device(context, attributes));
            final long maxRegion = UnsafeApi.getLong(attributes + Layout.DeviceAttr.MAX_MR_SIZE);
            return new Limits(
                    maxRegion < 0 ? Long.MAX_VALUE : maxRegion,
                    UnsafeApi.getInt(attributes + Layout.DeviceAttr.MAX_QP_WR),
                    UnsafeApi.getInt(attributes + Layout.DeviceAttr.MAX_SGE),
                    UnsafeApi.getInt(attributes + Layout.DeviceAttr.MAX_CQE),
                    Math.min(
                            UnsafeApi.getInt(attributes + Layout.DeviceAttr.MAX_QP_RD_ATOM),
                            UnsafeApi.getInt(attributes + Layout.DeviceAttr.MAX_QP_INIT_RD_ATOM)),
                    UnsafeApi.getInt(attributes + Layout.DeviceAttr.MAX_SRQ),
                    UnsafeApi.getByte(attributes + Layout.DeviceAttr.PHYS_PORT_CNT) & 0xff);
        } finally {
            UnsafeApi.freeMemory(attributes);
        }
    }

    /**
     * Looks at a port.
     *
     * @param number from 1 on
     */
    public Port port(final int number) {
        final long attributes = scratch();
        try {
            check("ibv_query_port", LibIbverbs.ibv_query_port(context, (byte) number, attributes));
            final int state = UnsafeApi.getInt(attributes + Layout.PortAttr.STATE);
            return new Port(
                    state == ACTIVE,
                    state,
                    UnsafeApi.getInt(attributes + Layout.PortAttr.ACTIVE_MTU),
                    UnsafeApi.getInt(attributes + Layout.PortAttr.GID_TBL_LEN),
                    UnsafeApi.getShort(attributes + Layout.PortAttr.PKEY_TBL_LEN) & 0xffff,
                    UnsafeApi.getShort(attributes + Layout.PortAttr.LID) & 0xffff,
                    UnsafeApi.getInt(attributes + Layout.PortAttr.MAX_MSG_SZ) & 0xffff_ffffL,
                    UnsafeApi.getByte(attributes + Layout.PortAttr.LINK_LAYER) == ETHERNET);
        } finally {
            UnsafeApi.freeMemory(attributes);
        }
    }

    /**
     * Reads an entry of a port's GID table; all zeros where it is empty.
     *
     * @param port the port
     * @param index the entry
     */
    public byte[] gid(final int port, final int index) {
        final long gid = scratch();
        try {
            if (LibIbverbs.ibv_query_gid(context, (byte) port, index, gid) != 0) {
                throw failed("ibv_query_gid of index " + index, Native.getLastError());
            }
            final byte[] bytes = new byte[GID_BYTES];
            UnsafeApi.copyMemory(null, gid, bytes, UnsafeApi.arrayBaseOffset(byte[].class), GID_BYTES);
            return bytes;
        } finally {
            UnsafeApi.freeMemory(gid);
        }
    }

    /**
     * Reads an entry of a port's P_Key table: the number of a partition, and in the highest of 16 bits whether the port is a full member.
     *
     * @param port the port
     * @param index the entry
     */
    public int pkey(final int port, final int index) {
        final long pkey = scratch();
        try {
            if (LibIbverbs.ibv_query_pkey(context, (byte) port, index, pkey) != 0) {
                throw failed("ibv_query_pkey of index " + index, Native.getLastError());
            }
            // In the network's order, whatever the machine's is.
            return (UnsafeApi.getByte(pkey) & 0xff) << 8 | UnsafeApi.getByte(pkey + 1) & 0xff;
        } finally {
            UnsafeApi.freeMemory(pkey);
        }
    }

    /**
     * Registers memory.
     *
     * @param address native address
     * @param length bytes
     * @param access sum of access flags
     * @throws TransportException if the system refuses, with its reason
     */
    public Region register(final long address, final long length, final int access) {
        final long mr = LibIbverbs.ibv_reg_mr(domain, address, length, access);
        if (mr == 0) {
            throw failed("ibv_reg_mr of " + length + " bytes", Native.getLastError());
        }
        return new Region(mr, UnsafeApi.getInt(mr + Layout.Mr.LKEY), UnsafeApi.getInt(mr + Layout.Mr.RKEY), length);
    }

    /**
     * Ends a registration; does nothing for null.
     *
     * @param region what {@link #register} returned
     */
    public void deregister(final Region region) {
        if (region != null) {
            check("ibv_dereg_mr", LibIbverbs.ibv_dereg_mr(region.handle()));
        }
    }

    /** Makes a channel for events of completion queues; returns its handle. */
    public long createChannel() {
        return made("ibv_create_comp_channel", LibIbverbs.ibv_create_comp_channel(context));
    }

    /**
     * Destroys a channel.
     *
     * @param channel its handle
     */
    public void destroyChannel(final long channel) {
        check("ibv_destroy_comp_channel", LibIbverbs.ibv_destroy_comp_channel(channel));
    }

    /**
     * Makes a completion queue; returns its handle.
     *
     * @param entries room for so many completions
     * @param channel where its events go; 0: it has none
     */
    public long createCompletionQueue(final int entries, final long channel) {
        return made("ibv_create_cq of " + entries, LibIbverbs.ibv_create_cq(context, entries, 0, channel, 0));
    }

    /**
     * Destroys a completion queue.
     *
     * @param cq its handle
     */
    public void destroyCompletionQueue(final long cq) {
        check("ibv_destroy_cq", LibIbverbs.ibv_destroy_cq(cq));
    }

    /**
     * Makes a shared receive queue; returns its handle.
     *
     * @param workRequests room for so many receives
     */
    public long createSharedReceiveQueue(final int workRequests) {
        final long attributes = scratch();
        try {
            UnsafeApi.putInt(attributes + Layout.SrqInitAttr.MAX_WR, workRequests);
            UnsafeApi.putInt(attributes + Layout.SrqInitAttr.MAX_SGE, 1);
            return made("ibv_create_srq of " + workRequests, LibIbverbs.ibv_create_srq(domain, attributes));
        } finally {
            UnsafeApi.freeMemory(attributes);
        }
    }

    /**
     * Destroys a shared receive queue.
     *
     * @param srq its handle
     */
    public void destroySharedReceiveQueue(final long srq) {
        check("ibv_destroy_srq", LibIbverbs.ibv_destroy_srq(srq));
    }

    /**
     * Makes a queue pair, in the state RESET.
     *
     * @param wish what it is to have
     * @throws TransportException if the device refuses
     */
    public QueuePair createQueuePair(final QueuePair.Wish wish) {
        final long attributes = scratch();
        try {
            UnsafeApi.putLong(attributes + Layout.QpInitAttr.SEND_CQ, wish.completions());
            UnsafeApi.putLong(attributes + Layout.QpInitAttr.RECV_CQ, wish.completions());
            UnsafeApi.putLong(attributes + Layout.QpInitAttr.SRQ, wish.sharedReceives());
            UnsafeApi.putInt(attributes + Layout.QpInitAttr.MAX_SEND_WR, wish.sends());
            UnsafeApi.putInt(attributes + Layout.QpInitAttr.MAX_RECV_WR, wish.receives());
            UnsafeApi.putInt(attributes + Layout.QpInitAttr.MAX_SEND_SGE, wish.elements());
            UnsafeApi.putInt(attributes + Layout.QpInitAttr.MAX_RECV_SGE, 1);
            UnsafeApi.putInt(attributes + Layout.QpInitAttr.MAX_INLINE_DATA, wish.inline());
            UnsafeApi.putInt(attributes + Layout.QpInitAttr.QP_TYPE, wish.type());
            final long qp = LibIbverbs.ibv_create_qp(domain, attributes);
            if (qp == 0) {
                throw failed(
                        "ibv_create_qp of " + wish.sends() + " sends and " + wish.receives() + " receives",
                        Native.getLastError());
            }
            return new QueuePair(device.name(), qp, UnsafeApi.getInt(attributes + Layout.QpInitAttr.MAX_INLINE_DATA));
        } finally {
            UnsafeApi.freeMemory(attributes);
        }
    }

    /**
     * Makes an address handle, for datagrams; returns its handle.
     *
     * @param path where they go
     */
    public long createAddressHandle(final QueuePair.Path path) {
        final long attributes = scratch();
        try {
            path.write(attributes);
            return made("ibv_create_ah", LibIbverbs.ibv_create_ah(domain, attributes));
        } finally {
            UnsafeApi.freeMemory(attributes);
        }
    }

    /**
     * Destroys an address handle.
     *
     * @param ah its handle
     */
    public void destroyAddressHandle(final long ah) {
        check("ibv_destroy_ah", LibIbverbs.ibv_destroy_ah(ah));
    }

    private long made(final String verb, final long handle) {
        if (handle == 0) {
            throw failed(verb, Native.getLastError());
        }
        return handle;
    }

    private void check(final String verb, final int result) {
        if (result != 0) {
            throw failed(verb, result < 0 ? Native.getLastError() : result);
        }
    }

    static long scratch() {
        final long memory = UnsafeApi.allocateMemory(SCRATCH_BYTES);
        UnsafeApi.setMemory(memory, SCRATCH_BYTES, (byte) 0);
        return memory;
    }

    @Override
    public void close() {
        LibIbverbs.ibv_dealloc_pd(domain);
        LibIbverbs.ibv_close_device(context);
    }
}
