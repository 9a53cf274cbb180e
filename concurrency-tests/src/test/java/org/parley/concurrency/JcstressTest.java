package org.parley.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs every jcstress test of this module in quick mode; results are under target/jcstress. */
class JcstressTest {
    private static final String OPENS = "--add-opens java.base/jdk.internal.misc=ALL-UNNAMED";

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void shouldFindNoForbiddenOutcome() throws Exception {
        Path folder = Files.createDirectories(Path.of("target", "jcstress"));
        Path output = folder.resolve("output.txt");
        Process jcstress = new ProcessBuilder(command())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        int code = jcstress.waitFor();

        String printed = Files.readString(output);
        assertThat(code).as(printed).isZero();
        // Its exit code is not all: a run that found no test, or a result that it calls soft, ends
        // with 0.
        assertThat(printed).contains("Results").doesNotContain("FAILED", "ERROR");
    }

    private static List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-m",
                System.getProperty("jcstress.mode", "quick"),
                // One compiler for both sides: a ninth of the runs.
                "-sc",
                "false",
                "-jvmArgs",
                OPENS,
                "-r",
                "report");
    }
}
