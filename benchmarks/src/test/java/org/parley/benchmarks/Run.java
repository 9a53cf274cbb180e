package org.parley.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One run of the program, its ranks threads of this JVM, without what only helps measuring.
 *
 * @param code its exit code
 * @param out its standard output
 * @param err its standard error
 */
record Run(int code, String out, String err) {

    static Run of(final String... arguments) {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = "--cold";
        final int code = BenchRank.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                all);
        return new Run(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Returns the output, if all was well. */
    String good() {
        assertThat(code).as(err).isZero();
        return out;
    }

    /** Returns the tables, if all was well. */
    List<OsuTable> tables() {
        return OsuTable.parse(good());
    }

    OsuTable table() {
        final List<OsuTable> tables = tables();
        assertThat(tables).hasSize(1);
        return tables.get(0);
    }
}
