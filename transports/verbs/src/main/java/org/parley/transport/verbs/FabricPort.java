package org.parley.transport.verbs;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.parley.transport.Availability;
import org.parley.transport.verbs.binding.VerbsContext;

/**
 * A port as its peers see it.
 *
 * <pre>
 *   kind u8, mtu u8, chosen u8, prefix u8, lid u16, pkey u16, gid 16 bytes
 * </pre>
 *
 * @param kind what its fabric is
 * @param mtu {@code ibv_mtu} in force, 1 to 5
 * @param chosen whether a user has chosen the GID: networks are not compared
 * @param prefix bits of an IPv4 GID's address that name its network; 0: not known
 * @param lid its LID; 0 on Ethernet
 * @param pkey the P_Key of its packets: a partition, and in the highest bit whether the port is a full member
 * @param gid its GID
 */
record FabricPort(Kind kind, int mtu, boolean chosen, int prefix, int lid, int pkey, byte[] gid) {
    static final int BYTES = 8 + VerbsContext.GID_BYTES;
    private static final byte[] IPV4 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};
    private static final int SUBNET_BYTES = 8;
    private static final int LARGEST_MTU = 5;
    private static final int FULL_MEMBER = 0x8000;

    /** What carries the packets; both ends need the same. */
    enum Kind {
        /** InfiniBand. */
        INFINIBAND("InfiniBand"),
        /** Ethernet frames. */
        ROCE_V1("RoCE v1"),
        /** UDP. */
        ROCE_V2("RoCE v2"),
        /** Ethernet, by a kernel that does not tell the version. */
        ROCE("RoCE");

        private final String text;

        Kind(final String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    void encode(final ByteBuffer bytes) {
        bytes.put((byte) kind.ordinal())
                .put((byte) mtu)
                .put((byte) (chosen ? 1 : 0))
                .put((byte) prefix)
                .putShort((short) lid)
                .putShort((short) pkey)
                .put(gid);
    }

    /** Reads one; throws a {@link org.parley.transport.TransportException} if it is none. */
    static FabricPort decode(final ByteBuffer bytes) {
        final int kind = bytes.get();
        final int mtu = bytes.get();
        final boolean chosen = bytes.get() != 0;
        final int prefix = bytes.get() & 0xff;
        final int lid = bytes.getShort() & 0xffff;
        final int pkey = bytes.getShort() & 0xffff;
        final byte[] gid = new byte[VerbsContext.GID_BYTES];
        bytes.get(gid);
        if (kind < 0 || kind >= Kind.values().length || mtu < 1 || mtu > LARGEST_MTU) {
            throw new org.parley.transport.TransportException(
                    "rc: a port of kind " + kind + " with MTU number " + mtu + " is none");
        }
        return new FabricPort(Kind.values()[kind], mtu, chosen, prefix, lid, pkey, gid);
    }

    /** Whether the GID stands for an IPv4 address. */
    static boolean isIpv4(final byte[] gid) {
        return Arrays.equals(gid, 0, IPV4.length, IPV4, 0, IPV4.length);
    }

    /** Whether a P_Key makes the port a full member of a partition. */
    static boolean isFullMember(final int pkey) {
        return (pkey & FULL_MEMBER) != 0;
    }

    /** Whether two P_Keys are of the same partition. */
    static boolean isSamePartition(final int pkey, final int other) {
        return ((pkey ^ other) & ~FULL_MEMBER) == 0;
    }

    /** Whether packets find the way between two ports. Symmetric. */
    Availability reaches(final FabricPort other) {
        if (kind != other.kind) {
            return Availability.no("this port speaks " + kind.text + ", the peer's " + other.kind.text
                    + ": choose GIDs of one type" + " by --set verbs.gid.index=");
        }
        if (!isSamePartition(pkey, other.pkey)) {
            return Availability.no("this port's P_Key is " + pkeyText() + ", the peer's " + other.pkeyText()
                    + ", of another partition: choose one that both ports have by --set verbs.pkey=");
        }
        if (!isFullMember(pkey) && !isFullMember(other.pkey)) {
            return Availability.no(
                    "this port and the peer's are limited members of the partition of P_Key " + pkeyText()
                            + ", which hear none but its full members: let the subnet manager make one of them full");
        }
        if (chosen || other.chosen) {
            return Availability.YES;
        }
        if (kind == Kind.INFINIBAND) {
            return Arrays.equals(gid, 0, SUBNET_BYTES, other.gid, 0, SUBNET_BYTES)
                    ? Availability.YES
                    : Availability.no(
                            "the ports are in different InfiniBand subnets (" + text() + " and " + other.text() + ")");
        }
        if (isIpv4(gid) != isIpv4(other.gid)) {
            return Availability.no("GID " + text() + " and the peer's " + other.text()
                    + " are of different kinds: give both cards IPv4 addresses of one network");
        }
        if (isIpv4(gid) && (prefix != other.prefix || !isSameNetwork(other))) {
            return Availability.no("the ports are in different networks, " + text() + "/" + prefix + " and "
                    + other.text() + "/" + other.prefix + "; where RoCE is routed: --set verbs.gid.index=");
        }
        return Availability.YES;
    }

    private boolean isSameNetwork(final FabricPort other) {
        for (int bit = 0; bit < prefix; bit++) {
            final int at = IPV4.length + bit / 8;
            if (at >= gid.length || ((gid[at] ^ other.gid[at]) >> 7 - bit % 8 & 1) != 0) {
                return false;
            }
        }
        return true;
    }

    String pkeyText() {
        return String.format("0x%04x", pkey);
    }

    /** Returns the GID as people write it. */
    String text() {
        if (isIpv4(gid)) {
            return (gid[12] & 0xff) + "." + (gid[13] & 0xff) + "." + (gid[14] & 0xff) + "." + (gid[15] & 0xff);
        }
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < gid.length; i += 2) {
            text.append(i == 0 ? "" : ":").append(Integer.toHexString((gid[i] & 0xff) << 8 | gid[i + 1] & 0xff));
        }
        return text.toString();
    }
}
