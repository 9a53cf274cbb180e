package org.parley.launcher;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntConsumer;

/** Gives rank 0 of an agent its standard input as it comes from the launcher. */
final class RankInput {
    private static final int STACK = 128 * 1024;

    private final LinkedBlockingQueue<byte[]> pieces = new LinkedBlockingQueue<>();
    private final IntConsumer whenTaken;

    /**
     * Makes one.
     *
     * @param whenTaken told how many bytes the rank has taken
     */
    RankInput(final IntConsumer whenTaken) {
        this.whenTaken = whenTaken;
    }

    /** Takes a piece; an empty one is the end. Any thread. */
    void add(final byte[] bytes) {
        pieces.add(bytes);
    }

    /** Begins to write. */
    void attach(final OutputStream stream) {
        final Thread thread = new Thread(null, () -> run(stream), "parley-input", STACK);
        thread.setDaemon(true);
        thread.start();
    }

    private void run(final OutputStream stream) {
        boolean isOpen = true;
        try {
            for (byte[] piece; (piece = pieces.take()).length > 0; ) {
                if (isOpen) {
                    isOpen = write(stream, piece);
                }
                whenTaken.accept(piece.length);
            }
            stream.close();
        } catch (final IOException e) {
            // The rank has closed it already.
            return;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean write(final OutputStream stream, final byte[] piece) {
        try {
            stream.write(piece);
            stream.flush();
            return true;
        } catch (final IOException e) {
            // The rank reads no more; what still comes is dropped.
            return false;
        }
    }
}
