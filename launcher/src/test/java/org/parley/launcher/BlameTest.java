package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BlameTest {
    private static final String LEFT = "PeerFailedException: rank %d (b, over shm) has left the job";
    private static final String NO_WAY =
            "PeerFailedException: rank %d (b, over tcp) cannot be connected: tried 10.0.0.1:5 (No route to host)";

    private final Member[] members = IntStream.range(0, 4).mapToObj(Member::new).toArray(Member[]::new);
    private final Blame blame = new Blame(members, new EventLoop(), cause -> {});

    private Member failed(int rank, String how, int blames) {
        members[rank].exception = how.formatted(blames);
        members[rank].blames = blames;
        return members[rank];
    }

    @Test
    void shouldFindTheCauseWhereTwoBlameEachOther() {
        Member cut = failed(0, NO_WAY, 1);
        Member alone = failed(1, LEFT, 0);

        assertThat(blame.cause(cut)).isSameAs(cut);
        assertThat(blame.cause(alone)).isSameAs(cut);
    }

    @Test
    void shouldFollowTheBlameToItsEnd() {
        Member last = failed(0, LEFT, 1);
        failed(1, LEFT, 2);
        Member cut = failed(2, NO_WAY, 3);
        failed(3, LEFT, 0);

        assertThat(blame.cause(last)).isSameAs(cut);
        assertThat(blame.cause(cut)).isSameAs(cut);
    }

    @Test
    void shouldWaitForWhoHasNotSaidWhyItLeft() {
        Member last = failed(0, LEFT, 1);
        Member between = failed(1, LEFT, 2);
        members[2].left = true;

        assertThat(blame.cause(last)).isNull();
        assertThat(blame.isLeaving(last)).isTrue();
        assertThat(blame.follow(last)).isSameAs(between);

        Member first = failed(2, "IllegalStateException: mine", -1);
        assertThat(blame.cause(last)).isSameAs(first);
    }

    @Test
    void shouldNotBlameWhoLeftInPeace() {
        Member late = failed(0, LEFT, 1);
        members[1].left = true;
        members[1].code = 0;

        assertThat(blame.cause(late)).isNull();
        members[1].judged = true;
        assertThat(blame.cause(late)).isSameAs(late);
    }
}
