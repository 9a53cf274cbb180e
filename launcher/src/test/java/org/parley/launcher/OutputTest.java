package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Lines of many, in one stream. */
class OutputTest {
    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
    private final AtomicInteger closed = new AtomicInteger();
    private String reason;
    private final Output output = output(shown);

    private Output output(OutputStream out) {
        Output.Style plain = new Output.Style(false, null);
        return new Output(out, new ByteArrayOutputStream(), false, plain, new Output.Listener() {
            @Override
            public void closed(String why) {
                reason = why;
                closed.incrementAndGet();
            }

            @Override
            public void ended() {
                // Nobody waits for it.
            }
        });
    }

    private Pump pump(InputStream in, String tag, boolean holdsBack) {
        return new Pump(in, new RankOutput(output.out(), tag, null, why -> {}, () -> {}), holdsBack, false);
    }

    private static InputStream bytes(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private String shown() {
        return shown.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldTagEachLineOnce() {
        pump(bytes("one\n\ntwo\nthree"), "[1,0]<stdout>: ", true).run();

        assertThat(shown()).isEqualTo("[1,0]<stdout>: one\n[1,0]<stdout>: \n[1,0]<stdout>: two\n[1,0]<stdout>: three");
    }

    /** The line is longer than what is held back, and comes in pieces. */
    @Test
    void shouldTagALongLineOnce() {
        String line = "x".repeat(9_000_000);
        pump(bytes(line + "\nend\n"), "> ", true).run();

        assertThat(shown()).isEqualTo("> " + line + "\n> end\n");
    }

    @Test
    void shouldSayOnceThatACopyIsIncomplete() throws IOException {
        List<IOException> said = new ArrayList<>();
        RankOutput sink =
                new RankOutput(output.out(), "", Files.newOutputStream(Path.of("/dev/full")), said::add, () -> {});
        new Pump(bytes("one\ntwo\n"), sink, true, false).run();

        assertThat(shown()).isEqualTo("one\ntwo\n");
        assertThat(said).hasSize(1);
    }

    @Test
    void shouldSayWhyTheOutputCannotBeWritten() throws IOException {
        try (OutputStream full = Files.newOutputStream(Path.of("/dev/full"))) {
            Output toNowhere = output(full);
            new Pump(bytes("one\n"), new RankOutput(toNowhere.out(), "", null, why -> {}, () -> {}), true, false).run();
        }

        assertThat(closed).hasValue(1);
        assertThat(reason).isEqualTo("cannot write to the standard output: No space left on device");
    }

    @Test
    void shouldGiveNoReasonWhereNobodyReads() {
        Output toNobody = output(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        });
        new Pump(bytes("one\n"), new RankOutput(toNobody.out(), "", null, why -> {}, () -> {}), true, false).run();

        assertThat(closed).hasValue(1);
        assertThat(reason).isNull();
    }

    @Test
    void shouldNotGlueLinesOfTwoTogether() {
        pump(bytes("no end"), "", true).run();
        pump(bytes("another\n"), "", true).run();

        assertThat(shown()).isEqualTo("no end\nanother\n");
    }

    @Test
    void shouldPassOneStreamOnUnchanged() {
        pump(bytes("a\n\n  b\r\nc"), "", false).run();

        assertThat(shown()).isEqualTo("a\n\n  b\r\nc");
    }

    @Test
    void shouldKeepLinesOfManyWhole() throws InterruptedException {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            String letter = String.valueOf((char) ('a' + i));
            StringBuilder text = new StringBuilder();
            Random random = new Random(i);
            for (int line = 0; line < 500; line++) {
                text.append(letter.repeat(random.nextInt(line == 250 ? 6_000_000 : 5000)))
                        .append('\n');
            }
            threads[i] = new Thread(pump(new Dripping(text.toString(), i), "", true));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(shown().lines())
                .hasSize(2000)
                .allMatch(line -> line.chars().distinct().count() <= 1);
    }

    @Test
    void shouldSayOnceThatNobodyReads() {
        Output broken = output(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        });
        new Pump(bytes("a\nb\n"), broken.open(0, false), true, false).run();
        new Pump(bytes("c\n"), broken.open(1, false), true, false).run();

        assertThat(closed).hasValue(1);
    }

    /** Gives a few bytes at a time. */
    private static final class Dripping extends InputStream {
        private final InputStream all;
        private final Random random;

        Dripping(String text, int seed) {
            this.all = bytes(text);
            this.random = new Random(seed);
        }

        @Override
        public int read() throws IOException {
            return all.read();
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            return all.read(buffer, offset, Math.min(length, 1 + random.nextInt(100_000)));
        }
    }
}
