package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.parley.wireup.ControlFrame;

/** Whatever agents, launchers and users say, it means something or is refused by a text. */
class DecodersFuzzTest {
    private static final int RANKS = 4;

    private static <T> T deaf(final Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> null));
    }

    /** The first byte is the type. */
    @FuzzTest
    void shouldTakeOrRefuseAnyFrameOfAnAgent(final byte[] bytes) {
        if (bytes.length == 0) {
            return;
        }
        final byte[] body = Arrays.copyOfRange(bytes, 1, bytes.length);
        try {
            News.apply(0, ControlFrame.arrived(bytes[0], ByteBuffer.wrap(body)), RANKS, deaf(HostEvents.class));
            Orders.apply(ControlFrame.arrived(bytes[0], ByteBuffer.wrap(body)), deaf(Host.class));
        } catch (final IOException e) {
            assertThat(e).hasMessageMatching("(?s)(it speaks of rank|a frame).*");
        }
    }

    @FuzzTest
    void shouldTakeOrRefuseAnyPlan(final byte[] bytes) {
        final Plan plan;
        try {
            plan = Plan.read(ControlFrame.arrived(AgentFrame.PLAN, ByteBuffer.wrap(bytes)));
        } catch (final IOException e) {
            assertThat(e).hasMessageMatching("(?s)(a rank is on host|a frame|the plan).*");
            return;
        }
        final ByteBuffer again =
                plan.write(new ControlFrame.Builder(AgentFrame.PLAN)).build();
        assertThat(again.remaining()).isPositive();
    }

    @FuzzTest
    void shouldEndAnyTalkOfAnAgent(final byte[] bytes) {
        final CompletableFuture<String> end = new CompletableFuture<>();
        final AgentLink link = new AgentLink(
                new ByteArrayInputStream(bytes), new ByteArrayOutputStream(), "fuzz", new AgentLink.Listener() {
                    @Override
                    public void arrived(final ControlFrame frame) throws IOException {
                        News.apply(0, frame, RANKS, deaf(HostEvents.class));
                    }

                    @Override
                    public void ended(final String why) {
                        end.complete(why);
                    }
                });
        link.start(bytes.length % 2 == 0);
        assertThat(end.join()).isNotNull();
        link.close();
    }

    @FuzzTest
    void shouldTakeOrRefuseAnyHostFile(final byte[] bytes) throws IOException {
        final Path memory = Path.of("/dev/shm");
        final Path file = Files.createTempFile(
                Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir")), "hosts", null);
        try {
            Files.write(file, bytes);
            final Hosts.Layout layout = Hosts.ofFile(file).place(7, 1, 0, bytes.length % 2 == 0);
            assertThat(layout.placement().size()).isEqualTo(7);
            assertThat(layout.targets()).noneMatch(target -> target.startsWith("-"));
        } catch (final UsageException e) {
            assertThat(e.getMessage()).isEqualTo(Failures.clean(e.getMessage()));
        } finally {
            Files.delete(file);
        }
    }

    @FuzzTest
    void shouldTakeOrRefuseAnyHosts(final byte[] bytes) {
        try {
            final Hosts.Layout layout =
                    Hosts.of(List.of(new String(bytes, StandardCharsets.UTF_8))).place(0, 1, 2, bytes.length % 2 == 0);
            assertThat(layout.targets()).isNotEmpty();
            assertThat(layout.targets()).noneMatch(target -> target.startsWith("-"));
        } catch (final UsageException e) {
            assertThat(e.getMessage()).isEqualTo(Failures.clean(e.getMessage()));
        }
    }
}
