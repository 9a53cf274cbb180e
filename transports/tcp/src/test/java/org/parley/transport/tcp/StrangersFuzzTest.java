package org.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import org.parley.transport.Greeting;
import org.parley.transport.Greeting.Verdict;
import org.parley.transport.Protocol;
import org.parley.transport.tck.TestJob;
import org.parley.transport.tck.TestRank;

/** Whatever comes over a connection, it is turned away, ends the link, or is a frame; the rank goes on. */
class StrangersFuzzTest {
    private static void awaitNoLink(final TestRank rank) {
        TestJob.await(
                "the end of the link",
                () -> rank.linksDown().containsKey(1)
                        || rank.transport().statistics().get("tcp.links") == 0,
                rank::poll);
    }

    /** A greeting whose first bytes are right, and what follows it. */
    @FuzzTest
    void shouldTurnAwayAnyStranger(final byte[] bytes) throws IOException {
        // Of the finders of faults, one takes every connection for a fault.
        BugDetectors.allowNetworkConnections();
        try (TestJob job = new TestJob(2, TcpTransport::new, Map.of())) {
            final TestRank called = job.rank(0);
            try (Stranger stranger = new Stranger(called)) {
                final byte[] said = bytes.clone();
                final byte[] hello = Stranger.hello(called, Protocol.version(), 1);
                // Magic, version, flags, verdict and job.
                System.arraycopy(hello, 0, said, 0, Math.min(said.length, bytes.length % 21));
                stranger.say(said);
                stranger.shutdownOutput();
                assertThat(stranger.isHungUpOn()).isTrue();
            }
            job.send(1, 0, new byte[] {1});
            assertThat(job.take(0, 1)).containsExactly(1);
        }
    }

    /** Who has the secret, and then says anything: the first frame's header is one that can be. */
    @FuzzTest
    void shouldTakeOrEndAnyTalkOfAMember(final byte[] bytes) throws IOException {
        // Of the finders of faults, one takes every connection for a fault.
        BugDetectors.allowNetworkConnections();
        try (TestJob job = new TestJob(2, TcpTransport::new, Map.of())) {
            final TestRank called = job.rank(0);
            try (Stranger member = new Stranger(called)) {
                assertThat(member.greet(Stranger.hello(called, Protocol.version(), 1), job.secret()))
                        .isEqualTo(Verdict.WELCOME);
                if (bytes.length > Greeting.BYTES) {
                    ByteBuffer.wrap(bytes)
                            .order(ByteOrder.nativeOrder())
                            .putInt(bytes[0] & 0xff)
                            .putInt(0);
                }
                member.say(bytes);
                member.hangUp();
                awaitNoLink(called);
            }
        }
    }
}
