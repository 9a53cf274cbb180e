package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.parley.transport.JobSecret;
import org.parley.wireup.ControlFrame;
import org.parley.wireup.LongWait;
import org.parley.wireup.Members;
import org.parley.wireup.Petition;
import org.parley.wireup.Placement;
import org.parley.wireup.RankEvents;
import org.parley.wireup.Ruling;
import org.parley.wireup.WaitFile;

/** What is said to agents arrives as it was said, and nonsense is refused. */
class AgentFramesTest {
    private static final int RANKS = 4;

    @TempDir
    Path folder;

    /** Notes calls as texts. */
    private static <T> T recorder(Class<T> type, List<String> calls) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    calls.add(method.getName() + show(arguments));
                    return null;
                }));
    }

    private static String show(Object[] arguments) {
        return Arrays.deepToString(arguments == null ? new Object[0] : arguments);
    }

    private static ControlFrame arrived(ByteBuffer frame) {
        byte type = frame.get(4);
        return ControlFrame.arrived(type, frame.slice(5, frame.limit() - 5));
    }

    @Test
    void shouldCarryEveryOrder() throws Exception {
        List<String> said = new ArrayList<>();
        List<String> heard = new ArrayList<>();
        List<ByteBuffer> frames = new ArrayList<>();
        for (Host host : List.of(recorder(Host.class, said), new Orders(frames::add))) {
            host.start();
            host.everybody(new byte[] {1, 2});
            host.hopeless("why");
            host.left(List.of(3, 1));
            host.died(2, "of grief");
            host.tell(List.of(0, 3), new Ruling.Agreed(4, 7, true, 0xff, 9, List.of(1, 2)));
            host.tell(List.of(2), new Ruling.Revoked(4, 3));
            host.tell(List.of(1), new Ruling.Fenced("was silent"));
            host.stopping();
            host.requestReports(true);
            host.requestReports(false);
            host.signal("TERM", List.of(0, 2));
        }
        Host there = recorder(Host.class, heard);
        for (ByteBuffer bytes : frames) {
            ControlFrame frame = arrived(bytes);
            assertThat(frame.number()).isEqualTo(AgentFrame.ALL);
            assertThat(Orders.apply(frame, there)).isTrue();
        }

        assertThat(heard).isEqualTo(said).hasSize(12);
    }

    private static void tellAll(HostEvents events) {
        events.lost(List.of(1, 2), "gone");
        events.copied(1, 1L << 40);
        events.quiet(1, 11);
        events.started(3, 1L << 33);
        events.notStarted(3, "no such file");
        events.ended(0, new HostEvents.Ending(137, new WaitFile.Wait("barrier", true), null));
        events.ended(1, new HostEvents.Ending(134, null, "/home/ada/hs_err"));
        events.joined(1, 4711);
        events.contributed(2, "a=1\n", new byte[] {5});
        events.broken("no room");
        events.mapped(0, List.of("self", "shm", "tcp", "tcp"));
        events.left(3, "4 of something");
        events.failed(1, "exception", -1);
        events.aborted(1, 9, "enough");
        events.disconnected(2);
        LongWait wait = new LongWait("barrier", 1L << 40, 5, true, List.of(0, 3));
        events.reported(2, new RankEvents.Report(wait, "7 frames", "main", "others"));
        events.reported(3, new RankEvents.Report(null, "7 frames", "", ""));
        events.silent(2, 12, true);
        events.refused("noise");
        Members members = new Members(List.of(0, 2));
        events.asked(0, new Petition.Vote(4, members, 7, true, 3, 9));
        events.asked(1, new Petition.Revocation(4, members));
        events.asked(2, new Petition.Suspicion(3, "was silent"));
        events.ready(
                1, new Facts("1", "/home", "17", 2, List.of("0", "1"), "", "warning", "hash", List.of("10.0.0.1 80")));
    }

    @Test
    void shouldCarryEveryEvent() throws Exception {
        List<String> said = new ArrayList<>();
        List<String> heard = new ArrayList<>();
        List<ByteBuffer> frames = new ArrayList<>();
        tellAll(recorder(HostEvents.class, said));
        tellAll(new News(1, frames::add));
        HostEvents there = recorder(HostEvents.class, heard);
        for (ByteBuffer bytes : frames) {
            ControlFrame frame = arrived(bytes);
            int host = frame.number();
            assertThat(News.apply(host, frame, RANKS, there)).isTrue();
        }

        assertThat(heard).isEqualTo(said);
        assertThat(said.stream().map(call -> call.substring(0, call.indexOf('['))))
                .containsAll(Arrays.stream(HostEvents.class.getMethods())
                        .map(Method::getName)
                        .toList());
    }

    private Plan plan() {
        return new Plan(
                "7-abc",
                JobSecret.create(),
                new Placement(List.of("a", "b"), new int[] {0, 0, 1, 1}),
                List.of("a", "me@b"),
                new Launching(List.of("ssh", "-p", "22"), "/opt/parley", "/opt/jdk", 32, 1L << 35),
                List.of(
                        "/jdk/bin/java",
                        "-XX:SharedArchiveFile=/parley/cds/x.jsa",
                        "-cp",
                        "/parley/lib/a.jar:/my/b.jar:/c",
                        "Main"),
                true,
                "/parley",
                Map.of("/my/b.jar", "0/b.jar"),
                Map.of("FOO", "bar=1"),
                Path.of("/home/ada"),
                Path.of("/home/ada"),
                true,
                false,
                true,
                false,
                30,
                true);
    }

    @Test
    void shouldCarryThePlan() throws Exception {
        Plan plan = plan();
        Plan read = Plan.read(
                arrived(plan.write(new ControlFrame.Builder(AgentFrame.PLAN)).build()));

        assertThat(read.secret().bytes()).isEqualTo(plan.secret().bytes());
        assertThat(read.placement().hosts()).isEqualTo(plan.placement().hosts());
        assertThat(read.placement().ranksOn(1)).containsExactly(2, 3);
        assertThat(read)
                .usingRecursiveComparison()
                .ignoringFields("secret", "placement")
                .isEqualTo(plan);
    }

    @Test
    void shouldFindFilesWhereTheyAreOnAnotherHost() {
        List<String> command = plan().on(folder, "/their/parley", "/their/jdk", new Staging("x"))
                .command();

        assertThat(command.get(0)).isEqualTo("/their/jdk/bin/java");
        assertThat(command.get(2)).startsWith("/their/parley/lib/a.jar:" + System.getProperty("java.io.tmpdir"));
        assertThat(command.get(2)).endsWith("-x-program/0/b.jar:/c");
        // An archive that is not there is left out.
        assertThat(command).hasSize(4);
    }

    /** Whatever bytes come, they are refused, or mean something; memory is not taken on their word. */
    @Test
    void shouldRefuseNonsense() throws Exception {
        Random random = new Random(4711);
        HostEvents events = recorder(HostEvents.class, new ArrayList<>());
        Host host = recorder(Host.class, new ArrayList<>());
        List<ByteBuffer> real = new ArrayList<>();
        tellAll(new News(1, real::add));
        real.add(plan().write(new ControlFrame.Builder(AgentFrame.PLAN)).build());
        for (int i = 0; i < 20_000; i++) {
            ByteBuffer frame = real.get(random.nextInt(real.size()));
            byte[] body = new byte[frame.limit() - 5];
            frame.get(5, body);
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                body[random.nextInt(body.length)] = (byte) random.nextInt(256);
            }
            byte type = random.nextBoolean() ? frame.get(4) : (byte) random.nextInt(256);
            byte[] cut = Arrays.copyOf(body, random.nextInt(body.length + 1));
            try {
                News.apply(0, ControlFrame.arrived(type, ByteBuffer.wrap(cut)), RANKS, events);
                Orders.apply(ControlFrame.arrived(type, ByteBuffer.wrap(cut)), host);
                Plan.read(ControlFrame.arrived(type, ByteBuffer.wrap(cut)));
            } catch (IOException e) {
                assertThat(e).hasMessageNotContaining("null");
            }
        }
    }

    @Test
    void shouldRefuseFilesOutsideOfTheirFolder() throws Exception {
        try (Staging staging = new Staging("test-" + ProcessHandle.current().pid())) {
            for (String name : List.of("../x", "/etc/x", "a/../../x", "")) {
                ControlFrame frame =
                        arrived(Staging.frame(name, false, new byte[1], 1).build());
                frame.number();
                org.assertj.core.api.Assertions.assertThatThrownBy(() -> staging.write(frame))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("outside of its folder");
            }
        }
    }

    private static String endOf(byte[] bytes, boolean awaitsPreamble) throws Exception {
        CompletableFuture<String> end = new CompletableFuture<>();
        List<ControlFrame> frames = new ArrayList<>();
        AgentLink link = new AgentLink(
                new ByteArrayInputStream(bytes), new ByteArrayOutputStream(), "test", new AgentLink.Listener() {
                    @Override
                    public void arrived(ControlFrame frame) {
                        frames.add(frame);
                    }

                    @Override
                    public void ended(String why) {
                        end.complete(frames.size() + " " + why);
                    }
                });
        link.start(awaitsPreamble);
        String result = end.get(20, TimeUnit.SECONDS);
        link.close();
        return result;
    }

    @Test
    void shouldPassOverWhatAShellSaysFirst() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write("welcome\n\0PARLE\0".getBytes(StandardCharsets.US_ASCII));
        bytes.write(AgentFrame.PREAMBLE, 1, AgentFrame.PREAMBLE.length - 1);
        bytes.write(new ControlFrame.Builder(AgentFrame.HELLO).build().array(), 0, 5);

        assertThat(endOf(bytes.toByteArray(), true)).isEqualTo("1 ");
    }

    @Test
    void shouldSayWhatCameInsteadOfAnAgent() throws Exception {
        assertThat(endOf("This account is not available.\nBye\n".getBytes(StandardCharsets.US_ASCII), true))
                .isEqualTo("0 it did not start a Parley agent but said: This account is not available.");
        assertThat(endOf(new byte[0], true)).isEqualTo("0 ");
    }

    @Test
    void shouldTellSuspicionFromDeath() {
        AgentLink link =
                new AgentLink(new ByteArrayInputStream(new byte[0]), new ByteArrayOutputStream(), "test", null);
        long now = System.nanoTime();
        long second = TimeUnit.SECONDS.toNanos(1);

        assertThat(link.tick(now + 9 * second, 30 * second)).isEqualTo(AgentLink.Silence.NONE);
        assertThat(link.tick(now + 11 * second, 30 * second)).isEqualTo(AgentLink.Silence.SUSPECTED);
        assertThat(link.tick(now + 12 * second, 30 * second)).isEqualTo(AgentLink.Silence.NONE);
        assertThat(link.tick(now + 31 * second, 30 * second)).isEqualTo(AgentLink.Silence.DEAD);
        assertThat(link.tick(now + 31 * second, 0)).isEqualTo(AgentLink.Silence.NONE);
        // It is this process that has slept.
        link.forgive(now + 31 * second);
        assertThat(link.tick(now + 32 * second, 30 * second)).isEqualTo(AgentLink.Silence.NONE);
    }

    @Test
    void shouldEndALinkThatLiesAboutLengths() throws Exception {
        for (int length : new int[] {0, -1, Integer.MAX_VALUE, ControlFrame.LIMIT + 1}) {
            assertThat(endOf(ByteBuffer.allocate(8).putInt(length).array(), false))
                    .isEqualTo("0 a frame claims " + length + " bytes, allowed are " + ControlFrame.LIMIT);
        }
    }
}
