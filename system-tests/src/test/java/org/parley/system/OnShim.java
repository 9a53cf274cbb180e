package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.parley.testbed.VerbsShim;

/** Tests of jobs over verbs without hardware. */
abstract class OnShim {
    @TempDir
    Path folder;

    @BeforeAll
    static void canBeBuilt() {
        Optional<String> lack = VerbsShim.lacks();
        assumeTrue(lack.isEmpty(), lack.orElse(""));
    }

    /** Returns the variables of processes that take the shim for libibverbs. */
    static Map<String, String> environment(VerbsShim shim) {
        Map<String, String> environment = new HashMap<>(shim.environment());
        environment.put(
                "PARLEY_VERBS_LIBRARY",
                VerbsShim.programs().resolve("libibverbs.so.1").toString());
        return environment;
    }

    /** Runs {@code parley} to its end. */
    Command.Result run(VerbsShim shim, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(Launch.PARLEY.toString()));
        command.addAll(List.of(words));
        return Command.run(folder, environment(shim), command.toArray(String[]::new));
    }

    /** Runs a benchmark over one transport, each payload checked. */
    Command.Result bench(VerbsShim shim, String transport, String name, String sizes, String... words)
            throws Exception {
        List<String> line = new ArrayList<>(List.of("bench", name, "--transports", "self," + transport));
        line.addAll(List.of("-c", "-i", "10", "-x", "2", "-m", sizes, "--bind-to", "none"));
        line.addAll(List.of(words));
        return run(shim, line.toArray(String[]::new));
    }

    static void assertValid(Command.Result result, String transport, int sizes) {
        assertThat(result.code()).as(result.toString()).isZero();
        assertThat(result.err()).contains("0-1=" + transport);
        assertThat(result.out().lines().filter(line -> !line.isBlank() && !line.startsWith("#")))
                .as(result.toString())
                .hasSize(sizes)
                .allMatch(line -> line.endsWith("Pass"));
    }
}
