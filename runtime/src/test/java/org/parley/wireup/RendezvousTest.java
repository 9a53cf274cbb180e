package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.transport.JobSecret;
import org.parley.transport.Protocol;

/** The launcher's door: who is let in, who is not, and what is said across it. */
class RendezvousTest {
    private static final Duration SOON = Duration.ofSeconds(90);

    @TempDir
    Path folder;

    private final Recorded recorded = new Recorded();
    private Rendezvous rendezvous;

    @BeforeEach
    void open() {
        Rendezvous.createToken(folder, JobSecret.create());
        rendezvous = rendezvous(2, 0);
    }

    private Rendezvous rendezvous(int size, long silence) {
        return rendezvous(Placement.on("here", size), silence);
    }

    private Rendezvous rendezvous(Placement placement, long silence) {
        return new Rendezvous("test", folder, placement, 0, true, silence, recorded);
    }

    private void reopen(Placement placement, long silence) throws IOException {
        rendezvous.close();
        Files.delete(folder.resolve("rendezvous"));
        rendezvous = rendezvous(placement, silence);
    }

    @AfterEach
    void close() {
        rendezvous.close();
    }

    private void awaitEvent(String event) {
        await().atMost(SOON).until(() -> recorded.events.stream().anyMatch(e -> e.contains(event)));
    }

    @Test
    void shouldWireUpThoseWhoHaveTheToken() throws IOException {
        try (Caller zero = new Caller(folder);
                Caller one = new Caller(folder)) {
            ControlFrame welcome = zero.join(0, 2);
            assertThat(welcome.type()).isEqualTo(ControlFrame.WELCOME);
            assertThat(welcome.bytes()).hasSize(32);
            int shared = 2 > Runtime.getRuntime().availableProcessors() ? 1 : 0;
            assertThat(welcome.number()).isEqualTo(shared);
            assertThat(welcome.number()).isEqualTo(1);
            assertThat(welcome.number()).isEqualTo(1);
            assertThat(welcome.text()).isEqualTo("here");
            assertThat(welcome.number()).isEqualTo(2);
            assertThat(welcome.number() + welcome.number()).isZero();
            one.join(1, 2);
            zero.contribute("a=1", "A");
            one.contribute("", "B");
            awaitEvent("contributed 0 [a=1] A");
            awaitEvent("contributed 1 [] B");
            WireUp wireUp = new WireUp(2, 1);
            wireUp.contribute(1, "", new byte[] {'B'}, 0);
            wireUp.contribute(0, "", new byte[] {'A'}, 0);
            rendezvous.everybody(wireUp.everybody());

            for (Caller caller : List.of(zero, one)) {
                ControlFrame everybody = caller.receive();
                assertThat(everybody.type()).isEqualTo(ControlFrame.EVERYBODY);
                assertThat(everybody.number()).isEqualTo(2);
                assertThat(everybody.text() + everybody.text()).isEqualTo("AB");
            }
            assertThat(recorded.events).contains("joined 0 pid 4711", "joined 1 pid 4712");
            assertThat(rendezvous.knocks().of(Knocks.Kind.JOINED)).isEqualTo(2);
        }
    }

    @Test
    void shouldProveThatItHasTheTokenToo() throws IOException {
        JobSecret token = Token.read(Rendezvous.tokenFileIn(folder));
        try (Caller caller = new Caller(folder)) {
            ByteBuffer hello = Caller.hello(Protocol.version(), 0, 2);
            byte[] body = ControlFrame.bodyOf(hello);
            caller.send(hello);
            byte[] challenge = caller.receive().raw();
            caller.send(new ControlFrame.Builder(ControlFrame.PROOF)
                    .bytes(token.proof(Rendezvous.RANK_SIDE, body, challenge))
                    .build());

            assertThat(caller.receive().bytes()).isEqualTo(token.proof(Rendezvous.LAUNCHER_SIDE, body, challenge));
        }
    }

    @Test
    void shouldRefuseAWrongToken() throws IOException {
        JobSecret wrong = Token.create(folder.resolve("other"), JobSecret.create());
        try (Caller caller = new Caller(folder)) {
            ControlFrame answer = caller.join(0, 2, wrong);

            assertThat(answer.type()).isEqualTo(ControlFrame.REFUSED);
            assertThat(answer.text()).isEqualTo("it does not have the token of job test");
            caller.awaitEnd();
        }
        assertThat(rendezvous.knocks().of(Knocks.Kind.TOKEN)).isEqualTo(1);
    }

    /** What was overheard is of no use: nonces are new each time. */
    @Test
    void shouldRefuseAReplayedProof() throws IOException {
        JobSecret token = Token.read(Rendezvous.tokenFileIn(folder));
        ByteBuffer hello = Caller.hello(Protocol.version(), 0, 2);
        byte[] body = ControlFrame.bodyOf(hello);
        byte[] proof;
        try (Caller overheard = new Caller(folder)) {
            overheard.send(hello.duplicate());
            proof = token.proof(Rendezvous.RANK_SIDE, body, overheard.receive().raw());
        }
        try (Caller caller = new Caller(folder)) {
            caller.send(hello.duplicate());
            caller.receive();
            caller.send(
                    new ControlFrame.Builder(ControlFrame.PROOF).bytes(proof).build());

            assertThat(caller.receive().type()).isEqualTo(ControlFrame.REFUSED);
        }
    }

    @Test
    void shouldNameBothWhoWantToBeOneRank() throws IOException {
        try (Caller first = new Caller(folder);
                Caller second = new Caller(folder)) {
            first.join(1, 2);

            assertThat(second.join(1, 2).text())
                    .isEqualTo("pid 4712 wants to be rank 1 of job test, which pid 4712 is already");
            first.contribute("", "still there");
            second.awaitEnd();
        }
        assertThat(rendezvous.knocks().of(Knocks.Kind.RANK)).isEqualTo(1);
    }

    @Test
    void shouldRefuseARankThatHasLeft() throws IOException {
        try (Caller first = new Caller(folder);
                Caller second = new Caller(folder)) {
            first.join(1, 2);
            first.send(new ControlFrame.Builder(ControlFrame.LEFT).text("").build());
            awaitEvent("left 1");

            assertThat(second.join(1, 2).text()).contains("which pid 4712 was: a rank joins once");
        }
    }

    @Test
    void shouldRefuseRanksOutOfRange() throws IOException {
        for (int[] wrong : new int[][] {{-1, 2}, {2, 2}, {0, 3}, {Integer.MAX_VALUE, Integer.MIN_VALUE}}) {
            try (Caller caller = new Caller(folder)) {
                assertThat(caller.join(wrong[0], wrong[1]).text())
                        .contains("wants to be rank " + wrong[0] + " of " + wrong[1] + ", but job test has 2 ranks");
            }
        }
        assertThat(rendezvous.knocks().of(Knocks.Kind.JOINED)).isZero();
    }

    /** Before any proof: two jobs that were given one place have two tokens. */
    @Test
    void shouldNameBothJobs() throws IOException {
        try (Caller caller = new Caller(folder)) {
            caller.send(Caller.hello("another", Protocol.version(), 1, 2));

            ControlFrame answer = caller.receive();
            assertThat(answer.type()).isEqualTo(ControlFrame.REFUSED);
            assertThat(answer.text()).contains("of job another", "ranks of job test meet");
            caller.awaitEnd();
        }
        assertThat(rendezvous.knocks().of(Knocks.Kind.JOB)).isEqualTo(1);
        awaitEvent("a program that calls itself rank 1 (pid 4712) was refused: it is of job another");
    }

    @Test
    void shouldNameBothVersions() throws IOException {
        try (Caller caller = new Caller(folder)) {
            caller.send(Caller.hello(99, 0, 2));

            assertThat(caller.receive().text())
                    .contains("version " + Protocol.version(), "version 99", Build.NAME, "the same Parley");
        }
        assertThat(rendezvous.knocks().of(Knocks.Kind.VERSION)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "PARLEY",
                "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                "\u0016\u0003\u0001\u0002\u0000",
                "\u007f\u007f\u007f\u007f\u0001"
            })
    void shouldLetStrangersDoNoHarm(String noise) throws IOException {
        try (Caller stranger = new Caller(folder);
                Caller zero = new Caller(folder)) {
            stranger.send(noise.getBytes(StandardCharsets.ISO_8859_1));
            assertThat(zero.join(0, 2).type()).isEqualTo(ControlFrame.WELCOME);
            // Silent ones are closed after five seconds, the others at once.
            stranger.awaitEnd();
            await().atMost(SOON).until(() -> rendezvous.knocks().of(Knocks.Kind.NOISE) == 1);
            zero.contribute("", "unharmed");
        }
        assertThat(recorded.events).doesNotContain("disconnected 1");
    }

    @Test
    void shouldSurviveAMegabyteOfNoiseAndHundredsOfSilentOnes() throws IOException {
        byte[] noise = new byte[1 << 20];
        new Random(4711).nextBytes(noise);
        List<Caller> silent = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            silent.add(new Caller(folder));
        }
        try (Caller loud = new Caller(folder)) {
            loud.send(noise);
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("Broken pipe");
        }
        try (Caller zero = new Caller(folder);
                Caller one = new Caller(folder)) {
            zero.join(0, 2);
            one.join(1, 2);
            one.contribute("", "unharmed");
            awaitEvent("contributed 1 [] unharmed");
        }
        for (Caller caller : silent) {
            caller.awaitEnd();
            caller.close();
        }
        await().atMost(SOON).until(() -> rendezvous.knocks().of(Knocks.Kind.NOISE) == 301);
    }

    /** A length is checked before memory is taken, for members too. */
    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, ControlFrame.LIMIT + 1})
    void shouldDropMembersThatLieAboutLengths(int length) throws IOException {
        try (Caller zero = new Caller(folder)) {
            zero.join(0, 2);
            zero.send(ByteBuffer.allocate(5).putInt(length).put((byte) 1).flip());

            zero.awaitEnd();
            awaitEvent("disconnected 0");
        }
    }

    @Test
    void shouldRefuseALongFrameOfAStranger() throws IOException {
        try (Caller stranger = new Caller(folder)) {
            stranger.send(ByteBuffer.allocate(5)
                    .putInt(ControlFrame.HANDSHAKE_LIMIT + 1)
                    .put(ControlFrame.HELLO)
                    .flip());
            stranger.awaitEnd();
        }
        await().atMost(SOON).until(() -> rendezvous.knocks().of(Knocks.Kind.NOISE) == 1);
    }

    @Test
    void shouldSayThatTheWireUpIsHopeless() throws IOException {
        try (Caller zero = new Caller(folder)) {
            zero.join(0, 2);
            rendezvous.hopeless("rank 1 is lost");

            ControlFrame frame = zero.receive();
            assertThat(frame.type()).isEqualTo(ControlFrame.HOPELESS);
            assertThat(frame.text()).isEqualTo("rank 1 is lost");
        }
    }

    @Test
    void shouldLetInTheRanksOfItsHostOnly() throws IOException {
        reopen(new Placement(List.of("here", "there"), new int[] {0, 1}), 0);
        try (Caller zero = new Caller(folder);
                Caller one = new Caller(folder)) {
            assertThat(one.join(1, 2).text()).isEqualTo("pid 4712 wants to be rank 1 of job test, which runs on there");
            assertThat(zero.join(0, 2).type()).isEqualTo(ControlFrame.WELCOME);
        }
    }

    @Test
    void shouldSayWhoIsSilentAndWhoIsDead() throws IOException {
        reopen(Placement.on("here", 1), TimeUnit.SECONDS.toNanos(1));
        try (Caller zero = new Caller(folder)) {
            zero.join(0, 1);
            awaitEvent("dead 0");
        }
    }

    @Test
    void shouldCarryNewsBothWays() throws IOException {
        try (Caller zero = new Caller(folder);
                Caller one = new Caller(folder)) {
            zero.join(0, 2);
            one.join(1, 2);
            rendezvous.died(1, "fell over");
            ControlFrame died = zero.receive();
            assertThat(died.type()).isEqualTo(ControlFrame.DIED);
            assertThat(died.number()).isEqualTo(1);
            assertThat(died.text()).isEqualTo("fell over");

            rendezvous.requestReports(true);
            ControlFrame request = zero.receive();
            assertThat(request.type()).isEqualTo(ControlFrame.REPORT);
            assertThat(request.number()).isOne();
            assertThat(one.receive().type()).isEqualTo(ControlFrame.REPORT);
            ControlFrame.Builder report = new ControlFrame.Builder(ControlFrame.REPORT);
            LongWait.write(new LongWait("barrier", 2, 300, false, List.of(0)), report);
            one.send(report.text("7 frames").text("main").text("").build());
            awaitEvent(
                    "reported 1 Report[waitsFor=LongWait[call=barrier, turn=2, millis=300, any=false, ranks=[0]], counters=7 frames, program=main, others=]");

            zero.send(new ControlFrame.Builder(ControlFrame.DIED)
                    .number(1)
                    .text("of grief")
                    .build());
            awaitEvent("failed 0 of grief blames 1");
            zero.send(new ControlFrame.Builder(ControlFrame.ABORT)
                    .number(3)
                    .text("enough")
                    .build());
            awaitEvent("aborted 0 3 enough");

            one.send(new ControlFrame.Builder(ControlFrame.MAP)
                    .number(2)
                    .text("shm")
                    .text("self")
                    .build());
            awaitEvent("mapped 1 [shm, self]");

            one.send(new ControlFrame.Builder(ControlFrame.LEFT).text("").build());
            awaitEvent("left 1");
            rendezvous.left(List.of(1));
            ControlFrame left = zero.receive();
            assertThat(left.type()).isEqualTo(ControlFrame.LEFT);
            assertThat(left.number()).isEqualTo(1);
            assertThat(left.number()).isEqualTo(1);
        }
        awaitEvent("disconnected 0");
        awaitEvent("disconnected 1");
    }

    /** Writing to it may fail before its last words are read. */
    @Test
    void shouldHearTheLastWordsOfARankThatIsGone() throws IOException {
        int ranks = 50;
        reopen(Placement.on("here", ranks), 0);
        for (int rank = 0; rank < ranks; rank++) {
            try (Caller caller = new Caller(folder)) {
                caller.join(rank, ranks);
                rendezvous.died(ranks, "so that there is something to write");
                caller.send(new ControlFrame.Builder(ControlFrame.DIED)
                        .number(-1)
                        .text("last words")
                        .build());
            }
            rendezvous.died(ranks, "and again");
        }
        for (int rank = 0; rank < ranks; rank++) {
            awaitEvent("failed " + rank + " last words");
            awaitEvent("disconnected " + rank);
        }
    }

    @Test
    void shouldEndAllLinesWhenItCloses() throws IOException {
        try (Caller zero = new Caller(folder)) {
            zero.join(0, 2);
            rendezvous.close();

            zero.awaitEnd();
        }
    }
}
