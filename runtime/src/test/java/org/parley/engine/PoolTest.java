package org.parley.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.parley.transport.tck.Pattern;
import org.parley.transport.tck.Seeds;

/** What the engine reuses instead of allocating. */
class PoolTest {

    @Test
    void shouldGiveBlocksThatDoNotOverlap() {
        Seeds.run(random -> {
            try (BlockPool pool = new BlockPool()) {
                final List<long[]> taken = new ArrayList<>();
                for (int i = 0; i < 5000; i++) {
                    if (taken.size() < 50 && random.nextBoolean()) {
                        final long bytes = 1 + size(random);
                        final long block = pool.take(bytes);
                        assertThat(block % 64).isZero();
                        Pattern.fill(i, block, bytes);
                        taken.add(new long[] {block, bytes, i});
                    } else if (!taken.isEmpty()) {
                        final long[] one = taken.remove(random.nextInt(taken.size()));
                        assertThat(Pattern.mismatch(one[2], one[0], one[1])).isEqualTo(-1);
                        pool.give(one[0]);
                    }
                }
                taken.forEach(one -> pool.give(one[0]));
            }
        });
    }

    private static long size(final Random random) {
        return random.nextInt(1 << random.nextInt(18));
    }

    @Test
    void shouldUseBlocksAgain() {
        try (BlockPool pool = new BlockPool()) {
            final Set<Long> seen = new HashSet<>();
            for (int i = 0; i < 1000; i++) {
                final long block = pool.take(1000 + i % 20);
                seen.add(block);
                pool.give(block);
            }
            assertThat(seen).hasSize(1);
            final long large = pool.take(200L << 20);
            UnsafeApi.putByte(large + (200L << 20) - 1, (byte) 1);
            pool.give(large);
        }
    }

    @Test
    void shouldFindOperationsByTheirIdOnlyWhileTheyLast() {
        final OperationPool pool = new OperationPool();
        final Set<Long> ids = new HashSet<>();
        for (int i = 0; i < 300; i++) {
            final SendOperation send = pool.send();
            final ReceiveOperation receive = pool.receive();
            // In a frame 0 stands for no operation.
            assertThat(send.id()).isNotZero();
            assertThat(ids.add(send.id())).isTrue();
            assertThat(ids.add(receive.id())).isTrue();
            assertThat(pool.findSend(send.id())).isSameAs(send);
            assertThat(pool.findReceive(receive.id())).isSameAs(receive);
            assertThat(pool.findReceive(send.id())).isNull();
            assertThat(pool.findSend(receive.id())).isNull();
            if (i % 3 != 0) {
                final long late = send.id();
                pool.recycle(send);
                assertThat(pool.findSend(late)).isNull();
                pool.recycle(receive);
            }
        }
        for (final long wrong : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1000L << 32}) {
            assertThat(pool.find(wrong)).isNull();
        }
    }

    @Test
    void shouldKnowWhetherSendsAreUnderWay() {
        final OperationPool pool = new OperationPool();
        assertThat(pool.hasSends()).isFalse();
        final SendOperation one = pool.send();
        final SendOperation two = pool.send();
        pool.receive();
        pool.recycle(one);
        assertThat(pool.hasSends()).isTrue();
        pool.recycle(two);
        assertThat(pool.hasSends()).isFalse();
    }

    @Test
    void shouldAnswerFirstInFirstOut() {
        Seeds.run(random -> {
            final AnswerQueue queue = new AnswerQueue();
            long added = 0;
            long removed = 0;
            for (int i = 0; i < 20_000; i++) {
                if (random.nextInt(100) < (i / 1000 % 2 == 0 ? 60 : 40)) {
                    queue.add((byte) (added % 7), added, -added);
                    added++;
                } else if (!queue.isEmpty()) {
                    assertThat(queue.type()).isEqualTo((byte) (removed % 7));
                    assertThat(queue.first()).isEqualTo(removed);
                    assertThat(queue.second()).isEqualTo(-removed);
                    queue.remove();
                    removed++;
                }
                assertThat(queue.isEmpty()).isEqualTo(added == removed);
            }
        });
    }

    @Test
    void shouldReadListsOfTransports() {
        final Set<String> known = Set.of("self", "shm", "tcp");
        final TransportList all = TransportList.parse("");
        assertThat(all.permits("shm")).isTrue();
        final TransportList some = TransportList.parse(" shm , ");
        assertThat(some.permits("shm")).isTrue();
        assertThat(some.permits("tcp")).isFalse();
        assertThat(some.permits("self")).isTrue();
        final TransportList others = TransportList.parse("^tcp,rc");
        assertThat(others.permits("shm")).isTrue();
        assertThat(others.permits("tcp")).isFalse();
        some.check(known);
        assertThatThrownBy(() -> others.check(known))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("transport \"rc\" is not known; there are self, shm, tcp");
    }
}
