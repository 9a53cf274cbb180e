package org.parley.launcher;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.parley.wireup.ControlFrame;

/**
 * Ranks' output on its way from an agent to the launcher. What has not been written there yet is
 * bounded: past that, ranks wait, as they would for a slow reader of their own.
 */
final class OutputWindow implements Sink.Source {
    private static final int WINDOW = 1 << 20;
    private static final int LONGEST = 64 * 1024;

    private final int host;
    private final Consumer<ByteBuffer> way;
    private final Object order = new Object();
    private long underWay;

    OutputWindow(final int host, final Consumer<ByteBuffer> way) {
        this.host = host;
        this.way = way;
    }

    /** The launcher has written so many bytes. */
    synchronized void taken(final long bytes) {
        underWay -= bytes;
        notifyAll();
    }

    private synchronized void take(final int bytes) {
        while (underWay > 0 && underWay + bytes > WINDOW) {
            try {
                wait();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        underWay += bytes;
    }

    @Override
    public Sink open(final int rank, final boolean isError) {
        return new Sink() {
            /** Pieces of one stream are not mixed with others': lines stay whole. */
            @Override
            public void write(final byte[] bytes, final int offset, final int length, final boolean endsLine) {
                synchronized (order) {
                    for (int done = 0; done < length; ) {
                        final int piece = Math.min(LONGEST, length - done);
                        take(piece);
                        way.accept(new ControlFrame.Builder(AgentFrame.OUTPUT)
                                .number(host)
                                .number(rank)
                                .number(isError ? 1 : 0)
                                .number(endsLine && done + piece == length ? 1 : 0)
                                .bytes(bytes, offset + done, piece)
                                .build());
                        done += piece;
                    }
                }
            }

            @Override
            public void end() {
                synchronized (order) {
                    way.accept(new ControlFrame.Builder(AgentFrame.OUTPUT_END)
                            .number(host)
                            .number(rank)
                            .number(isError ? 1 : 0)
                            .build());
                }
            }
        };
    }
}
