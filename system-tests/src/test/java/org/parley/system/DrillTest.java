package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job whose links are broken again and again ends right. */
public class DrillTest {
    private static final Pattern SUMMARY =
            Pattern.compile("parley: drill: (\\d+) links broken, (\\d+) frames sent again,"
                    + " (\\d+) came twice and were dropped, longest stall (\\d+) ms");

    @TempDir
    Path folder;

    /** Asserts that a rehearsal over broken links ended right. */
    public static void assertRehearsed(final Command.Result result) {
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.out())
                .containsPattern("rank 0: \\d+ rounds are right")
                .containsPattern("rank 1: \\d+ rounds are right");
        final Matcher summary = SUMMARY.matcher(result.err());
        assertThat(summary.find()).as(result.err()).isTrue();
        assertThat(Long.parseLong(summary.group(1))).as("links broken").isPositive();
        assertThat(Long.parseLong(summary.group(2))).as("frames sent again").isPositive();
    }

    @Test
    void shouldLoseNothingOnLoopback() throws Exception {
        try (Launch job = Launch.parley(
                folder,
                "run",
                "-n",
                "2",
                "--drill",
                "50ms",
                "--transports",
                "tcp",
                "-cp",
                Launch.CLASSES,
                "programs.Rehearsal",
                "3")) {
            assertRehearsed(job.end());
        }
    }

    @Test
    void shouldTellOfTheDrillBehindABenchmark() throws Exception {
        try (Launch job = Launch.parley(
                folder,
                "bench",
                "allreduce",
                "-c",
                "-m",
                "4:64",
                "-i",
                "500",
                "--drill",
                "200ms",
                "--transports",
                "tcp")) {
            final Command.Result result = job.end();
            assertThat(result.code()).as(result.err()).isZero();
            assertThat(result.err()).containsPattern(SUMMARY);
        }
    }
}
