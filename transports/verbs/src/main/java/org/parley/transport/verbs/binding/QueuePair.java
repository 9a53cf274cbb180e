package org.parley.transport.verbs.binding;

import com.sun.jna.Native;
import org.agrona.UnsafeApi;

/** A queue pair and its way through its states. One thread at a time. */
public final class QueuePair implements AutoCloseable {
    /** {@code IBV_QPT_RC}: a reliable connection. */
    public static final int RELIABLE_CONNECTION = 2;

    /** {@code IBV_QPT_UD}: unreliable datagrams. */
    public static final int UNRELIABLE_DATAGRAM = 4;

    /** For {@link #send(int, int, int, int)}: a message waits at its sender until the peer posts a receive. */
    public static final int WAIT_FOR_RECEIVES = 7;

    private static final int STATE = 1;
    private static final int ACCESS_FLAGS = 1 << 3;
    private static final int PKEY_INDEX = 1 << 4;
    private static final int PORT = 1 << 5;
    private static final int QKEY = 1 << 6;
    private static final int AV = 1 << 7;
    private static final int PATH_MTU = 1 << 8;
    private static final int TIMEOUT = 1 << 9;
    private static final int RETRY_CNT = 1 << 10;
    private static final int RNR_RETRY = 1 << 11;
    private static final int RQ_PSN = 1 << 12;
    private static final int MAX_QP_RD_ATOMIC = 1 << 13;
    private static final int MIN_RNR_TIMER = 1 << 15;
    private static final int SQ_PSN = 1 << 16;
    private static final int MAX_DEST_RD_ATOMIC = 1 << 17;
    private static final int DEST_QPN = 1 << 20;

    private static final int INIT = 1;
    private static final int READY_TO_RECEIVE = 2;
    private static final int READY_TO_SEND = 3;
    private static final int ERROR = 6;

    private static final int HOPS = 64;

    /** 0.64 ms; credits see to it that nobody waits for a receive. */
    private static final int RNR_TIMER = 12;

    private static final int RNR_RETRIES = 6;
    private static final int RETRIES = 7;

    /**
     * What a queue pair is to have.
     *
     * @param type {@link #RELIABLE_CONNECTION} or {@link #UNRELIABLE_DATAGRAM}
     * @param completions the completion queue's handle
     * @param sharedReceives the shared receive queue's handle; 0: receives of its own
     * @param sends work requests in the send queue
     * @param receives work requests in the receive queue
     * @param elements scatter/gather elements of a send
     * @param inline bytes that a send takes along inline
     */
    public record Wish(
            int type, long completions, long sharedReceives, int sends, int receives, int elements, int inline) {}

    /**
     * The way to a port.
     *
     * @param port the local port
     * @param gidIndex the local GID; negative: InfiniBand within a subnet, by LID
     * @param gid the peer's GID
     * @param lid the peer's LID
     */
    public record Path(int port, int gidIndex, byte[] gid, int lid) {
        void write(final long attributes) {
            UnsafeApi.putShort(attributes + Layout.AhAttr.DLID, (short) lid);
            UnsafeApi.putByte(attributes + Layout.AhAttr.PORT_NUM, (byte) port);
            if (gidIndex >= 0) {
                UnsafeApi.copyMemory(
                        gid,
                        UnsafeApi.arrayBaseOffset(byte[].class),
                        null,
                        attributes + Layout.AhAttr.DGID,
                        VerbsContext.GID_BYTES);
                UnsafeApi.putByte(attributes + Layout.AhAttr.SGID_INDEX, (byte) gidIndex);
                UnsafeApi.putByte(attributes + Layout.AhAttr.HOP_LIMIT, (byte) HOPS);
                UnsafeApi.putByte(attributes + Layout.AhAttr.IS_GLOBAL, (byte) 1);
            }
        }
    }

    private final String device;
    private final int maxInline;
    private long handle;

    QueuePair(final String device, final long handle, final int maxInline) {
        this.device = device;
        this.handle = handle;
        this.maxInline = maxInline;
    }

    /** Returns {@code struct ibv_qp}, for {@link DataPath}. */
    public long handle() {
        return handle;
    }

    /** Returns the number that the peer needs. */
    public int number() {
        return UnsafeApi.getInt(handle + Layout.Qp.QP_NUM);
    }

    /** Returns how many bytes the device takes inline; 0: none. */
    public int maxInline() {
        return maxInline;
    }

    /**
     * RESET to INIT, as a reliable connection: receives may be posted.
     *
     * @param port the local port
     * @param pkey which entry of the port's P_Key table its packets have
     * @param access what peers may do: sum of access flags
     */
    public void initialise(final int port, final int pkey, final int access) {
        modify("INIT", STATE | PKEY_INDEX | PORT | ACCESS_FLAGS, attributes -> {
            UnsafeApi.putInt(attributes + Layout.QpAttr.QP_STATE, INIT);
            UnsafeApi.putByte(attributes + Layout.QpAttr.PORT_NUM, (byte) port);
            UnsafeApi.putShort(attributes + Layout.QpAttr.PKEY_INDEX, (short) pkey);
            UnsafeApi.putInt(attributes + Layout.QpAttr.QP_ACCESS_FLAGS, access);
        });
    }

    /**
     * RESET to RTS by way of INIT and RTR, for datagrams.
     *
     * @param port the local port
     * @param pkey which entry of the port's P_Key table its packets have
     * @param qkey what datagrams must have
     * @param psn number of the first packet
     */
    public void begin(final int port, final int pkey, final int qkey, final int psn) {
        modify("INIT", STATE | PKEY_INDEX | PORT | QKEY, attributes -> {
            UnsafeApi.putInt(attributes + Layout.QpAttr.QP_STATE, INIT);
            UnsafeApi.putByte(attributes + Layout.QpAttr.PORT_NUM, (byte) port);
            UnsafeApi.putShort(attributes + Layout.QpAttr.PKEY_INDEX, (short) pkey);
            UnsafeApi.putInt(attributes + Layout.QpAttr.QKEY, qkey);
        });
        modify("RTR", STATE, attributes -> UnsafeApi.putInt(attributes + Layout.QpAttr.QP_STATE, READY_TO_RECEIVE));
        modify("RTS", STATE | SQ_PSN, attributes -> {
            UnsafeApi.putInt(attributes + Layout.QpAttr.QP_STATE, READY_TO_SEND);
            UnsafeApi.putInt(attributes + Layout.QpAttr.SQ_PSN, psn);
        });
    }

    /**
     * INIT to RTR: what the peer sends is received.
     *
     * @param path the way to the peer
     * @param mtu {@code ibv_mtu} of the path
     * @param qpn the peer's queue pair
     * @param psn number of the peer's first packet
     * @param reads RDMA READs of the peer that may be under way
     */
    public void receive(final Path path, final int mtu, final int qpn, final int psn, final int reads) {
        final int mask = STATE | AV | PATH_MTU | DEST_QPN | RQ_PSN | MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER;
        modify("RTR", mask, attributes -> {
            UnsafeApi.putInt(attributes + Layout.QpAttr.QP_STATE, READY_TO_RECEIVE);
            path.write(attributes + Layout.QpAttr.AH_ATTR);
            UnsafeApi.putInt(attributes + Layout.QpAttr.PATH_MTU, mtu);
            UnsafeApi.putInt(attributes + Layout.QpAttr.DEST_QP_NUM, qpn);
            UnsafeApi.putInt(attributes + Layout.QpAttr.RQ_PSN, psn);
            UnsafeApi.putByte(attributes + Layout.QpAttr.MAX_DEST_RD_ATOMIC, (byte) reads);
            UnsafeApi.putByte(attributes + Layout.QpAttr.MIN_RNR_TIMER, (byte) RNR_TIMER);
        });
    }

    /**
     * RTR to RTS: sends leave.
     *
     * @param psn number of the first packet
     * @param reads RDMA READs that may be under way
     * @param timeout after 4.096 us times 2 to the power of this a packet without an answer is sent again
     */
    public void send(final int psn, final int reads, final int timeout) {
        send(psn, reads, timeout, RNR_RETRIES);
    }

    /**
     * RTR to RTS, as the other; what follows if the peer has no receive posted is the caller's choice.
     *
     * @param psn number of the first packet
     * @param reads RDMA READs that may be under way
     * @param timeout as of the other
     * @param rnrRetries how often it is sent again; {@link #WAIT_FOR_RECEIVES}: always
     */
    public void send(final int psn, final int reads, final int timeout, final int rnrRetries) {
        modify("RTS", STATE | TIMEOUT | RETRY_CNT | RNR_RETRY | SQ_PSN | MAX_QP_RD_ATOMIC, attributes -> {
            UnsafeApi.putInt(attributes + Layout.QpAttr.QP_STATE, READY_TO_SEND);
            UnsafeApi.putInt(attributes + Layout.QpAttr.SQ_PSN, psn);
            UnsafeApi.putByte(attributes + Layout.QpAttr.TIMEOUT, (byte) timeout);
            UnsafeApi.putByte(attributes + Layout.QpAttr.RETRY_CNT, (byte) RETRIES);
            UnsafeApi.putByte(attributes + Layout.QpAttr.RNR_RETRY, (byte) rnrRetries);
            UnsafeApi.putByte(attributes + Layout.QpAttr.MAX_RD_ATOMIC, (byte) reads);
        });
    }

    /** Any state to ERR: nothing more is sent or received, and all that is posted ends as flushed. */
    public void fail() {
        modify("ERR", STATE, attributes -> UnsafeApi.putInt(attributes + Layout.QpAttr.QP_STATE, ERROR));
    }

    private interface Fields {
        void write(long attributes);
    }

    private void modify(final String state, final int mask, final Fields fields) {
        final long attributes = VerbsContext.scratch();
        try {
            fields.write(attributes);
            final int result = LibIbverbs.ibv_modify_qp(handle, attributes, mask);
            if (result != 0) {
                throw Verbs.failed(
                        "ibv_modify_qp to " + state + " on " + device, result < 0 ? Native.getLastError() : result);
            }
        } finally {
            UnsafeApi.freeMemory(attributes);
        }
    }

    /** Destroys it: from here on the device touches no memory for it. A second call does nothing. */
    @Override
    public void close() {
        if (handle != 0) {
            final int result = LibIbverbs.ibv_destroy_qp(handle);
            handle = 0;
            if (result != 0) {
                throw Verbs.failed("ibv_destroy_qp on " + device, result < 0 ? Native.getLastError() : result);
            }
        }
    }
}
