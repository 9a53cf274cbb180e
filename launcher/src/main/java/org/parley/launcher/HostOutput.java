package org.parley.launcher;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntConsumer;

/** Writes the output of one other host's ranks, on a thread of its own: who waits for a slow reader is nobody else. */
final class HostOutput {
    private static final int STACK = 128 * 1024;

    private record Piece(Sink sink, byte[] bytes, boolean endsLine) {}

    private final LinkedBlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
    private final IntConsumer whenTaken;

    /**
     * Makes one.
     *
     * @param whenTaken told how many bytes have been written
     */
    HostOutput(final String name, final IntConsumer whenTaken) {
        this.whenTaken = whenTaken;
        final Thread thread = new Thread(null, this::run, "parley-output-" + name, STACK);
        thread.setDaemon(true);
        thread.start();
    }

    void write(final Sink sink, final byte[] bytes, final boolean endsLine) {
        pieces.add(new Piece(sink, bytes, endsLine));
    }

    void end(final Sink sink) {
        pieces.add(new Piece(sink, null, true));
    }

    private void run() {
        try {
            for (; ; ) {
                final Piece piece = pieces.take();
                if (piece.bytes == null) {
                    piece.sink.end();
                } else {
                    piece.sink.write(piece.bytes, 0, piece.bytes.length, piece.endsLine);
                    whenTaken.accept(piece.bytes.length);
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
