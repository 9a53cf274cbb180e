package org.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.transport.Greeting;
import org.parley.transport.Greeting.Verdict;
import org.parley.transport.JobSecret;
import org.parley.transport.Protocol;
import org.parley.transport.tck.TestJob;

/** Greetings of ranks that really call, kept or changed by who stands in between. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class OverheardTest {
    private static final byte[] SAID = {1, 2, 3};

    /** All that rank 1 has said to join is said again while it lives: the challenge is another. */
    @Test
    void shouldRefuseWhatALivingRankHasSaid() throws IOException {
        final AtomicReference<byte[]> said = new AtomicReference<>();
        try (TestJob job = new TestJob(2, TcpTransport::new, Map.of());
                ManInTheMiddle listener = new ManInTheMiddle(job.rank(0), (who, caller, called) -> {
                    final byte[] hello = who.pass(caller, called, Greeting.BYTES);
                    who.pass(called, caller, Greeting.BYTES);
                    final byte[] proof = who.pass(caller, called, JobSecret.PROOF_BYTES);
                    said.set(Handshake.join(hello, proof));
                    who.relay(caller, called);
                })) {
            job.rank(1).connect(0, listener.address());
            job.send(1, 0, SAID);
            assertThat(job.take(0, 1)).isEqualTo(SAID);
            try (Stranger again = new Stranger(job.rank(0))) {
                // Everything at once, and the proof behind what is asked.
                again.say(said.get());
                again.hearGreeting();
                assertThat(again.hearVerdict()).isEqualTo(Verdict.SECRET);
                assertThat(again.isHungUpOn()).isTrue();
            }
            job.send(1, 0, SAID);
            assertThat(job.take(0, 1)).isEqualTo(SAID);
            job.send(0, 1, SAID);
            assertThat(job.take(1, 0)).isEqualTo(SAID);
            assertThat(job.rank(0).linksDown()).isEmpty();
            assertThat(job.rank(1).linksDown()).isEmpty();
        }
    }

    @Test
    void shouldNameBothVersionsWhereTheCalledSpeaksAnother() throws IOException {
        try (TestJob job = new TestJob(2, TcpTransport::new, Map.of());
                ManInTheMiddle later = new ManInTheMiddle(job.rank(0), (who, caller, called) -> {
                    caller.getInputStream().readNBytes(Greeting.BYTES);
                    final byte[] answer = Stranger.hello(job.rank(0), Protocol.version() + 1, 0);
                    ByteBuffer.wrap(answer).put(11, (byte) Verdict.VERSION.ordinal());
                    caller.getOutputStream().write(answer);
                    caller.getInputStream().read();
                })) {
            job.rank(1).connect(0, later.address());
            TestJob.await("the refusal", () -> job.rank(1).linksDown().containsKey(0), job.rank(1)::poll);
            assertThat(job.rank(1).linksDown().get(0))
                    .contains("it speaks version " + (Protocol.version() + 1))
                    .contains("this rank " + Protocol.version())
                    .contains("all ranks need the same parley jars");
        }
    }
}
