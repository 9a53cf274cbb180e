package org.parley.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.parley.transport.JobSecret;
import org.parley.transport.RankAddress;
import org.parley.transport.TransportContext;
import org.parley.transport.TransportException;

/** Whatever is said of a port, a queue pair or a rank, it means something or is refused. */
class DecodersFuzzTest {
    private static final TransportContext RANK_1 =
            new TransportContext("job", 1, 3, 3, Path.of("."), JobSecret.create(), null);

    /** What the control link hands over has the length that was asked for. */
    @FuzzTest
    void shouldTakeOrRefuseAnyOffer(final byte[] bytes) {
        final byte[] said = Arrays.copyOf(bytes, Offer.BYTES);
        final Offer offer;
        try {
            offer = Offer.decode(ByteBuffer.wrap(said));
        } catch (final TransportException e) {
            assertThat(e).hasMessageContaining("is none");
            return;
        }
        assertThat(offer.port().text()).isNotEmpty();
        assertThat(offer.port().reaches(offer.port())).isNotNull();
        assertThat(Offer.decode(ByteBuffer.wrap(offer.encode())).encode()).isEqualTo(offer.encode());
    }

    @FuzzTest
    void shouldTakeOrRefuseAnyAddressForDatagrams(final byte[] bytes) {
        final UdAddress address;
        try {
            address = UdAddress.decode(bytes);
        } catch (final TransportException e) {
            assertThat(e).hasMessageContaining("is none");
            return;
        }
        assertThat(address.text()).contains("GID");
        assertThat(UdAddress.decode(address.encode()).encode()).isEqualTo(address.encode());
    }

    @FuzzTest
    void shouldTakeOrRefuseAnyAddressForConnections(final byte[] bytes) {
        final byte[] said = bytes.clone();
        if (said.length >= Long.BYTES) {
            ByteBuffer.wrap(said).putLong(RankAddress.jobNumber(RANK_1.job()));
        }
        final RcAddress address;
        try {
            address = RcAddress.decode(said, RANK_1);
        } catch (final TransportException e) {
            assertThat(e.getMessage()).startsWith("rc: ");
            return;
        }
        assertThat(address.rank()).isIn(0, 2);
        assertThat(address.sockets()).isNotEmpty();
        assertThat(RcAddress.decode(address.encode(), RANK_1).encode()).isEqualTo(address.encode());
    }
}
