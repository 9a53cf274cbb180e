package org.parley.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.transport.JobSecret;
import org.parley.transport.tck.Pattern;
import org.parley.transport.tck.StandardOptions;
import org.parley.transport.tck.TestJob;
import org.parley.transport.tck.TestRank;
import org.parley.transport.verbs.binding.QueuePair;

/** Peers that compute, peers that are gone, and those who are none. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class UdPeersTest {
    @BeforeAll
    static void hasDevice() {
        Shim.assume();
    }

    @AfterEach
    void isReliableAgain() {
        Shim.set("drop_percent", 0);
    }

    private static TestJob newJob(final String timeout) {
        return new TestJob(
                2,
                UdTransport::new,
                Map.of("verbs.library", Shim.library(), "ud.retransmit", "1ms", "ud.timeout", timeout));
    }

    private static void send(final TestRank from, final int to, final byte[] frame) {
        TestJob.await("room", () -> from.send(to, frame), from::poll);
    }

    @Test
    void shouldHearFromAPeerThatComputes() {
        try (TestJob job = newJob("60s")) {
            final TestRank sender = job.rank(0);
            final byte[] frame = Pattern.bytes(1, 100);
            send(sender, 1, frame);
            TestJob.await("an answer", () -> sender.transport().statistics().get("ud.answers") > 0, sender::poll);
            assertThat(job.rank(1).received()).isZero();
            assertThat(sender.to(1).isAcknowledged()).isFalse();

            assertThat(job.take(1, 0)).isEqualTo(frame);
            job.await("the acknowledgement", () -> sender.to(1).isAcknowledged());
        }
    }

    @Test
    void shouldSendAgainWhileTheSenderComputes() {
        try (TestJob job = newJob("60s")) {
            final byte[] frame = Pattern.bytes(2, 10_000);
            Shim.set("drop_percent", 100);
            send(job.rank(0), 1, frame);
            Shim.set("drop_percent", 0);

            final TestRank receiver = job.rank(1);
            TestJob.await("the frame", () -> receiver.received() == 1, receiver::poll);
            assertThat(receiver.from(0).remove()).isEqualTo(frame);
            assertThat(job.rank(0).transport().statistics().get("ud.retransmits"))
                    .isPositive();
        }
    }

    @Test
    void shouldGiveUpWhoNeverAnswers() {
        try (TestJob job = newJob("200ms")) {
            Shim.set("drop_percent", 100);
            final TestRank sender = job.rank(0);
            send(sender, 1, Pattern.bytes(3, 100));
            TestJob.await("the end of the link", () -> sender.linksDown().containsKey(1), sender::poll);
            assertThat(sender.linksDown().get(1))
                    .contains("lost its link: never answered", "shim0", "datagrams to queue pair");
            assertThat(sender.to(1).claim(1)).isEqualTo(org.parley.transport.Endpoint.CLOSED);
        }
    }

    @Test
    void shouldTakeNothingFromStrangers() {
        try (TestJob job = newJob("60s")) {
            final TestRank rank = job.rank(0);
            send(job.rank(1), 0, Pattern.bytes(4, 100));
            assertThat(job.take(0, 1)).isEqualTo(Pattern.bytes(4, 100));
            final long before = rank.transport().statistics().get("ud.rejected");
            final int sent = 60;
            flood(UdAddress.decode(rank.address()), UdAddress.decode(job.rank(1).address()), sent);

            TestJob.await(
                    "all strangers",
                    () -> rank.transport().statistics().get("ud.rejected") - before == sent,
                    rank::poll);
            assertThat(rank.received()).isOne();
            assertThat(rank.linksDown()).isEmpty();
            assertThat(rank.transport().statistics().get("ud.peers")).isOne();
            send(job.rank(1), 0, Pattern.bytes(5, 100));
            assertThat(job.take(0, 1)).isEqualTo(Pattern.bytes(5, 100));
        }
    }

    /** What somebody may send who sees addresses and keys on the wire, but does not have the secret. */
    private static void flood(final UdAddress to, final UdAddress from, final int count) {
        final Random random = new Random(1);
        final JobSecret other = JobSecret.create();
        try (Adapter adapter =
                Adapter.open(new StandardOptions(new UdTransport(), Map.of("verbs.library", Shim.library())))) {
            final UdQueue queue = new UdQueue(adapter, 1, 128, false, receive -> {});
            final long ah = adapter.context()
                    .createAddressHandle(new QueuePair.Path(
                            adapter.portNumber(), adapter.gidIndex(), to.port().gid(), 0));
            for (int i = 0; i < count; i++) {
                final long datagram = queue.next();
                final byte[] noise = new byte[i % 3 == 2 ? random.nextInt(Datagram.HEADER) : 400];
                random.nextBytes(noise);
                put(noise, datagram);
                int length = noise.length;
                if (i % 3 == 0) {
                    // The next frame of a rank that is known, but for the token.
                    Datagram.from(datagram, random.nextLong(), from.rank());
                    Datagram.position(datagram, 1, 0);
                } else if (i % 3 == 1) {
                    // A hello in the name of that rank, from another queue pair.
                    final UdAddress mine = new UdAddress(from.door(), from.port(), queue.number(), 1, 9, from.nonce());
                    length = Hello.write(Hello.of(mine, to, other), datagram, from.rank());
                }
                queue.send(ah, to, length);
                queue.ring();
            }
            queue.close();
            adapter.context().destroyAddressHandle(ah);
        }
    }

    private static void put(final byte[] bytes, final long at) {
        UnsafeApi.copyMemory(bytes, UnsafeApi.arrayBaseOffset(byte[].class), null, at, bytes.length);
    }
}
