package org.parley.transport.verbs.binding;

import com.sun.jna.Native;
import org.agrona.UnsafeApi;

/**
 * The verbs that C programs have inline: calls through the function pointers of a device's context, prepared once, with arguments in
 * native memory (33 ns of overhead a call, docs/performance.md). Used by one thread at a time; each thread has its own.
 */
public final class DataPath implements AutoCloseable {
    private static final int FFI_INT = 10;
    private static final int FFI_POINTER = 14;
    private static final int FFI_TYPE_BYTES = 24;
    private static final int ARGUMENTS = 3;

    // One block: two ffi types, the type lists, the argument list, the arguments, the bad work request, the result.
    private static final int INT_TYPE = 0;
    private static final int POINTER_TYPE = INT_TYPE + FFI_TYPE_BYTES;
    private static final int POST_TYPES = POINTER_TYPE + FFI_TYPE_BYTES;
    private static final int POLL_TYPES = POST_TYPES + 8 * ARGUMENTS;
    private static final int POINTERS = POLL_TYPES + 8 * ARGUMENTS;
    private static final int VALUES = POINTERS + 8 * ARGUMENTS;
    private static final int BAD = VALUES + 8 * ARGUMENTS;
    private static final int RESULT = BAD + 8;
    private static final int BLOCK = RESULT + 16;

    private final long block;
    private final long post;
    private final long poll;
    private final long notify;
    private final long postSend;
    private final long postReceive;
    private final long postSharedReceive;
    private final long pollCompletions;
    private final long requestNotification;

    /** Takes the functions of a context. */
    DataPath(final long context) {
        postSend = UnsafeApi.getLong(context + Layout.Context.POST_SEND);
        postReceive = UnsafeApi.getLong(context + Layout.Context.POST_RECV);
        postSharedReceive = UnsafeApi.getLong(context + Layout.Context.POST_SRQ_RECV);
        pollCompletions = UnsafeApi.getLong(context + Layout.Context.POLL_CQ);
        requestNotification = UnsafeApi.getLong(context + Layout.Context.REQ_NOTIFY_CQ);
        block = UnsafeApi.allocateMemory(BLOCK);
        UnsafeApi.setMemory(block, BLOCK, (byte) 0);
        type(INT_TYPE, 4, FFI_INT);
        type(POINTER_TYPE, 8, FFI_POINTER);
        for (int i = 0; i < ARGUMENTS; i++) {
            UnsafeApi.putLong(block + POST_TYPES + 8L * i, block + POINTER_TYPE);
            UnsafeApi.putLong(block + POLL_TYPES + 8L * i, block + (i == 1 ? INT_TYPE : POINTER_TYPE));
            UnsafeApi.putLong(block + POINTERS + 8L * i, block + VALUES + 8L * i);
        }
        post = Native.ffi_prep_cif(0, ARGUMENTS, block + INT_TYPE, block + POST_TYPES);
        poll = Native.ffi_prep_cif(0, ARGUMENTS, block + INT_TYPE, block + POLL_TYPES);
        notify = Native.ffi_prep_cif(0, 2, block + INT_TYPE, block + POLL_TYPES);
    }

    private void type(final int offset, final int size, final int kind) {
        UnsafeApi.putLong(block + offset, size);
        UnsafeApi.putShort(block + offset + 8, (short) size);
        UnsafeApi.putShort(block + offset + 10, (short) kind);
    }

    /**
     * Calls {@code ibv_post_send(3)}.
     *
     * @param qp the queue pair's handle
     * @param wr the first work request of a list
     * @return 0, or errno
     */
    public int postSend(final long qp, final long wr) {
        return call(post, postSend, qp, wr, block + BAD);
    }

    /**
     * Calls {@code ibv_post_recv(3)}.
     *
     * @param qp the queue pair's handle
     * @param wr the first work request of a list
     * @return 0, or errno
     */
    public int postReceive(final long qp, final long wr) {
        return call(post, postReceive, qp, wr, block + BAD);
    }

    /**
     * Calls {@code ibv_post_srq_recv(3)}.
     *
     * @param srq the shared receive queue's handle
     * @param wr the first work request of a list
     * @return 0, or errno
     */
    public int postSharedReceive(final long srq, final long wr) {
        return call(post, postSharedReceive, srq, wr, block + BAD);
    }

    /** Returns the work request that the last failed post did not take; those before it were. */
    public long notPosted() {
        return UnsafeApi.getLong(block + BAD);
    }

    /**
     * Calls {@code ibv_poll_cq(3)}.
     *
     * @param cq the completion queue's handle
     * @param most how many completions at most
     * @param completions room for them
     * @return how many there were; negative: failed
     */
    public int poll(final long cq, final int most, final long completions) {
        return call(poll, pollCompletions, cq, most, completions);
    }

    /**
     * Calls {@code ibv_req_notify_cq(3)}.
     *
     * @param cq the completion queue's handle
     * @return 0, or errno
     */
    public int requestNotification(final long cq) {
        return call(notify, requestNotification, cq, 0, 0);
    }

    private int call(final long cif, final long function, final long first, final long second, final long third) {
        UnsafeApi.putLong(block + VALUES, first);
        UnsafeApi.putLong(block + VALUES + 8, second);
        UnsafeApi.putLong(block + VALUES + 16, third);
        Native.ffi_call(cif, function, block + RESULT, block + POINTERS);
        return UnsafeApi.getInt(block + RESULT);
    }

    @Override
    public void close() {
        Native.free(post);
        Native.free(poll);
        Native.free(notify);
        UnsafeApi.freeMemory(block);
    }
}
