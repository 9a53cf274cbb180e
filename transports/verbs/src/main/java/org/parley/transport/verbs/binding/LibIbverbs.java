package org.parley.transport.verbs.binding;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/** libibverbs' exported functions, as its manual has them; pointers and sizes are longs. Registered once per process. */
final class LibIbverbs {
    private LibIbverbs() {}

    static native long ibv_get_device_list(long count);

    static native void ibv_free_device_list(long list);

    static native long ibv_open_device(long device);

    static native int ibv_close_device(long context);

    static native int ibv_query_device(long context, long attributes);

    static native int ibv_query_port(long context, byte port, long attributes);

    static native int ibv_query_gid(long context, byte port, int index, long gid);

    static native int ibv_query_pkey(long context, byte port, int index, long pkey);

    static native long ibv_alloc_pd(long context);

    static native int ibv_dealloc_pd(long pd);

    static native long ibv_reg_mr(long pd, long address, long length, int access);

    static native int ibv_dereg_mr(long mr);

    static native long ibv_create_comp_channel(long context);

    static native int ibv_destroy_comp_channel(long channel);

    static native long ibv_create_cq(long context, int entries, long cqContext, long channel, int vector);

    static native int ibv_destroy_cq(long cq);

    static native int ibv_get_cq_event(long channel, long cq, long cqContext);

    static native void ibv_ack_cq_events(long cq, int count);

    static native long ibv_create_srq(long pd, long attributes);

    static native int ibv_destroy_srq(long srq);

    static native long ibv_create_qp(long pd, long attributes);

    static native int ibv_modify_qp(long qp, long attributes, int mask);

    static native int ibv_destroy_qp(long qp);

    static native long ibv_create_ah(long pd, long attributes);

    static native int ibv_destroy_ah(long ah);

    /** Binds the functions to a library; throws an {@link UnsatisfiedLinkError} that names what is missing. */
    static void bind(final String library) {
        Native.register(LibIbverbs.class, NativeLibrary.getInstance(library));
    }
}
