package org.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.transport.Greeting;
import org.parley.transport.Greeting.Verdict;
import org.parley.transport.JobSecret;
import org.parley.transport.Protocol;
import org.parley.transport.RankAddress;
import org.parley.transport.tck.TestJob;
import org.parley.transport.tck.TestRank;

/** Who listens to encrypted ranks hears nothing, and who stands between them is found out. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class TlsTest {
    private static final Map<String, String> ENCRYPTED = Map.of("tcp.tls", "true");
    private static final int FINGERPRINT = 32;
    private static final int PROOF = FINGERPRINT + JobSecret.PROOF_BYTES;
    private static final int ANSWER = Short.BYTES + PROOF;
    /** Where a machine is so slow that a rank gives up and calls again, which is refused. */
    private static final String CALLED_AGAIN = "it has a link with this rank already";

    private static final String SAID = "whoever reads this can read what ranks say";

    private static TestJob job(final Map<String, String> options) {
        return new TestJob(2, TcpTransport::new, options);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldShowNothingToWhoListens(final boolean encrypts) throws IOException {
        try (TestJob job = job(encrypts ? ENCRYPTED : Map.of());
                ManInTheMiddle listener = new ManInTheMiddle(job.rank(0), ManInTheMiddle::relay)) {
            job.rank(1).connect(0, listener.address());
            final byte[] said = SAID.getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 100; i++) {
                job.send(1, 0, said);
                assertThat(job.take(0, 1)).isEqualTo(said);
                job.send(0, 1, said);
                assertThat(job.take(1, 0)).isEqualTo(said);
            }
            assertThat(listener.heardBytes()).isGreaterThan(200 * SAID.length());
            // In the clear it is there: so what listens, listens.
            assertThat(listener.hasHeard(SAID)).isEqualTo(!encrypts);
        }
    }

    private static void awaitLinkDown(final TestJob job, final int at, final int peer) {
        job.await("the end of the link", () -> job.rank(at).linksDown().containsKey(peer));
    }

    /** Lets the ranks prove themselves to each other, then talks to each in the other's place. */
    private static void takeOver(
            final ManInTheMiddle who, final Socket caller, final Socket called, final boolean front)
            throws IOException {
        who.pass(caller, called, Greeting.BYTES);
        who.pass(called, caller, Greeting.BYTES);
        final byte[] callers = who.pass(caller, called, PROOF);
        final byte[] calleds = who.pass(called, caller, ANSWER);
        final Identity own = Identity.create(7);
        final byte[] print = new byte[FINGERPRINT];
        final SSLSocket socket;
        if (front) {
            ByteBuffer.wrap(calleds, Short.BYTES, FINGERPRINT).get(print);
            final SSLSocketFactory sockets = own.context(print).getSocketFactory();
            socket = (SSLSocket) sockets.createSocket(called, "localhost", called.getPort(), true);
        } else {
            ByteBuffer.wrap(callers, 0, FINGERPRINT).get(print);
            final SSLSocketFactory sockets = own.context(print).getSocketFactory();
            socket = (SSLSocket) sockets.createSocket(caller, new ByteArrayInputStream(new byte[0]), true);
            socket.setNeedClientAuth(true);
        }
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(30));
        socket.startHandshake();
        // A client may believe that it is welcome until it hears that it is not.
        socket.getInputStream().read();
    }

    @Test
    void shouldNotTakeAnotherForTheCaller() throws Exception {
        try (TestJob job = job(ENCRYPTED);
                ManInTheMiddle thief =
                        new ManInTheMiddle(job.rank(0), (who, caller, called) -> takeOver(who, caller, called, true))) {
            job.rank(1).connect(0, thief.address());
            awaitLinkDown(job, 0, 1);

            assertThat(job.rank(0).linksDown().get(1)).contains("TLS failed").contains("somebody is in between");
            assertThat(job.rank(0).received()).isZero();
        }
    }

    @Test
    void shouldNotTakeAnotherForTheCalled() throws Exception {
        try (TestJob job = job(ENCRYPTED);
                ManInTheMiddle thief = new ManInTheMiddle(
                        job.rank(0), (who, caller, called) -> takeOver(who, caller, called, false))) {
            job.rank(1).connect(0, thief.address());
            job.send(1, 0, SAID.getBytes(StandardCharsets.UTF_8));
            awaitLinkDown(job, 1, 0);

            assertThat(job.rank(1).linksDown().get(0)).containsAnyOf("somebody is in between", CALLED_AGAIN);
        }
    }

    /** A fingerprint stands under the proof. */
    @Test
    void shouldNotBelieveAFingerprintThatWasChanged() throws Exception {
        try (TestJob job = job(ENCRYPTED);
                ManInTheMiddle forger = new ManInTheMiddle(job.rank(0), (who, caller, called) -> {
                    who.pass(caller, called, Greeting.BYTES);
                    who.pass(called, caller, Greeting.BYTES);
                    who.pass(caller, called, PROOF);
                    final byte[] answer = called.getInputStream().readNBytes(ANSWER);
                    answer[Short.BYTES] ^= 1;
                    caller.getOutputStream().write(answer);
                    caller.getInputStream().read();
                })) {
            job.rank(1).connect(0, forger.address());
            awaitLinkDown(job, 1, 0);

            assertThat(job.rank(1).linksDown().get(0)).containsAnyOf("does not have the job's secret", CALLED_AGAIN);
        }
    }

    @Test
    void shouldRefuseACallersFingerprintThatWasChanged() throws Exception {
        try (TestJob job = job(ENCRYPTED);
                Stranger forger = new Stranger(job.rank(0))) {
            final byte[] hello = hello(job.rank(0), true);
            forger.say(hello);
            final byte[] challenge = forger.hear(Greeting.BYTES);
            final byte[] print = Identity.create(7).fingerprint();
            final byte[] other = Identity.create(7).fingerprint();
            forger.say(other);
            forger.say(job.secret().proof(Handshake.CALLER, Handshake.join(hello, print), challenge));

            assertThat(ByteBuffer.wrap(forger.hear(ANSWER)).getShort()).isEqualTo((short) Verdict.SECRET.ordinal());
            assertThat(forger.isHungUpOn()).isTrue();
        }
    }

    private static byte[] hello(final TestRank called, final boolean encrypts) {
        final RankAddress address = RankAddress.decode("tcp", ByteBuffer.wrap(called.address()), 0);
        return new Greeting(
                        Connector.MAGIC,
                        Protocol.version(),
                        encrypts,
                        Verdict.WELCOME,
                        address.job(),
                        1,
                        address.rank(),
                        4711,
                        1,
                        JobSecret.random(Greeting.NONCE_BYTES))
                .encode();
    }

    /** Nobody in between can talk ranks out of it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRefuseWhoDoesNotDoTheSame(final boolean encrypts) throws IOException {
        try (TestJob job = job(encrypts ? ENCRYPTED : Map.of());
                Stranger other = new Stranger(job.rank(0))) {
            other.say(hello(job.rank(0), !encrypts));

            assertThat(other.hearGreeting().verdict()).isEqualTo(Verdict.ENCRYPTION);
            assertThat(other.isHungUpOn()).isTrue();
        }
    }

    /** Who has the secret and says noise instead of TLS ends that link, and nothing else. */
    @Test
    void shouldNameWhoDoesNotSpeakTlsAfterAll() throws IOException {
        try (TestJob job = job(ENCRYPTED);
                Stranger member = new Stranger(job.rank(0))) {
            final byte[] hello = hello(job.rank(0), true);
            member.say(hello);
            final byte[] challenge = member.hear(Greeting.BYTES);
            final byte[] print = new byte[FINGERPRINT];
            member.say(print);
            member.say(job.secret().proof(Handshake.CALLER, Handshake.join(hello, print), challenge));
            assertThat(ByteBuffer.wrap(member.hear(ANSWER)).getShort()).isEqualTo((short) Verdict.WELCOME.ordinal());
            member.say(new byte[500]);
            awaitLinkDown(job, 0, 1);

            assertThat(job.rank(0).linksDown().get(1)).contains("TLS").contains("127.0.0.1:");
        }
    }

    // --- engines by themselves ------------------------------------------------------------------------------

    private static void handshake(final SSLEngine caller, final SSLEngine called) throws SSLException {
        final ByteBuffer there = ByteBuffer.allocate(64 * 1024);
        final ByteBuffer back = ByteBuffer.allocate(64 * 1024);
        caller.beginHandshake();
        called.beginHandshake();
        for (int turn = 0; turn < 100; turn++) {
            step(caller, there, back);
            step(called, back, there);
        }
        assertThat(caller.getHandshakeStatus()).isEqualTo(HandshakeStatus.NOT_HANDSHAKING);
        assertThat(called.getHandshakeStatus()).isEqualTo(HandshakeStatus.NOT_HANDSHAKING);
        assertThat(called.getSession().getProtocol()).isEqualTo("TLSv1.3");
    }

    private static void step(final SSLEngine engine, final ByteBuffer out, final ByteBuffer in) throws SSLException {
        for (Runnable task; (task = engine.getDelegatedTask()) != null; ) {
            task.run();
        }
        engine.wrap(ByteBuffer.allocate(0), out);
        in.flip();
        engine.unwrap(in, ByteBuffer.allocate(64 * 1024));
        in.compact();
    }

    @Test
    void shouldTrustTheProvenCertificateAndNoOther() throws SSLException {
        final Identity one = Identity.create(1);
        final Identity two = Identity.create(2);
        final Identity other = Identity.create(2);
        handshake(one.engine(true, two.fingerprint()), two.engine(false, one.fingerprint()));
        assertThatThrownBy(() -> handshake(one.engine(true, other.fingerprint()), two.engine(false, one.fingerprint())))
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("somebody is in between");
        assertThatThrownBy(() -> handshake(one.engine(true, two.fingerprint()), two.engine(false, other.fingerprint())))
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("somebody is in between");
    }
}
