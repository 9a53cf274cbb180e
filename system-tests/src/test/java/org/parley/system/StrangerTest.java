package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who does not belong to a job does it no harm. */
class StrangerTest {
    @TempDir
    Path folder;

    private static SocketChannel call(Path jobFolder) throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(jobFolder.resolve("rendezvous")));
    }

    private static void say(SocketChannel channel, byte[] noise) {
        try {
            channel.write(ByteBuffer.wrap(noise));
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("Broken pipe");
        }
    }

    @Test
    void shouldNotBeDisturbedByNoise() throws Exception {
        byte[] noise = new byte[1 << 20];
        new Random(1).nextBytes(noise);
        List<SocketChannel> silent = new ArrayList<>();
        try (Launch job = Launch.actors(folder, 2, "echo", "receive")) {
            job.awaitOut("rank 0: ");
            job.awaitOut("rank 1: ");
            Path jobFolder = job.leftovers().get(0);
            for (int i = 0; i < 200; i++) {
                silent.add(call(jobFolder));
            }
            for (int i = 0; i < 20; i++) {
                try (SocketChannel channel = call(jobFolder)) {
                    say(channel, i % 2 == 0 ? noise : "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
                }
            }
            job.say("still there");
            job.awaitOut("echo still there");
            assertThat(job.err().lines().filter(line -> line.contains("a connection that proved nothing")))
                    .hasSize(1);
            Launch.signal("TERM", job.pid());
            assertThat(job.end().code()).isEqualTo(143);
        } finally {
            for (SocketChannel channel : silent) {
                channel.close();
            }
        }
    }

    @Test
    void shouldShutOutOtherUsers() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can be another user");
        try (Launch job = Launch.actors(folder, 2, "sleep")) {
            job.awaitOut("rank 1: ");
            Path jobFolder = job.leftovers().get(0);
            for (String command :
                    List.of("ls " + jobFolder, "cat " + jobFolder + "/token", "cat " + jobFolder + "/owner")) {
                Command.Result result = Command.run(
                        folder,
                        Map.of(),
                        "setpriv",
                        "--reuid=65534",
                        "--regid=65534",
                        "--clear-groups",
                        "sh",
                        "-c",
                        command);
                assertThat(result.code()).isNotZero();
                assertThat(result.err()).contains("Permission denied");
                assertThat(result.out()).isEmpty();
            }
        }
    }

    /** A child of a rank that runs a Parley program of its own does not become that rank. */
    @Test
    void shouldRefuseASecondProcessOfARank() throws Exception {
        String program = Path.of(System.getProperty("java.home"), "bin", "java")
                + " --add-opens java.base/jdk.internal.misc=ALL-UNNAMED -cp '"
                + Launch.CLASSES
                + ":"
                + System.getProperty("test.dist")
                + "/lib/*' programs.Actor ";
        String line =
                program + "sleep >ready & until grep -qs . ready; do sleep 0.1; done; " + program + "end; echo $?";
        try (Launch job = Launch.parley(folder, "run", "--exec", "sh", "-c", line)) {
            job.awaitOut("1\n");
            assertThat(job.err())
                    .contains("JobException: rank 0 cannot join its job: ")
                    .contains("wants to be rank 0 of job", "is already");
        }
    }
}
