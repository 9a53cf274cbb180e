package org.parley.system.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.system.Command;
import org.parley.system.Launch;
import org.parley.testbed.Network;
import org.parley.transport.Protocol;

/** Hosts, and ranks, that do not all have the same Parley. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class HostVersionsTest extends OnHosts {
    private static final String PAIR = "node-b,node-c";
    private static final Path DIST = Path.of(System.getProperty("test.dist"));
    /** Jars are read and written, and two hosts' JVMs do without their archives of classes. */
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private static final String HERE = System.getProperty("test.version");

    /** What says which protocol a library speaks, in one of another version. */
    private static final String ANOTHER_PROTOCOL = """
            package org.parley.transport;

            public final class Protocol {
                public static int version() {
                    return 99;
                }
            }
            """;

    HostVersionsTest() {
        super(3, Network.Addressing.IPV4);
    }

    @AfterEach
    void reinstall() {
        host('c').run("sh", "-c", "! mountpoint -q " + DIST + " || umount " + DIST);
    }

    /** Installs Parley 9.9.9 on node-c, where the others have the one under test. */
    private void installOther(boolean hasAnotherProtocol) throws Exception {
        host('c').run("mount", "--bind", other(hasAnotherProtocol), DIST.toString());
    }

    /** Makes Parley 9.9.9 from the one under test; returns where hosts find it. */
    private String other(boolean hasAnotherProtocol) throws Exception {
        String name = hasAnotherProtocol ? "another-protocol" : "another-version";
        Path place = network().file(name);
        if (!Files.exists(place)) {
            Path made = folder.resolve(name);
            copy(DIST, made);
            try (Stream<Path> jars = Files.list(made.resolve("lib"))) {
                for (Path jar : (Iterable<Path>)
                        jars.filter(each -> each.getFileName().toString().startsWith("parley-"))::iterator) {
                    change(jar, hasAnotherProtocol);
                }
            }
            copy(made, place);
        }
        return Network.FOLDER + "/" + name;
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    private void change(Path jar, boolean hasAnotherProtocol) throws IOException {
        try (FileSystem files = FileSystems.newFileSystem(jar)) {
            Path manifest = files.getPath("META-INF/MANIFEST.MF");
            String text = Files.readString(manifest);
            Files.writeString(manifest, text.replaceAll("Implementation-Version: .*", "Implementation-Version: 9.9.9"));
            Path protocol = files.getPath("org/parley/transport/Protocol.class");
            if (hasAnotherProtocol && Files.exists(protocol)) {
                Files.write(protocol, compiled());
            }
        }
    }

    private byte[] compiled() throws IOException {
        Path source = Files.writeString(folder.resolve("Protocol.java"), ANOTHER_PROTOCOL);
        String[] words = {"--release", "17", "-proc:none", "-d", folder.toString(), source.toString()};
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, words))
                .isZero();
        return Files.readAllBytes(folder.resolve("org/parley/transport/Protocol.class"));
    }

    @Test
    void shouldNameBothVersionsThatSpeakOneProtocol() throws Exception {
        installOther(false);
        try (Launch job = program(PAIR, "programs.Actor", "ring")) {
            Command.Result result = job.end(PATIENCE);

            assertGood(result);
            assertThat(result.err())
                    .contains("node-c runs Parley 9.9.9 in " + DIST)
                    .contains("here is " + HERE)
                    .doesNotContain("node-b runs");
        }
    }

    @Test
    void shouldNameTheHostWithOtherJarsBeforeAJob() throws Exception {
        installOther(false);
        try (Launch job = start("run", PAIR, "--preflight")) {
            Command.Result result = job.end(PATIENCE);

            assertThat(result.code()).isEqualTo(1);
            assertThat(result.out())
                    .containsPattern("node-b +ok +ok .*ok *\n")
                    .containsPattern("node-c +ok +ok .*failed: other files than here: 9\\.9\\.9 in " + DIST + ", here "
                            + HERE + " in " + DIST);
        }
    }

    /** At once, as no time that somebody waits could tell it. */
    @Test
    void shouldRefuseAHostThatSpeaksAnotherProtocol() throws Exception {
        installOther(true);
        try (Launch job =
                program(PAIR, "--set", "launch.timeout=1h", "--set", "wireup.timeout=1h", "programs.Actor", "ring")) {
            Command.Result result = job.end(PATIENCE);

            assertThat(result.code()).isEqualTo(1);
            assertThat(block(result))
                    .contains("no way to host node-c: runs Parley 9.9.9 in " + DIST + ", which speaks version 99 of")
                    .contains("here is Parley " + HERE + " in " + DIST + ", which speaks version " + Protocol.version())
                    .contains("install the same on both");
            assertThat(result.out()).isEmpty();
            awaitQuiet(host('b'));
            awaitQuiet(host('c'));
        }
    }

    /** As a program that brings a Parley of its own: the agents understand each other, its ranks are of another version. */
    @Test
    void shouldRefuseRanksThatSpeakAnotherProtocol() throws Exception {
        String line = "lib=" + DIST + "/lib; [ $PARLEY_RANK = 0 ] || lib=" + other(true) + "/lib; exec "
                + System.getProperty("java.home") + "/bin/java --add-opens java.base/jdk.internal.misc=ALL-UNNAMED"
                + " -cp \"$lib/*:" + Launch.CLASSES + "\" programs.Actor ring";
        try (Launch job = start("run", PAIR, "--set", "wireup.timeout=1h", "--exec", "sh", "-c", line)) {
            Command.Result result = job.end(PATIENCE);

            assertThat(result.code()).isEqualTo(1);
            assertThat(block(result)).contains("FAILED  rank 1 of 2 on node-c");
            assertThat(result.err())
                    .contains("rank 1 cannot join its job: ")
                    .contains("speaks version " + Protocol.version() + " of the protocol (Parley " + HERE + ")")
                    .contains("this program version 99: run both with the same Parley");
            awaitQuiet(host('b'));
            awaitQuiet(host('c'));
        }
    }
}
