package org.parley.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 240, unit = TimeUnit.SECONDS)
class RetainingEndpointTest {
    private static final int WINDOW = 16 * 1024;
    private static final int LARGEST = 2000;
    private static final long BYTES = UnsafeApi.arrayBaseOffset(byte[].class);

    private final Random random = new Random(4711);
    private final Side a = new Side();
    private final Side b = new Side();
    private final List<Long> blocks = new ArrayList<>();

    /** One end: what it writes lies in {@link #wire} until the other end takes it. */
    private final class Side extends RetainingEndpoint implements Link {
        private final ArrayDeque<Byte> wire = new ArrayDeque<>();
        private final ArrayDeque<byte[]> received = new ArrayDeque<>();
        private final long memory = UnsafeApi.allocateMemory(1 << 20);
        private int staged;
        private long room = Long.MAX_VALUE;
        private int verdict = DONE;

        Side() {
            super(WINDOW);
        }

        @Override
        public long write(final long address, final int length) {
            final long taken = Math.min(length, room);
            for (int i = 0; i < taken; i++) {
                wire.add(UnsafeApi.getByte(address + i));
            }
            room -= taken;
            return taken;
        }

        @Override
        public long write(final long address, final int length, final long payload, final long payloadLength) {
            final long first = write(address, length);
            return first < length ? first : first + write(payload, (int) payloadLength);
        }

        /** Takes up to so many bytes of what the other has written. */
        void take(final Side other, final int most) {
            for (int i = 0; i < most && !other.wire.isEmpty(); i++) {
                UnsafeApi.putByte(memory + staged++, other.wire.remove());
            }
            int start = 0;
            while (staged - start >= HEADER && staged - start >= wireLengthOf(memory + start)) {
                final long header = memory + start;
                final int all = (int) wireLengthOf(header);
                verdict = arrives(header);
                if (verdict == BROKEN) {
                    return;
                }
                if (verdict == TAKE) {
                    final byte[] frame = new byte[lengthOf(header)];
                    UnsafeApi.copyMemory(null, header + HEADER, frame, BYTES, frame.length);
                    taken(retainedOf(header));
                    received.add(frame);
                }
                start += all;
            }
            UnsafeApi.copyMemory(memory + start, memory, staged - start);
            staged -= start;
        }

        boolean send(final byte[] frame) {
            final long address = claim(frame.length);
            if (address == BACK_PRESSURED) {
                return false;
            }
            UnsafeApi.copyMemory(frame, BYTES, null, address, frame.length);
            commit();
            return true;
        }

        boolean sendLate(final byte[] frame, final int head) {
            final long address = claim(frame.length);
            if (address == BACK_PRESSURED) {
                return false;
            }
            final long payload = inNativeMemory(frame, head);
            UnsafeApi.copyMemory(frame, BYTES, null, address, head);
            commit(address, head, payload, frame.length - head);
            // The memory is the caller's again.
            UnsafeApi.setMemory(payload, frame.length - head, (byte) 0x5a);
            return true;
        }

        boolean sendGathered(final byte[] frame, final int head) {
            final long address = claimGathered(head, frame.length - head);
            if (address == BACK_PRESSURED) {
                return false;
            }
            UnsafeApi.copyMemory(frame, BYTES, null, address, head);
            commitGathered(inNativeMemory(frame, head));
            return true;
        }

        void connect(final long peerExpects) {
            wire.clear();
            attach(this, peerExpects);
        }

        /** The link breaks: what is under way, and what is staged of a frame, is lost. */
        void cut() {
            detach();
            wire.clear();
            staged = 0;
        }

        void say() {
            sayFarewell();
        }

        boolean hasHeardFarewell() {
            return hasPeerLeft();
        }

        long next() {
            return expected();
        }

        void move() {
            if (hasUnsent()) {
                flush();
            }
            if (owesAcknowledgement()) {
                acknowledgeLate(System.nanoTime());
            }
        }

        @Override
        public void close() {
            free();
            UnsafeApi.freeMemory(memory);
        }
    }

    private long inNativeMemory(final byte[] frame, final int head) {
        final long block = UnsafeApi.allocateMemory(frame.length);
        blocks.add(block);
        UnsafeApi.copyMemory(frame, BYTES + head, null, block, frame.length - head);
        return block;
    }

    @AfterEach
    void free() {
        a.close();
        b.close();
        blocks.forEach(UnsafeApi::freeMemory);
    }

    private byte[] frame(final int number, final int length) {
        final byte[] frame = new byte[length];
        random.nextBytes(frame);
        frame[0] = (byte) number;
        return frame;
    }

    private static void await(final String what, final java.util.function.BooleanSupplier isSo, final Runnable turn) {
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!isSo.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            turn.run();
        }
    }

    @Test
    void shouldKeepFramesUntilTheFirstLink() {
        a.send(new byte[] {1, 2, 3});
        a.send(new byte[] {4});

        a.connect(0);
        b.take(a, Integer.MAX_VALUE);

        assertThat(b.received).containsExactly(new byte[] {1, 2, 3}, new byte[] {4});
        assertThat(a.isSent()).isTrue();
        assertThat(a.isAcknowledged()).isFalse();
    }

    @Test
    void shouldTakeTheAcknowledgementAlongWithAnAnswer() {
        a.connect(0);
        b.connect(0);
        for (int i = 0; i < 1000; i++) {
            assertThat(a.send(new byte[100])).isTrue();
            b.take(a, Integer.MAX_VALUE);
            assertThat(b.send(new byte[100])).isTrue();
            a.take(b, Integer.MAX_VALUE);
        }
        assertThat(a.isAcknowledged()).isTrue();
        assertThat(a.acknowledgementsAlone() + b.acknowledgementsAlone()).isZero();
    }

    @Test
    void shouldAcknowledgeAloneAfterHalfAWindow() {
        a.connect(0);
        b.connect(0);
        for (int i = 0; i < 1000; i++) {
            assertThat(a.send(new byte[100])).isTrue();
            b.take(a, Integer.MAX_VALUE);
            a.take(b, Integer.MAX_VALUE);
        }
        // A frame of 100 bytes occupies 120.
        assertThat(b.acknowledgementsAlone()).isBetween(1000 * 120L / WINDOW, 1000 * 120L / (WINDOW / 2) + 1);
    }

    @Test
    void shouldAcknowledgeAloneAfterAWhile() {
        a.connect(0);
        b.connect(0);
        a.send(new byte[1]);
        b.take(a, Integer.MAX_VALUE);

        await("an acknowledgement", a::isAcknowledged, () -> {
            b.move();
            a.take(b, Integer.MAX_VALUE);
        });

        assertThat(b.acknowledgementsAlone()).isEqualTo(1);
    }

    @Test
    void shouldPushBackWhenTheWindowIsFullAndTakeMoreAfterAnAcknowledgement() {
        a.connect(0);
        b.connect(0);
        int sent = 0;
        while (a.send(frame(sent, 1000))) {
            sent++;
        }
        assertThat(sent).isBetween(WINDOW / 1024 - 1, WINDOW / 1000);

        b.take(a, Integer.MAX_VALUE);
        a.take(b, Integer.MAX_VALUE);

        assertThat(a.send(frame(sent, 1000))).isTrue();
    }

    @Test
    void shouldHoldOneGatheredFrameBackAtATime() {
        a.connect(0);
        a.room = 100;
        assertThat(a.sendGathered(frame(0, 1000), 30)).isTrue();
        assertThat(a.claimGathered(30, 1000)).isEqualTo(Endpoint.BACK_PRESSURED);
        a.room = Long.MAX_VALUE;
        a.move();

        assertThat(a.claimGathered(30, 1000)).isPositive();
    }

    /** Pieces of any length, links that break anywhere: every frame arrives once, in order. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDeliverExactlyOnceOverLinksThatBreak(final boolean forgetful) {
        final ArrayDeque<byte[]> expected = new ArrayDeque<>();
        a.connect(0);
        b.connect(0);
        for (int step = 0; step < 40_000; step++) {
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> sendOne(step, expected);
                case 3, 4, 5 -> b.take(a, 1 + random.nextInt(3000));
                case 6, 7 -> a.take(b, 1 + random.nextInt(3000));
                case 8 -> a.room = random.nextInt(3000);
                case 9 -> b.send(frame(step, 1 + random.nextInt(50)));
                case 10 -> {
                    a.move();
                    b.move();
                }
                default -> breakSometimes(forgetful);
            }
            check(expected);
        }
        a.room = Long.MAX_VALUE;
        await("the rest", expected::isEmpty, () -> {
            a.move();
            b.take(a, Integer.MAX_VALUE);
            check(expected);
        });
        assertThat(a.framesReplayed()).isPositive();
        if (forgetful) {
            assertThat(b.duplicatesDropped()).isPositive();
        } else {
            assertThat(b.duplicatesDropped()).isZero();
        }
    }

    private void sendOne(final int step, final ArrayDeque<byte[]> expected) {
        final int head = 1 + random.nextInt(40);
        final byte[] frame = frame(step, head + 1 + random.nextInt(random.nextInt(4) == 0 ? LARGEST : 100));
        final boolean sent = switch (random.nextInt(3)) {
            case 0 -> a.send(frame);
            case 1 -> a.sendLate(frame, head);
            default -> a.sendGathered(frame, head);
        };
        if (sent) {
            expected.add(frame);
        }
    }

    private void breakSometimes(final boolean forgetful) {
        if (random.nextInt(10) > 0) {
            return;
        }
        a.cut();
        b.cut();
        a.room = random.nextInt(3000);
        // One that lost a late acknowledgement asks for more than it needs.
        final long asked = forgetful ? Math.max(0, b.next() - random.nextInt(3)) : b.next();
        try {
            a.connect(asked);
        } catch (final TransportException e) {
            assertThat(asked).isLessThan(b.next());
            a.connect(b.next());
        }
        b.connect(a.next());
    }

    private void check(final ArrayDeque<byte[]> expected) {
        a.received.clear();
        assertThat(b.verdict).as(b.whyBroken()).isNotEqualTo(RetainingEndpoint.BROKEN);
        assertThat(a.verdict).as(a.whyBroken()).isNotEqualTo(RetainingEndpoint.BROKEN);
        for (byte[] frame; (frame = b.received.poll()) != null; ) {
            if (!Arrays.equals(frame, expected.poll())) {
                throw new AssertionError("a frame of " + frame.length + " bytes is not the next that was sent");
            }
        }
    }

    @Test
    void shouldRefuseALinkWhoseOtherEndHasLostItsState() {
        a.connect(0);
        b.connect(0);
        for (int i = 0; i < 3; i++) {
            a.send(new byte[10]);
        }
        b.take(a, Integer.MAX_VALUE);
        b.send(new byte[1]);
        a.take(b, Integer.MAX_VALUE);
        a.cut();

        assertThatThrownBy(() -> a.connect(2)).hasMessageContaining("expects frame 2, but 3 to 3");
        assertThatThrownBy(() -> a.connect(4)).hasMessageContaining("expects frame 4, but 3 to 3");
    }

    @Test
    void shouldNoticeAGap() {
        a.connect(0);
        a.send(new byte[8]);
        a.wire.clear();
        a.send(new byte[8]);
        b.take(a, Integer.MAX_VALUE);

        assertThat(b.verdict).isEqualTo(RetainingEndpoint.BROKEN);
        assertThat(b.whyBroken()).isEqualTo("sends frame 1 where 0 is expected");
    }

    @Test
    void shouldNoticeAnAcknowledgementOfWhatWasNotSent() {
        a.connect(0);
        b.connect(0);
        a.send(new byte[8]);
        b.take(a, Integer.MAX_VALUE);
        b.send(new byte[8]);
        a.cut();
        // A new side that has sent nothing.
        final Side c = new Side();
        c.take(b, Integer.MAX_VALUE);
        assertThat(c.verdict).isEqualTo(RetainingEndpoint.BROKEN);
        assertThat(c.whyBroken()).contains("acknowledges frame 1 of 0");
        c.close();
    }

    @Test
    void shouldSayFarewellBehindEverything() {
        a.room = 0;
        a.connect(0);
        b.connect(0);
        a.send(new byte[100]);
        a.say();
        a.room = Long.MAX_VALUE;
        a.move();
        b.take(a, 100);
        assertThat(b.hasHeardFarewell()).isFalse();
        b.take(a, Integer.MAX_VALUE);

        assertThat(b.received).hasSize(1);
        assertThat(b.hasHeardFarewell()).isTrue();
        a.take(b, Integer.MAX_VALUE);
        assertThat(a.isAcknowledged()).isTrue();
    }
}
