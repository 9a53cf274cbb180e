package org.parley.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.parley.Datatype;
import org.parley.Parley;

/** A payload that is not what was sent is found and fails the run. */
class WrongPayloadTest {

    @ParameterizedTest
    @EnumSource
    void shouldFindTheFirstWrongByte(final BufferKind kind) {
        final Block block = new Block(kind, 100);
        for (int bytes = 1; bytes < 40; bytes++) {
            for (int wrong = 0; wrong < bytes; wrong++) {
                block.fill(7, bytes, 5);
                assertThat(block.mismatch(7, bytes, 5)).isEqualTo(-1);
                block.flip(7 + wrong);
                assertThat(block.mismatch(7, bytes, 5)).isEqualTo(wrong);
            }
        }
        block.close();
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellMessagesApart(final BufferKind kind) {
        final Block block = new Block(kind, 8);
        block.fill(0, 8, Contents.seed(1, 2, 3));
        assertThat(Contents.check(block, 0, 8, 1, 2, 3)).isNull();
        assertThat(Contents.check(block, 0, 8, 0, 2, 3)).contains("from rank 0 in iteration 2");
        assertThat(Contents.check(block, 0, 8, 1, 1, 3)).isNotNull();
        assertThat(Contents.check(block, 0, 8, 1, 2, 2)).isNotNull();
        block.close();
    }

    @Test
    void shouldKeepNumbersOfBothTypes() {
        for (final BufferKind kind : BufferKind.values()) {
            final Numbers numbers = new Numbers(kind, 64);
            for (final Datatype type : new Datatype[] {Datatype.DOUBLE, Datatype.FLOAT}) {
                numbers.put(type, 3, 1.5);
                assertThat(numbers.get(type, 3)).isEqualTo(1.5);
            }
            numbers.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "BARRIER", mode = EnumSource.Mode.EXCLUDE)
    void shouldFailTheRun(final Benchmark benchmark) {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final AtomicInteger codes = new AtomicInteger();
        final BenchOptions options = BenchOptions.parse(benchmark.id(), "-c", "-m", "64:64", "-i", "3", "--cold");
        Parley.local(
                2,
                parley -> codes.addAndGet(new Bench(
                                parley, options, print(out), print(err), (which, setup) -> new Lying(which.make(setup)))
                        .run()));
        assertThat(codes).as("both ranks exit with 1").hasValue(2);
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("Fail").doesNotContain("Pass");
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains(benchmark.id() + ", 64 bytes, rank ")
                .contains("iteration ");
    }

    private static PrintStream print(final ByteArrayOutputStream into) {
        return new PrintStream(into, true, StandardCharsets.UTF_8);
    }

    /** Sends something else than will be looked for. */
    private static final class Lying extends Workload {
        private final Workload honest;

        Lying(final Workload honest) {
            this.honest = honest;
        }

        @Override
        boolean isTimed() {
            return honest.isTimed();
        }

        @Override
        void prepare(final long bytes) {
            honest.prepare(bytes);
        }

        @Override
        long run(final int iterations, final Recorder recorder) {
            return honest.run(iterations, recorder);
        }

        @Override
        void fill(final int iteration) {
            honest.fill(iteration + 1);
        }

        @Override
        String check(final int iteration) {
            return honest.check(iteration);
        }

        @Override
        void close() {
            honest.close();
        }
    }
}
