package org.parley.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.parley.transport.verbs.FabricPort.Kind;

class FabricPortTest {
    private static byte[] ipv4(final int a, final int b, final int c, final int d) {
        return new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, (byte) a, (byte) b, (byte) c, (byte) d};
    }

    private static FabricPort roce(final Kind kind, final int prefix, final byte[] gid) {
        return new FabricPort(kind, 3, false, prefix, 0, 0xffff, gid);
    }

    private static void assertReach(final FabricPort a, final FabricPort b, final boolean reaches) {
        assertThat(a.reaches(b).available()).isEqualTo(reaches);
        assertThat(b.reaches(a).available()).isEqualTo(reaches);
        if (!reaches) {
            assertThat(a.reaches(b).reason()).isNotBlank();
        }
    }

    @Test
    void shouldReachPortsOfOneTypeInOneNetwork() {
        final FabricPort port = roce(Kind.ROCE_V2, 24, ipv4(10, 77, 0, 1));
        assertReach(port, roce(Kind.ROCE_V2, 24, ipv4(10, 77, 0, 200)), true);
        assertReach(port, roce(Kind.ROCE_V2, 24, ipv4(10, 77, 1, 1)), false);
        assertReach(port, roce(Kind.ROCE_V2, 16, ipv4(10, 77, 0, 2)), false);
        assertReach(port, roce(Kind.ROCE_V1, 24, ipv4(10, 77, 0, 2)), false);
        assertReach(roce(Kind.ROCE_V2, 20, ipv4(10, 77, 15, 1)), roce(Kind.ROCE_V2, 20, ipv4(10, 77, 0, 1)), true);
        assertReach(roce(Kind.ROCE_V2, 20, ipv4(10, 77, 16, 1)), roce(Kind.ROCE_V2, 20, ipv4(10, 77, 0, 1)), false);
    }

    @Test
    void shouldCompareSubnetsOfInfiniBand() {
        final byte[] first = {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 1};
        final byte[] second = {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 2};
        final byte[] elsewhere = {1, 2, 3, 4, 5, 6, 7, 9, 0, 0, 0, 0, 0, 0, 0, 2};
        assertReach(roce(Kind.INFINIBAND, 0, first), roce(Kind.INFINIBAND, 0, second), true);
        assertReach(roce(Kind.INFINIBAND, 0, first), roce(Kind.INFINIBAND, 0, elsewhere), false);
    }

    @Test
    void shouldBelieveTheUserWhoChoosesAGid() {
        final FabricPort port = roce(Kind.ROCE_V2, 24, ipv4(10, 77, 0, 1));
        final FabricPort chosen = new FabricPort(Kind.ROCE_V2, 3, true, 24, 0, 0xffff, ipv4(10, 78, 0, 1));
        assertReach(port, chosen, true);
    }

    @Test
    void shouldReadWhatItWrites() {
        final FabricPort port = new FabricPort(Kind.ROCE_V1, 5, true, 24, 0xfffe, 0x8001, ipv4(10, 0, 0, 255));
        final ByteBuffer bytes = ByteBuffer.allocate(FabricPort.BYTES);
        port.encode(bytes);
        assertThat(bytes.hasRemaining()).isFalse();
        final FabricPort read = FabricPort.decode(bytes.flip());
        assertThat(read).usingRecursiveComparison().isEqualTo(port);
        assertThat(read.text()).isEqualTo("10.0.0.255");
    }

    private static FabricPort inPartition(final int pkey) {
        return new FabricPort(Kind.ROCE_V2, 3, true, 24, 0, pkey, ipv4(10, 78, 0, 1));
    }

    @Test
    void shouldReachOnlyItsOwnPartitionAndNotAsALimitedMemberAnother() {
        assertThat(inPartition(0x8001).reaches(inPartition(0x8001)).available()).isTrue();
        assertThat(inPartition(0x8001).reaches(inPartition(0x0001)).available()).isTrue();
        assertThat(inPartition(0x0001).reaches(inPartition(0x8001)).available()).isTrue();
        assertThat(inPartition(0x0001).reaches(inPartition(0x0001)).reason()).contains("limited members", "0x0001");
        assertThat(inPartition(0x8001).reaches(inPartition(0xffff)).reason())
                .contains("P_Key is 0x8001", "the peer's 0xffff", "verbs.pkey");
    }
}
