package org.parley.transport.verbs.binding;

import org.agrona.UnsafeApi;

/**
 * Writes {@code ibv_send_wr}, {@code ibv_recv_wr} and {@code ibv_sge}, and reads {@code ibv_wc}, at native addresses. Nothing is allocated;
 * whoever has the memory may use it from any thread, one at a time.
 */
public final class WorkRequest {
    /** Bytes of an {@code ibv_send_wr}. */
    public static final int SEND_BYTES = 128;

    /** Bytes of an {@code ibv_recv_wr}. */
    public static final int RECEIVE_BYTES = 32;

    /** Bytes of an {@code ibv_sge}. */
    public static final int SGE_BYTES = 16;

    /** Bytes of an {@code ibv_wc}. */
    public static final int COMPLETION_BYTES = 48;

    /** {@code IBV_WR_RDMA_WRITE}. */
    public static final int RDMA_WRITE = 0;

    /** {@code IBV_WR_SEND}. */
    public static final int SEND = 2;

    /** {@code IBV_WR_RDMA_READ}. */
    public static final int RDMA_READ = 4;

    /** {@code IBV_SEND_SIGNALED}: tell of its completion. */
    public static final int SIGNALED = 2;

    /** {@code IBV_SEND_INLINE}: take the data with the work request. */
    public static final int INLINE = 8;

    /** {@code IBV_WC_RECV}: bit of a completion's opcode that says that a receive has ended. */
    public static final int RECEIVED = 128;

    /** {@code IBV_WC_SUCCESS}. */
    public static final int SUCCESS = 0;

    /** {@code IBV_WC_WR_FLUSH_ERR}: ended because the queue pair had failed before. */
    public static final int FLUSHED = 5;

    static final int NEXT = 8;
    static final int SG_LIST = 16;
    static final int NUM_SGE = 24;
    static final int OPCODE = 28;
    static final int SEND_FLAGS = 32;
    static final int REMOTE_ADDR = 40;
    static final int RKEY = 48;
    static final int UD_AH = 40;
    static final int UD_REMOTE_QPN = 48;
    static final int UD_REMOTE_QKEY = 52;

    static final int SGE_LENGTH = 8;
    static final int SGE_LKEY = 12;

    static final int WC_STATUS = 8;
    static final int WC_OPCODE = 12;
    static final int WC_VENDOR_ERR = 16;
    static final int WC_BYTE_LEN = 20;
    static final int WC_QP_NUM = 28;
    static final int WC_SRC_QP = 32;

    private static final String[] STATUS = {
        "success",
        "local length error",
        "local queue pair operation error",
        "local EE context operation error",
        "local protection error",
        "work request flushed error",
        "memory window bind error",
        "bad response error",
        "local access error",
        "remote invalid request error",
        "remote access error",
        "remote operation error",
        "transport retry counter exceeded",
        "receiver-not-ready retry counter exceeded",
        "local RDD violation error",
        "remote invalid RD request",
        "remote aborted error",
        "invalid EE context number",
        "invalid EE context state",
        "fatal error",
        "response timeout error",
        "general error"
    };

    private WorkRequest() {}

    /** Writes a scatter/gather element. */
    public static void element(final long sge, final long address, final int length, final int lkey) {
        UnsafeApi.putLong(sge, address);
        UnsafeApi.putInt(sge + SGE_LENGTH, length);
        UnsafeApi.putInt(sge + SGE_LKEY, lkey);
    }

    /** Writes a receive. */
    public static void receive(final long wr, final long id, final long elements, final int count) {
        UnsafeApi.putLong(wr, id);
        UnsafeApi.putLong(wr + NEXT, 0);
        UnsafeApi.putLong(wr + SG_LIST, elements);
        UnsafeApi.putInt(wr + NUM_SGE, count);
    }

    /** Writes a send, or the common part of others. */
    public static void send(
            final long wr, final long id, final long elements, final int count, final int opcode, final int flags) {
        receive(wr, id, elements, count);
        UnsafeApi.putInt(wr + OPCODE, opcode);
        UnsafeApi.putInt(wr + SEND_FLAGS, flags);
    }

    /** Says where a read or write goes in the peer's memory. */
    public static void remote(final long wr, final long address, final int rkey) {
        UnsafeApi.putLong(wr + REMOTE_ADDR, address);
        UnsafeApi.putInt(wr + RKEY, rkey);
    }

    /** Says where a datagram goes. */
    public static void datagram(final long wr, final long addressHandle, final int qpn, final int qkey) {
        UnsafeApi.putLong(wr + UD_AH, addressHandle);
        UnsafeApi.putInt(wr + UD_REMOTE_QPN, qpn);
        UnsafeApi.putInt(wr + UD_REMOTE_QKEY, qkey);
    }

    /** Lets one work request follow another: both go with one call. */
    public static void next(final long wr, final long following) {
        UnsafeApi.putLong(wr + NEXT, following);
    }

    /** Returns the work request that follows, or 0. */
    public static long following(final long wr) {
        return UnsafeApi.getLong(wr + NEXT);
    }

    /** Returns a completion's work request id. */
    public static long id(final long wc) {
        return UnsafeApi.getLong(wc);
    }

    /** Returns a completion's status, {@link #SUCCESS} or an {@code ibv_wc_status}. */
    public static int status(final long wc) {
        return UnsafeApi.getInt(wc + WC_STATUS);
    }

    /** Returns a completion's opcode; means nothing after a failure. */
    public static int opcode(final long wc) {
        return UnsafeApi.getInt(wc + WC_OPCODE);
    }

    /** Returns the device's own number of a failure. */
    public static int vendorError(final long wc) {
        return UnsafeApi.getInt(wc + WC_VENDOR_ERR);
    }

    /** Returns how many bytes a receive took. */
    public static int length(final long wc) {
        return UnsafeApi.getInt(wc + WC_BYTE_LEN);
    }

    /** Returns the number of the local queue pair. */
    public static int queuePair(final long wc) {
        return UnsafeApi.getInt(wc + WC_QP_NUM);
    }

    /** Returns the number of the queue pair that sent a datagram. */
    public static int sourceQueuePair(final long wc) {
        return UnsafeApi.getInt(wc + WC_SRC_QP);
    }

    /** Returns a status in the manual's words. */
    public static String statusText(final int status) {
        return status >= 0 && status < STATUS.length ? STATUS[status] : "unknown status " + status;
    }
}
