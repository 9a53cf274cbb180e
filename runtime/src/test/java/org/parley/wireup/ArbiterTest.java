package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.transport.tck.Seeds;

/** Agreements, whoever fails whenever; and which end of a link that has failed is to go. */
@Timeout(240)
class ArbiterTest {
    private static final int STEPS = 300_000;

    // --- a model ---------------------------------------------------------------------------------

    /** A rank of the model: votes one agreement after the other; what it is told waits on its line. */
    private static final class Rank {
        final ArrayDeque<Object> line = new ArrayDeque<>();
        final ArrayDeque<Petition> sent = new ArrayDeque<>();
        final Set<Integer> knownDead = new TreeSet<>();
        boolean isDead;
        boolean isDeclared;
        int sequence;
        boolean waits;
        int[] members;
        int context;
        int nextContext = 2;
    }

    /**
     * Draws who votes, dies, is declared dead, has its petition heard, or hears what it was told. Who survives must have
     * the same results in the same communicators as all others that have any, no matter who died before or after that.
     */
    @Test
    void shouldGiveAllSurvivorsTheSameWhoeverDiesWhenever() {
        Seeds.run(random -> {
            for (int steps = 0; steps < STEPS; ) {
                steps += play(random);
            }
        });
    }

    private static int play(final Random random) {
        final int size = 2 + random.nextInt(9);
        final Rank[] ranks = new Rank[size];
        for (int i = 0; i < size; i++) {
            ranks[i] = new Rank();
        }
        final Map<String, Ruling.Agreed> results = new HashMap<>();
        final Arbiter arbiter = new Arbiter((whom, ruling) -> whom.forEach(rank -> ranks[rank].line.add(ruling)));
        final int mostDeaths = random.nextInt(size);
        int deaths = 0;
        int steps = 0;
        for (; steps < 400; steps++) {
            final int number = random.nextInt(size);
            final Rank rank = ranks[number];
            switch (random.nextInt(8)) {
                case 0 -> {
                    if (!rank.isDead && deaths < mostDeaths && random.nextInt(6) == 0) {
                        rank.isDead = true;
                        deaths++;
                    }
                }
                case 1 -> declare(number, ranks, arbiter);
                case 2, 3 -> vote(rank, size, random);
                case 4, 5 -> {
                    if (!rank.sent.isEmpty() && !rank.isDeclared) {
                        arbiter.ask(number, rank.sent.remove());
                    }
                }
                default -> hear(number, rank, size, results);
            }
        }
        // From here on nobody dies any more, and all that is under way must end.
        for (boolean moved = true; moved; ) {
            moved = false;
            for (int number = 0; number < size; number++) {
                final Rank rank = ranks[number];
                moved |= declare(number, ranks, arbiter);
                while (!rank.isDead && !rank.sent.isEmpty()) {
                    arbiter.ask(number, rank.sent.remove());
                    moved = true;
                }
                moved |= hear(number, rank, size, results);
            }
        }
        // Who still waits does so for one that is there and has not voted.
        for (final Rank rank : ranks) {
            if (!rank.isDead && rank.waits) {
                final List<Integer> members = members(rank, size);
                assertThat(members).anyMatch(member -> !ranks[member].isDead && !isWith(ranks[member], rank));
            }
        }
        return steps;
    }

    private static boolean isWith(final Rank one, final Rank other) {
        return one.waits && one.context == other.context && one.sequence == other.sequence;
    }

    private static List<Integer> members(final Rank rank, final int size) {
        final List<Integer> result = new ArrayList<>();
        Members.of(rank.members, rank.members == null ? size : rank.members.length)
                .forEach(result::add);
        return result;
    }

    private static boolean declare(final int number, final Rank[] ranks, final Arbiter arbiter) {
        final boolean isNews = ranks[number].isDead && !ranks[number].isDeclared;
        if (isNews) {
            ranks[number].isDeclared = true;
            for (final Rank other : ranks) {
                other.line.add(number);
            }
            arbiter.gone(number);
        }
        return isNews;
    }

    private static void vote(final Rank rank, final int size, final Random random) {
        if (rank.isDead || rank.waits) {
            return;
        }
        final int flags = random.nextInt() | 1;
        // All members do the same in the same agreement: every third makes a communicator.
        final Members members = Members.of(rank.members, rank.members == null ? size : rank.members.length);
        rank.sent.add(new Petition.Vote(
                rank.context, members, rank.sequence, rank.sequence % 3 == 2, flags, rank.nextContext));
        rank.waits = true;
    }

    private static boolean hear(
            final int number, final Rank rank, final int size, final Map<String, Ruling.Agreed> results) {
        if (rank.isDead || rank.line.isEmpty()) {
            return false;
        }
        final Object told = rank.line.remove();
        if (told instanceof Integer dead) {
            rank.knownDead.add(dead);
            return true;
        }
        final Ruling.Agreed agreed = (Ruling.Agreed) told;
        assertThat(rank.waits).isTrue();
        assertThat(agreed.context()).isEqualTo(rank.context);
        assertThat(agreed.sequence()).isEqualTo(rank.sequence);
        assertThat(agreed.isMixed()).isFalse();
        // It has heard of all deaths that the decision knows.
        assertThat(rank.knownDead).containsAll(agreed.gone());
        assertThat(agreed.gone()).doesNotContain(number);
        final Ruling.Agreed before = results.putIfAbsent(agreed.context() + "/" + agreed.sequence(), agreed);
        assertThat(before == null || before.equals(agreed)).isTrue();
        rank.waits = false;
        if (rank.sequence % 3 == 2) {
            final List<Integer> left = members(rank, size);
            left.removeAll(agreed.gone());
            assertThat(left).contains(number);
            rank.members = left.stream().mapToInt(Integer::intValue).toArray();
            rank.context = agreed.nextContext();
            rank.nextContext = agreed.nextContext() + 2;
            rank.sequence = 0;
        } else {
            rank.sequence++;
        }
        return true;
    }

    // --- single cases ----------------------------------------------------------------------------

    private final List<String> told = new ArrayList<>();
    private final Arbiter arbiter = new Arbiter((ranks, ruling) -> told.add(ranks + " " + ruling));

    private static Petition.Vote vote(final int flags, final int nextContext) {
        return new Petition.Vote(0, Members.of(null, 3), 0, false, flags, nextContext);
    }

    @Test
    void shouldCountTheVoteOfOneWhoDiesBeforeTheDecision() {
        arbiter.ask(1, vote(0b1010, 8));
        arbiter.gone(1);
        arbiter.ask(0, vote(0b1100, 2));
        assertThat(told).isEmpty();
        arbiter.gone(2);

        assertThat(told).containsExactly("[0] " + new Ruling.Agreed(0, 0, false, 0b1000, 8, List.of(1, 2)));
    }

    @Test
    void shouldTellOnlyMembersOfARevocation() {
        arbiter.gone(5);
        arbiter.ask(3, new Petition.Revocation(4, Members.of(new int[] {7, 3, 4, 5}, 4)));

        assertThat(told).containsExactly("[7, 3, 4] " + new Ruling.Revoked(4, 3));
    }

    @Test
    void shouldNotListenToWhoIsNoMember() {
        arbiter.ask(3, vote(1, 2));
        arbiter.gone(0);
        arbiter.gone(1);

        assertThat(told).isEmpty();
    }

    /** One machine has lost its network: each of its links fails, and all others are well. */
    @Test
    void shouldBlameTheRankWhoseLinksHaveAllFailed() {
        arbiter.ask(2, new Petition.Suspicion(0, "reset"));
        arbiter.ask(1, new Petition.Suspicion(2, "reset"));
        arbiter.ask(2, new Petition.Suspicion(1, "reset"));
        arbiter.ask(2, new Petition.Suspicion(3, "reset"));

        assertThat(arbiter.blame()).singleElement().satisfies(verdict -> {
            assertThat(verdict.rank()).isEqualTo(2);
            assertThat(verdict.cause()).contains("the link between it and rank 0 has failed: reset");
        });
        assertThat(arbiter.blame()).isEmpty();
    }

    @Test
    void shouldBlameNobodyForTheLinksOfTheDead() {
        arbiter.ask(1, new Petition.Suspicion(2, "reset"));
        arbiter.gone(2);
        arbiter.ask(0, new Petition.Suspicion(2, "reset"));
        arbiter.ask(2, new Petition.Suspicion(0, "reset"));

        assertThat(arbiter.blame()).isEmpty();
    }

    @Test
    void shouldBlameOneEndOfEachOfSeveralLinks() {
        arbiter.ask(0, new Petition.Suspicion(1, "a"));
        arbiter.ask(2, new Petition.Suspicion(3, "b"));
        arbiter.ask(3, new Petition.Suspicion(2, "c"));

        assertThat(arbiter.blame()).extracting(Arbiter.Verdict::rank).containsExactly(1, 3);
    }

    // --- on the wire -----------------------------------------------------------------------------

    @Test
    void shouldReadWhatItHasWritten() throws IOException {
        final List<Petition> petitions = List.of(
                new Petition.Vote(6, Members.of(new int[] {4, 5, 6, 1, 9}, 5), 3, true, -5, 12),
                new Petition.Revocation(0, Members.of(null, 10)),
                new Petition.Suspicion(9, "x"));
        for (final Petition petition : petitions) {
            assertThat(Petition.read(arrived(petition.write(new ControlFrame.Builder(ControlFrame.PETITION))), 10))
                    .isEqualTo(petition);
        }
        final List<Ruling> rulings = List.of(
                new Ruling.Agreed(6, 3, true, -5, 12, List.of(1, 7)), new Ruling.Revoked(4, 2), new Ruling.Fenced("y"));
        for (final Ruling ruling : rulings) {
            assertThat(Ruling.read(arrived(ruling.write(new ControlFrame.Builder(ControlFrame.RULING)))))
                    .isEqualTo(ruling);
        }
        assertThat(Members.of(new int[] {4, 5, 6, 1, 9}, 5).runs()).containsExactly(4, 3, 1, 1, 9, 1);
    }

    /** Any bytes: read or refused, with no more memory than they have. */
    @Test
    void shouldReadOrRefuseAnyBytes() {
        Seeds.run(random -> {
            for (int i = 0; i < 100_000; i++) {
                readAny(random);
            }
        });
    }

    private static void readAny(final Random random) {
        final byte[] body = new byte[random.nextInt(40)];
        random.nextBytes(body);
        for (int at = 0; at + 4 <= body.length; at += 4) {
            if (random.nextBoolean()) {
                ByteBuffer.wrap(body).putInt(at, random.nextInt(12) - 1);
            }
        }
        if (body.length >= 4) {
            ByteBuffer.wrap(body).putInt(0, random.nextInt(5));
        }
        final byte type = random.nextBoolean() ? ControlFrame.PETITION : ControlFrame.RULING;
        final ControlFrame frame = ControlFrame.arrived(type, ByteBuffer.wrap(body));
        try {
            if (type == ControlFrame.PETITION) {
                new Arbiter((ranks, ruling) ->
                                ranks.forEach(rank -> assertThat(rank).isBetween(0, 9)))
                        .ask(random.nextInt(10), Petition.read(frame, 10));
            } else {
                Ruling.read(frame);
            }
        } catch (final IOException e) {
            assertThat(e).hasMessageMatching("(?s).*(shorter|members|ranks|kind).*");
        }
    }

    private static ControlFrame arrived(final ControlFrame.Builder built) {
        final ByteBuffer frame = built.build();
        return ControlFrame.arrived(frame.get(4), ByteBuffer.wrap(ControlFrame.bodyOf(frame)));
    }
}
