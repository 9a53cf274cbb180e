package org.parley.transport;

import org.agrona.UnsafeApi;

/**
 * No test: prints what it costs that frames are numbered, kept, and acknowledged. The same bytes go the same way through
 * memory, from a frame that is claimed to a frame that is handed over, in turns with a session and without one.
 */
final class SessionCost {
    private static final int WINDOW = 1 << 20;
    private static final int FRAMES = 320_000;
    private static final int TIMES = 40;

    private static long handed;

    private SessionCost() {}

    public static void main(final String... args) {
        for (final int batch : new int[] {1, 32}) {
            measure(8, batch);
            measure(64, batch);
            measure(1024, batch);
        }
        if (handed == 0) {
            throw new AssertionError("nothing was handed over");
        }
    }

    /** So many frames are claimed before they are written and looked at. */
    private static void measure(final int bytes, final int batch) {
        final double[] with = new double[TIMES];
        final double[] without = new double[TIMES];
        final double[] differences = new double[TIMES];
        try (Pair pair = new Pair()) {
            for (int time = -TIMES; time < TIMES; time++) {
                final double session = pair.session(bytes, batch);
                final double bare = pair.bare(bytes, batch);
                if (time >= 0) {
                    with[time] = session;
                    without[time] = bare;
                    differences[time] = session - bare;
                }
            }
        }
        System.out.printf(
                "%5d B, %2d at once: %5.1f ns a frame with a session, %5.1f without, %5.1f more (medians; least %.1f and %.1f)%n",
                bytes, batch, median(with), median(without), median(differences), with[0], without[0]);
    }

    /** Sorts, too. */
    private static double median(final double[] values) {
        java.util.Arrays.sort(values);
        return values[values.length / 2];
    }

    /** Two ends, and what is written by one lies where the other reads. */
    private static final class Pair implements AutoCloseable {
        private final long wire = UnsafeApi.allocateMemory(WINDOW);
        private final End sender = new End();
        private final End receiver = new End();
        private int written;

        private final class End extends RetainingEndpoint implements Link {
            End() {
                super(WINDOW);
                attach(this, 0);
            }

            @Override
            public long write(final long address, final int length) {
                UnsafeApi.copyMemory(address, wire + written, length);
                written += length;
                return length;
            }

            @Override
            public long write(final long address, final int length, final long payload, final long payloadLength) {
                throw new AssertionError("no payload is gathered");
            }

            int read() {
                int frames = 0;
                for (long at = wire; at < wire + written; at += wireLengthOf(at)) {
                    if (arrives(at) == TAKE) {
                        handed += UnsafeApi.getLong(at + HEADER) + lengthOf(at);
                        taken(retainedOf(at));
                        frames++;
                    }
                }
                written = 0;
                return frames;
            }

            @Override
            public void close() {
                free();
            }
        }

        double session(final int bytes, final int batch) {
            final long began = System.nanoTime();
            for (int round = 0; round < FRAMES / batch; round++) {
                for (int i = 0; i < batch; i++) {
                    final long frame = sender.claim(bytes);
                    UnsafeApi.putLong(frame, i + 1);
                    sender.commit();
                }
                while (sender.hasUnsent()) {
                    sender.flush();
                }
                if (receiver.read() != batch) {
                    throw new AssertionError("a frame is missing");
                }
                if (receiver.owesAcknowledgement()) {
                    receiver.acknowledgeNow();
                    sender.read();
                }
            }
            return (System.nanoTime() - began) / (double) FRAMES;
        }

        /** The same length on the wire, with a length before it and nothing else. */
        double bare(final int bytes, final int batch) {
            final int length = bytes + Long.BYTES;
            final long memory = UnsafeApi.allocateMemory(WINDOW);
            int place = 0;
            final long began = System.nanoTime();
            for (int round = 0; round < FRAMES / batch; round++) {
                // As far away as the session's ring goes, so that both find their memory in the same caches.
                place = place + batch * length > WINDOW ? 0 : place;
                final long ring = memory + place;
                place += batch * length;
                for (int i = 0; i < batch; i++) {
                    final long frame = ring + (long) i * length;
                    UnsafeApi.putLong(frame, bytes);
                    UnsafeApi.putLong(frame + Long.BYTES, i + 1);
                }
                sender.write(ring, batch * length);
                for (long at = wire; at < wire + written; at += UnsafeApi.getLong(at) + Long.BYTES) {
                    handed += UnsafeApi.getLong(at + Long.BYTES) + UnsafeApi.getLong(at);
                }
                written = 0;
            }
            final double cost = (System.nanoTime() - began) / (double) FRAMES;
            UnsafeApi.freeMemory(memory);
            return cost;
        }

        @Override
        public void close() {
            sender.close();
            receiver.close();
            UnsafeApi.freeMemory(wire);
        }
    }
}
