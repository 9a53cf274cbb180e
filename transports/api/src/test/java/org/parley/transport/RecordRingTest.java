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
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(240)
class RecordRingTest {
    private static final int LINE = 64;
    private static final int SMALLEST = 16 * 1024;
    private static final int RESERVED = 1024;
    private static final byte FENCE = 0x5a;

    /** Memory with a fence on both sides of the ring. */
    private static final class Fenced implements AutoCloseable {
        private final long raw;
        private final long base;
        private final int bytes;

        Fenced(final int capacity) {
            bytes = capacity;
            raw = UnsafeApi.allocateMemory(bytes + 4 * LINE);
            UnsafeApi.setMemory(raw, bytes + 4 * LINE, FENCE);
            base = (raw + 2 * LINE - 1) & -LINE;
            UnsafeApi.setMemory(base, bytes - RESERVED, (byte) 0);
        }

        @Override
        public void close() {
            for (int i = 1; i <= LINE; i++) {
                assertThat(UnsafeApi.getByte(base - i)).isEqualTo(FENCE);
            }
            for (int i = 1; i <= RESERVED + LINE; i++) {
                assertThat(UnsafeApi.getByte(base + bytes - RESERVED - 1 + i)).isEqualTo(FENCE);
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
        // More goes in than comes out: the ring is full most of the time.
        return Combinators.combine(
                        Arbitraries.frequency(
                                Tuple.of(12, Kind.CLAIM_COMMIT),
                                Tuple.of(2, Kind.CLAIM_ABORT),
                                Tuple.of(8, Kind.READ),
                                Tuple.of(1, Kind.READ_ALL),
                                Tuple.of(2, Kind.RELEASE)),
                        Arbitraries.integers().between(0, 1000))
                .as(Step::new)
                .list()
                .ofMaxSize(1000);
    }

    @Property(tries = 300)
    void shouldHandOverWhatWasCommittedInOrder(
            @ForAll("steps") final List<Step> steps, @ForAll @IntRange(min = 14, max = 15) final int capacityBits) {
        try (Fenced memory = new Fenced(1 << capacityBits)) {
            final RecordRing producer = new RecordRing(memory.base, 1 << capacityBits, RESERVED);
            final RecordRing consumer = new RecordRing(memory.base, 1 << capacityBits, RESERVED);
            final ArrayDeque<int[]> model = new ArrayDeque<>();
            final int longest = RecordRing.maxFrame(1 << capacityBits);
            int number = 0;
            for (final Step step : steps) {
                // Short ones and the longest, most of all.
                final int length = step.part() < 200 ? longest : 1 + step.part() * 7 % longest;
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
            assertThat(producer.claim(longest)).isPositive();
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
        assertThat(frame % 8).isEqualTo(4);
        assertThat(consumer.length()).isEqualTo(expected[0]);
        for (int i = 0; i < expected[0]; i++) {
            assertThat(UnsafeApi.getByte(frame + i)).isEqualTo((byte) expected[1]);
        }
        consumer.advance();
        return true;
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 14, 1 << 15, 1 << 16})
    void shouldHaveRoomForTheLongestFrameAtEveryPlaceOnceEmpty(final int capacity) {
        try (Fenced memory = new Fenced(capacity)) {
            final RecordRing producer = new RecordRing(memory.base, capacity, RESERVED);
            final RecordRing consumer = new RecordRing(memory.base, capacity, RESERVED);
            final int longest = RecordRing.maxFrame(capacity);
            for (int place = 0; place < 3 * capacity / LINE; place++) {
                assertThat(producer.claim(longest)).isPositive();
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
        final int longest = RecordRing.maxFrame(SMALLEST);
        for (final int length : new int[] {1, 60, 61, longest}) {
            try (Fenced memory = new Fenced(SMALLEST)) {
                final RecordRing producer = new RecordRing(memory.base, SMALLEST, RESERVED);
                final RecordRing consumer = new RecordRing(memory.base, SMALLEST, RESERVED);
                int sent = 0;
                for (long frame; (frame = producer.claim(length)) != Endpoint.BACK_PRESSURED; sent++) {
                    UnsafeApi.setMemory(frame, length, (byte) sent);
                    producer.commit();
                }
                assertThat(sent).isGreaterThanOrEqualTo(8);
                // What is read may be looked at until it is released; a quarter goes back by itself.
                int read = 0;
                while (producer.claim(length) == Endpoint.BACK_PRESSURED) {
                    final long frame = consumer.next();
                    assertThat(frame).isPositive();
                    assertThat(UnsafeApi.getByte(frame + length - 1)).isEqualTo((byte) read++);
                    consumer.advance();
                }
                assertThat(read).isBetween(1, sent / 2);
                for (; read < sent; read++) {
                    final long frame = consumer.next();
                    assertThat(UnsafeApi.getByte(frame)).isEqualTo((byte) read);
                    assertThat(UnsafeApi.getByte(frame + length - 1)).isEqualTo((byte) read);
                    consumer.advance();
                }
                assertThat(consumer.next()).isZero();
            }
        }
    }

    @Test
    void shouldRefuseImpossibleCapacities() {
        for (final int wrong : new int[] {0, -1, 8192, 20_000, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> new RecordRing(0, wrong, 0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the ring has " + wrong);
        }
    }
}
