package org.parley.transport.verbs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.parley.testbed.VerbsShim;

/** The library that stands for RDMA hardware in this JVM; its fabric is where the pom's variable says. */
final class Shim {
    private Shim() {}

    /** Skips the test where there can be none, with the reason. */
    static void assume() {
        final Optional<String> lack = VerbsShim.lacks();
        assumeTrue(lack.isEmpty(), lack.orElse(""));
        try {
            Files.createDirectories(Path.of(System.getenv("VERBS_SHIM")));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets an option of this process. */
    static void set(final String option, final long value) {
        final int known = NativeLibrary.getInstance(library())
                .getFunction("verbs_shim_set")
                .invokeInt(new Object[] {option, value});
        if (known == 0) {
            throw new IllegalArgumentException("the verbs shim has no option " + option);
        }
    }

    /** Returns a counter of this process. */
    static long get(final String counter) {
        return NativeLibrary.getInstance(library())
                .getFunction("verbs_shim_get")
                .invokeLong(new Object[] {counter});
    }

    static String library() {
        return VerbsShim.programs().resolve("libibverbs.so.1").toString();
    }
}
