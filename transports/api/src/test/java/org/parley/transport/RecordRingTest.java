package org.parley.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RecordRingTest {
    private static final int LINE = 64;
    private static final byte FENCE = 0x5a;

    /** Memory with a fence on both sides of the ring. */
    private static final class Fenced implements AutoCloseable {
        private final long raw;
        private final long base;
        private final int bytes;

        Fenced(final int capacity) {
            bytes = RecordRing.HEADER + capacity;
            raw = UnsafeApi.allocateMemory(bytes + 4 * LINE);
            UnsafeApi.setMemory(raw, bytes + 4 * LINE, FENCE);
            base = (raw + 2 * LINE - 1) & -LINE;
            UnsafeApi.setMemory(base, bytes, (byte) 0);
        }

        @Override
        public void close() {
            for (int i = 1; i <= LINE; i++) {
                assertThat(UnsafeApi.getByte(base - i)).isEqualTo(FENCE);
                assertThat(UnsafeApi.getByte(base + bytes - 1 + i)).isEqualTo(FENCE);
            }
            UnsafeApi.freeMemory(raw);
        }
    }

    private enum Kind {
        CLAIM_COMMIT,
        CLAIM_ABORT,
        READ,
        READ_ALL,
        RELEASE
    }

    private record Step(Kind kind, int part) {}

    @Provide
    Arbitrary<List<Step>> steps() {
        return Combinators.combine(
                        Arbitraries.of(Kind.values()), Arbitraries.integers().between(0, 1000))
                .as(Step::new)
                .list()
                .ofMaxSize(400);
    }

    @Property(tries = 300)
    void shouldHandOverWhatWasCommittedInOrder(
            @ForAll("steps") final List<Step> steps, @ForAll @IntRange(min = 8, max = 14) final int capacityBits) {
        try (Fenced memory = new Fenced(1 << capacityBits)) {
            final RecordRing producer = new RecordRing(memory.base, 1 << capacityBits);
            final RecordRing consumer = new RecordRing(memory.base, 1 << capacityBits);
            final ArrayDeque<int[]> model = new ArrayDeque<>();
            int number = 0;
            for (final Step step : steps) {
                // Short ones and the longest, most of all.
                final int length = step.part() < 200 ? producer.maxFrame() : 1 + step.part() * 7 % producer.maxFrame();
                switch (step.kind()) {
                    case CLAIM_COMMIT -> {
                        final long frame = producer.claim(length);
                        if (frame > 0) {
                            UnsafeApi.setMemory(frame, length, (byte) number);
                            producer.commit();
                            model.add(new int[] {length, number++});
                        }
                    }
                    case CLAIM_ABORT -> {
                        final long frame = producer.claim(length);
                        if (frame > 0) {
                            UnsafeApi.setMemory(frame, length, (byte) -1);
                            producer.abort();
                        }
                    }
                    case READ -> read(consumer, model);
                    case READ_ALL -> {
                        while (read(consumer, model)) {
                            // Until there is none.
                        }
                    }
                    default -> consumer.release();
                }
            }
            while (read(consumer, model)) {
                // Until there is none.
            }
            assertThat(model).isEmpty();
            consumer.release();
            assertThat(producer.claim(producer.maxFrame())).isPositive();
        }
    }

    private static boolean read(final RecordRing consumer, final ArrayDeque<int[]> model) {
        final long frame = consumer.next();
        final int[] expected = model.poll();
        if (expected == null) {
            assertThat(frame).isZero();
            return false;
        }
        assertThat(frame).isPositive();
        assertThat(frame % LINE).isEqualTo(4);
        assertThat(RecordRing.length(frame)).isEqualTo(expected[0]);
        for (int i = 0; i < expected[0]; i++) {
            assertThat(UnsafeApi.getByte(frame + i)).isEqualTo((byte) expected[1]);
        }
        consumer.advance();
        return true;
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 1024, 4096})
    void shouldHaveRoomForTheLongestFrameAtEveryPlaceOnceEmpty(final int capacity) {
        try (Fenced memory = new Fenced(capacity)) {
            final RecordRing producer = new RecordRing(memory.base, capacity);
            final RecordRing consumer = new RecordRing(memory.base, capacity);
            for (int place = 0; place < 3 * capacity / LINE; place++) {
                assertThat(producer.claim(producer.maxFrame())).isPositive();
                producer.abort();
                assertThat(producer.claim(1)).isPositive();
                producer.commit();
                assertThat(consumer.next()).isPositive();
                consumer.advance();
                consumer.release();
            }
        }
    }

    @Test
    void shouldPushBackBeforeItOverwritesWhatIsUnread() {
        try (Fenced memory = new Fenced(1024)) {
            final RecordRing producer = new RecordRing(memory.base, 1024);
            final RecordRing consumer = new RecordRing(memory.base, 1024);
            int sent = 0;
            while (producer.claim(8) != Endpoint.BACK_PRESSURED) {
                producer.commit();
                sent++;
            }
            assertThat(sent).isEqualTo(1024 / LINE - 1);
            // Read, but not released: a quarter goes back by itself.
            for (int i = 0; i < 3; i++) {
                assertThat(consumer.next()).isPositive();
                consumer.advance();
                assertThat(producer.claim(8)).isEqualTo(Endpoint.BACK_PRESSURED);
            }
            assertThat(consumer.next()).isPositive();
            consumer.advance();
            assertThat(producer.claim(8)).isPositive();
        }
    }

    @Test
    void shouldRefuseImpossibleCapacities() {
        for (final int wrong : new int[] {0, -1, 128, 1000, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> new RecordRing(0, wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("capacity is " + wrong);
        }
    }
}
