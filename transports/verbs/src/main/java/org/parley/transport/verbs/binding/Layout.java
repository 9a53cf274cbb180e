package org.parley.transport.verbs.binding;

/**
 * Where the fields of {@code infiniband/verbs.h} lie on x86-64: offsets in bytes, by C's names. Fixed by libibverbs' ABI (IBVERBS_1.1);
 * a test compares them with the header, and {@link VerbsContext} looks at a device's own before it trusts them.
 */
final class Layout {
    private Layout() {}

    /** {@code struct ibv_device}. */
    static final class Device {
        static final int DEV_NAME = 88;
        static final int NAME = 24;
        static final int IBDEV_PATH = 408;
        static final int SIZE = 664;

        private Device() {}
    }

    /** {@code struct ibv_context}, with its functions. */
    static final class Context {
        static final int DEVICE = 0;
        static final int POLL_CQ = 96;
        static final int REQ_NOTIFY_CQ = 104;
        static final int POST_SRQ_RECV = 168;
        static final int POST_SEND = 208;
        static final int POST_RECV = 216;
        static final int CMD_FD = 264;
        static final int ASYNC_FD = 268;
        static final int NUM_COMP_VECTORS = 272;
        static final int SIZE = 328;

        private Context() {}
    }

    /** {@code struct ibv_device_attr}. */
    static final class DeviceAttr {
        static final int FW_VER = 0;
        static final int MAX_MR_SIZE = 80;
        static final int VENDOR_ID = 96;
        static final int VENDOR_PART_ID = 100;
        static final int MAX_QP = 108;
        static final int MAX_QP_WR = 112;
        static final int MAX_SGE = 120;
        static final int MAX_CQE = 132;
        static final int MAX_MR = 136;
        static final int MAX_QP_RD_ATOM = 144;
        static final int MAX_QP_INIT_RD_ATOM = 156;
        static final int MAX_AH = 200;
        static final int MAX_SRQ = 212;
        static final int MAX_SRQ_WR = 216;
        static final int PHYS_PORT_CNT = 227;
        static final int SIZE = 232;

        private DeviceAttr() {}
    }

    /** {@code struct ibv_port_attr}. */
    static final class PortAttr {
        static final int STATE = 0;
        static final int MAX_MTU = 4;
        static final int ACTIVE_MTU = 8;
        static final int GID_TBL_LEN = 12;
        static final int MAX_MSG_SZ = 20;
        static final int PKEY_TBL_LEN = 32;
        static final int LID = 34;
        static final int ACTIVE_WIDTH = 43;
        static final int ACTIVE_SPEED = 44;
        static final int LINK_LAYER = 46;
        static final int SIZE = 52;

        private PortAttr() {}
    }

    /** {@code struct ibv_mr}. */
    static final class Mr {
        static final int LKEY = 36;
        static final int RKEY = 40;
        static final int SIZE = 48;

        private Mr() {}
    }

    /** {@code struct ibv_cq}. */
    static final class Cq {
        static final int CQE = 28;
        static final int SIZE = 128;

        private Cq() {}
    }

    /** {@code struct ibv_qp}. */
    static final class Qp {
        static final int QP_NUM = 52;
        static final int STATE = 56;
        static final int SIZE = 160;

        private Qp() {}
    }

    /** {@code struct ibv_qp_init_attr}. */
    static final class QpInitAttr {
        static final int SEND_CQ = 8;
        static final int RECV_CQ = 16;
        static final int SRQ = 24;
        static final int MAX_SEND_WR = 32;
        static final int MAX_RECV_WR = 36;
        static final int MAX_SEND_SGE = 40;
        static final int MAX_RECV_SGE = 44;
        static final int MAX_INLINE_DATA = 48;
        static final int QP_TYPE = 52;
        static final int SQ_SIG_ALL = 56;
        static final int SIZE = 64;

        private QpInitAttr() {}
    }

    /** {@code struct ibv_qp_attr}. */
    static final class QpAttr {
        static final int QP_STATE = 0;
        static final int PATH_MTU = 8;
        static final int QKEY = 16;
        static final int RQ_PSN = 20;
        static final int SQ_PSN = 24;
        static final int DEST_QP_NUM = 28;
        static final int QP_ACCESS_FLAGS = 32;
        static final int AH_ATTR = 56;
        static final int PKEY_INDEX = 120;
        static final int MAX_RD_ATOMIC = 126;
        static final int MAX_DEST_RD_ATOMIC = 127;
        static final int MIN_RNR_TIMER = 128;
        static final int PORT_NUM = 129;
        static final int TIMEOUT = 130;
        static final int RETRY_CNT = 131;
        static final int RNR_RETRY = 132;
        static final int SIZE = 144;

        private QpAttr() {}
    }

    /** {@code struct ibv_ah_attr}. */
    static final class AhAttr {
        static final int DGID = 0;
        static final int SGID_INDEX = 20;
        static final int HOP_LIMIT = 21;
        static final int DLID = 24;
        static final int IS_GLOBAL = 29;
        static final int PORT_NUM = 30;
        static final int SIZE = 32;

        private AhAttr() {}
    }

    /** {@code struct ibv_srq_init_attr}. */
    static final class SrqInitAttr {
        static final int MAX_WR = 8;
        static final int MAX_SGE = 12;
        static final int SIZE = 24;

        private SrqInitAttr() {}
    }
}
