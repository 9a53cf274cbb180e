package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.parley.wireup.LongWait;

class WaitGraphTest {
    private final Member[] members = IntStream.range(0, 5).mapToObj(Member::new).toArray(Member[]::new);

    private void waits(boolean any, int rank, Integer... others) {
        members[rank].wait = new LongWait("call of " + rank, 1, 4900, any, List.of(others));
    }

    private void waits(int rank, Integer... others) {
        waits(false, rank, others);
    }

    private WaitGraph graph() {
        return new WaitGraph(members);
    }

    @Test
    void shouldFindTheRingAndWhoWaitsForIt() {
        waits(0, 1);
        waits(1, 3);
        waits(3, 1);
        waits(true, 4, 0, 1);

        assertThat(graph().stuck()).containsExactly(0, 1, 3, 4);
        assertThat(graph().cycle()).containsExactly(1, 3);
        assertThat(graph().text()).isEqualTo("""
                ranks wait for each other, and none can go on:
                    rank 1 waits for rank 3 since 4.9 s: call of 1
                    rank 3 waits for rank 1 since 4.9 s: call of 3
                    ranks 0,4 wait for these""");
    }

    @Test
    void shouldTrustOneOfSeveralWhoMayComeFromAnySource() {
        waits(0, 1);
        waits(true, 1, 0, 2);

        assertThat(graph().stuck()).isEmpty();
        assertThat(graph().text()).isEqualTo("ranks 0,1 wait, in the end, for rank 2, in no call that waits for long");

        waits(2, 0);
        assertThat(graph().stuck()).containsExactly(0, 1, 2);
    }

    @Test
    void shouldNeedAllOfACollective() {
        waits(0, 1, 2);
        waits(1, 0);
        assertThat(graph().stuck()).containsExactly(0, 1);
    }

    @Test
    void shouldSayThatARankWaitsForItself() {
        waits(2, 2);
        assertThat(graph().text()).isEqualTo("""
                a rank waits for itself:
                    rank 2 waits for rank 2 since 4.9 s: call of 2""");
    }

    @Test
    void shouldNotWaitForWhoIsGoneOrUnknown() {
        waits(0, 1);
        waits(1, 0);
        waits(2);
        members[1].left = true;
        waits(3, 4);
        members[4].code = 0;

        assertThat(graph().stuck()).isEmpty();
        assertThat(graph().text()).isEmpty();
    }

    @Test
    void shouldTellOnlyTheBeginningOfALongRing() {
        Member[] many = IntStream.range(0, 100).mapToObj(Member::new).toArray(Member[]::new);
        Arrays.stream(many)
                .forEach(member -> member.wait =
                        new LongWait("receive", 1, 1000, false, List.of((member.rank + 1) % many.length)));

        String text = new WaitGraph(many).text();

        assertThat(text.lines()).hasSize(18);
        assertThat(text).endsWith("\n    and 84 more, back to rank 0");
    }
}
