package org.parley.foam;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** OpenFOAM's own programs, as Debian's package openfoam brings them. */
final class OpenFoam {
    private static final Path SHARE = Path.of("/usr/share/openfoam");
    private static final int SECONDS = 60;

    private OpenFoam() {}

    /** Skips the test where a program is not there. */
    static void assumeInstalled(final String program) {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin", program)) && Files.isDirectory(SHARE),
                program + " is not installed: apt-get install openfoam");
    }

    /** Runs a program in a case. */
    static void run(final Path folder, final String program) throws IOException, InterruptedException {
        final Path log = folder.resolve("log." + program);
        final ProcessBuilder builder = new ProcessBuilder("/usr/bin/" + program)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("WM_PROJECT_DIR", SHARE.toString());
        final Process process = builder.start();
        try {
            assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), program + " does not end");
            assertEquals(0, process.exitValue(), () -> program + ": " + read(log));
        } finally {
            process.destroyForcibly();
        }
    }

    /** A file without OpenFOAM's banner. */
    static String body(final Path file) {
        final String text = read(file);
        return text.substring(text.indexOf("FoamFile"));
    }

    /** All files below folders whose names begin so. */
    static List<Path> files(final Path folder, final String begin) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.filter(Files::isRegularFile)
                    .map(folder::relativize)
                    .filter(path -> path.toString().startsWith(begin))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }

    private static String read(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
