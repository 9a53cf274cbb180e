package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.wireup.ControlFrame;
import org.parley.wireup.LongWait;

/** What {@code parley top} shows fits, and says what launcher and ranks said. */
class TopTableTest {
    private static final Screen PLAIN = Screen.plain();

    private static JobStatus.OfRank rank(long seconds, LongWait wait, String counters) {
        return new JobStatus.OfRank("node-a", 4711, JobStatus.State.JOINED, 0, seconds * 1_000_000_000, wait, counters);
    }

    private static JobStatus job(JobStatus.OfRank... ranks) {
        return new JobStatus("12-ab", 5_000_000_000L, 1, List.of(ranks));
    }

    private static LongWait waiting(long millis) {
        return new LongWait("receive of up to 8 B from 1, tag 7", 3, millis, false, List.of(1));
    }

    private static Rates rates(int ranks) {
        List<JobStatus.OfRank> all = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            all.add(rank(1, rank == 40 ? waiting(90_000) : null, rank == 50 ? "stalls 2" : ""));
        }
        return Rates.of(new JobStatus("12-ab", 1, 0, all), null);
    }

    @Test
    void shouldShowWhatCameBetweenTwoReports() {
        Rates before = Rates.of(job(rank(1, null, "bytes.sent 100, messages.sent 10, tcp.reconnects 1")), null);
        Rates rates = Rates.of(
                job(rank(3, waiting(1500), "bytes.sent 3000100, messages.sent 30, tcp.reconnects 2, rc.rejected 4")),
                before);

        List<String> lines = TopTable.lines(rates, PLAIN);
        assertThat(lines.get(0)).isEqualTo("job 12-ab: 1 rank, 5.0 s, 1 stranger refused");
        assertThat(lines.get(2).strip().split("\\s{2,}"))
                .containsExactly(
                        "0 node-a",
                        "10",
                        "0",
                        "1.5M",
                        "0",
                        "2",
                        "0",
                        "0",
                        "0",
                        "4",
                        "0",
                        "1.5 s in receive of up to 8 B from 1, tag 7");
    }

    @Test
    void shouldKeepWhatARankHasToldWhenItTellsNothingNew() {
        Rates first = Rates.of(job(rank(1, null, "messages.sent 10")), null);
        Rates second = Rates.of(job(rank(3, null, "messages.sent 30")), first);
        Rates third = Rates.of(job(rank(3, null, "messages.sent 30")), second);

        assertThat(first.areComplete()).isFalse();
        assertThat(first.ranks().get(0).rate("messages.sent")).isNegative();
        assertThat(third.areComplete()).isTrue();
        assertThat(third.ranks().get(0).rate("messages.sent")).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20, 40, 60, 80, 100, 132})
    void shouldFitEachWidth(int width) {
        assertThat(TopTable.lines(rates(64), new Screen(true, width, 100)))
                .hasSize(66)
                .allMatch(line -> line.length() <= width);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 24, 50})
    void shouldFitEachHeightAndShowThoseWithTroubleAndThoseThatWait(int height) {
        List<String> lines = TopTable.lines(rates(64), new Screen(true, 100, height));

        assertThat(lines).hasSizeLessThanOrEqualTo(Math.max(height, 6) - 1);
        assertThat(lines).anyMatch(line -> line.startsWith("  40 ")).anyMatch(line -> line.startsWith("  50 "));
        assertThat(lines.get(lines.size() - 1)).startsWith("and ");
    }

    @Test
    void shouldShowAllWithoutATerminal() {
        assertThat(TopTable.lines(rates(64), PLAIN)).hasSize(66).noneMatch(line -> line.contains("\033"));
    }

    @Test
    void shouldLetNoTextOfARankMoveTheCursor() {
        LongWait evil = new LongWait("a\033[2Jb\nc", 1, 10, false, List.of());
        assertThat(TopTable.lines(Rates.of(job(rank(1, evil, "")), null), PLAIN))
                .hasSize(3)
                .noneMatch(line -> line.contains("\033") || line.contains("\n"));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "7, 7", "7.25, 7.3", "999, 999", "1000, 1.0k", "12345, 12.3k", "123456, 123k", "1e9, 1.0G"})
    void shouldWriteNumbersShort(double value, String text) {
        assertThat(TopTable.number(value)).isEqualTo(text);
    }

    @Test
    void shouldReadWhatWasWrittenAndNothingShorter() throws IOException {
        JobStatus status = job(
                rank(1, waiting(7), "a.b 1"), new JobStatus.OfRank("b", -1, JobStatus.State.ENDED, 137, 0, null, ""));
        ByteBuffer frame = status.frame();
        byte[] all = new byte[frame.remaining()];
        frame.get(all);

        assertThat(read(all, all.length)).isEqualTo(status);
        for (int length = 5; length < all.length; length++) {
            int cut = length;
            assertThatThrownBy(() -> read(all, cut)).as("cut to %d", cut).isInstanceOf(IOException.class);
        }
    }

    private static JobStatus read(byte[] all, int length) throws IOException {
        return JobStatus.read(
                ControlFrame.arrived(all[4], ByteBuffer.wrap(all, 5, length - 5).slice()));
    }
}
