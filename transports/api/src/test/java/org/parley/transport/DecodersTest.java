package org.parley.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.ByteRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.parley.transport.Greeting.Verdict;

/** What strangers and other ranks say is what was meant, or is refused by a text; nothing else happens. */
class DecodersTest {
    private static final long MAGIC = 0x5041_524c_4559_5443L;

    private static RankAddress address(final long job, final int rank, final byte[] seed, final int sockets)
            throws UnknownHostException {
        final List<InetSocketAddress> all = new ArrayList<>();
        for (int i = 0; i < sockets; i++) {
            final byte[] bytes = i % 2 == 0
                    ? Arrays.copyOf(seed, 4)
                    : InetAddress.getByName("2001:db8::" + Integer.toHexString(seed[0] & 0xff))
                            .getAddress();
            all.add(new InetSocketAddress(InetAddress.getByAddress(bytes), (seed[0] & 0xff) << 8 | i));
        }
        return new RankAddress(job, rank, all);
    }

    private static RankAddress decoded(final byte[] bytes) {
        return RankAddress.decode("tcp", ByteBuffer.wrap(bytes), 0);
    }

    @Property(tries = 200)
    void shouldReadTheAddressThatWasWritten(
            @ForAll final long job,
            @ForAll final int rank,
            @ForAll @Size(4) final byte[] seed,
            @ForAll @IntRange(min = 1, max = 255) final int sockets)
            throws UnknownHostException {
        final RankAddress written = address(job, rank, seed, sockets);
        assertThat(decoded(written.encode())).isEqualTo(written);
    }

    @Property(tries = 200)
    void shouldRefuseAnAddressThatIsCutOrTooLong(
            @ForAll final long job,
            @ForAll @Size(4) final byte[] seed,
            @ForAll @IntRange(min = 1, max = 20) final int sockets,
            @ForAll @IntRange(min = 0, max = 10_000) final int cut)
            throws UnknownHostException {
        final byte[] whole = address(job, 3, seed, sockets).encode();
        for (final int length : new int[] {cut % whole.length, whole.length - 1, whole.length + 1}) {
            assertThatThrownBy(() -> decoded(Arrays.copyOf(whole, length)))
                    .as("%d bytes of %d", length, whole.length)
                    .isInstanceOf(TransportException.class);
        }
    }

    /** Lies about counts and lengths are among them. */
    @Property(tries = 500)
    void shouldTakeOrRefuseAnyAddress(
            @ForAll @Size(max = 80) final byte[] noise,
            @ForAll final byte count,
            @ForAll @ByteRange(min = -1, max = 17) final byte length) {
        if (noise.length > 14) {
            noise[12] = count;
            noise[13] = length;
        }
        final RankAddress read;
        try {
            read = decoded(noise);
        } catch (final TransportException e) {
            assertThat(e).hasMessageStartingWith("tcp: ");
            return;
        }
        assertThat(read.sockets()).isNotEmpty();
    }

    @Property(tries = 200)
    void shouldReadTheGreetingThatWasWritten(
            @ForAll @IntRange(min = 0, max = 0xffff) final int version,
            @ForAll final boolean encrypts,
            @ForAll final Verdict verdict,
            @ForAll final long job,
            @ForAll final int from,
            @ForAll final int to,
            @ForAll final long incarnation,
            @ForAll final int epoch,
            @ForAll @Size(Greeting.NONCE_BYTES) final byte[] nonce) {
        final byte[] written =
                new Greeting(MAGIC, version, encrypts, verdict, job, from, to, incarnation, epoch, nonce).encode();
        assertThat(written).hasSize(Greeting.BYTES);
        final Greeting read = Greeting.decode(MAGIC, written);
        assertThat(read.nonce()).isEqualTo(nonce);
        assertThat(read.encode()).isEqualTo(written);
        assertThat(read)
                .usingRecursiveComparison()
                .isEqualTo(new Greeting(MAGIC, version, encrypts, verdict, job, from, to, incarnation, epoch, nonce));
        for (int length = 0; length < written.length; length++) {
            assertThat(Greeting.decode(MAGIC, Arrays.copyOf(written, length))).isNull();
        }
    }

    @Property(tries = 500)
    void shouldTakeOrRefuseAnyGreeting(
            @ForAll @Size(Greeting.BYTES) final byte[] noise, @ForAll final boolean isMarked) {
        if (isMarked) {
            System.arraycopy("PARLEYTC".getBytes(StandardCharsets.US_ASCII), 0, noise, 0, 8);
        }
        final Greeting read = Greeting.decode(MAGIC, noise);
        if (isMarked) {
            assertThat(read.verdict()).isNotNull();
            assertThat(read.version()).isBetween(0, 0xffff);
        } else {
            assertThat(read == null || noise[0] == 'P').isTrue();
        }
    }
}
