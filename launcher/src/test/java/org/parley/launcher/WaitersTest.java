package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.parley.wireup.LongWait;

class WaitersTest {
    private final List<String> said = new ArrayList<>();
    private final Member[] members = IntStream.range(0, 3).mapToObj(Member::new).toArray(Member[]::new);
    private final Waiters waiters = new Waiters(members, said::add);

    private void report(int rank, int other, long turn) {
        waiters.reported(rank, new LongWait("receive", turn, 1000, false, List.of(other)));
    }

    private void looks(int times, Runnable reports) {
        for (int i = 0; i < times; i++) {
            reports.run();
            waiters.look();
        }
    }

    @Test
    void shouldTellOnceOfRanksThatStayInWaitsForEachOther() {
        looks(4, () -> {
            report(0, 1, 7);
            report(1, 0, 9);
            waiters.reported(2, null);
        });
        assertThat(said).isEmpty();

        looks(20, () -> {
            report(0, 1, 7);
            report(1, 0, 9);
        });
        assertThat(said)
                .singleElement()
                .asString()
                .startsWith("parley: nothing happens any more: ranks wait for each other");
    }

    @Test
    void shouldBeSilentWhileSomethingHappens() {
        long[] turn = {0};
        looks(20, () -> {
            report(0, 1, 7);
            report(1, 0, turn[0]++);
        });
        assertThat(said).isEmpty();
    }

    @Test
    void shouldBeSilentWhileOneMayComeToHelp() {
        looks(20, () -> {
            report(0, 1, 7);
            report(1, 2, 9);
            waiters.reported(2, null);
        });
        assertThat(said).isEmpty();
    }

    @Test
    void shouldBeSilentWhileOneDoesNotAnswer() {
        report(1, 0, 9);
        looks(20, () -> report(0, 1, 7));
        assertThat(said).isEmpty();
    }
}
