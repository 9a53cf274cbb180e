package org.parley.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.parley.Communicator;
import org.parley.Status;

/**
 * What ranks tell each other between measurements, by messages through rank 0: needs no
 * collectives, which may be what is measured.
 */
final class Control {
    private static final int TAG = 1 << 20;

    private final Communicator world;

    Control(final Communicator world) {
        this.world = world;
    }

    /** Waits until all are here. */
    void barrier() {
        agree(0);
    }

    /** Waits until all are here, and returns rank 0's value to all. */
    long agree(final long value) {
        final long[] one = {value};
        gather(0);
        if (world.rank() == 0) {
            for (int rank = 1; rank < world.size(); rank++) {
                world.send(one, 0, 1, rank, TAG);
            }
        } else {
            world.receive(one, 0, 1, 0, TAG);
        }
        return one[0];
    }

    /** Returns the largest of all ranks' values, to all. */
    long max(final long value) {
        final long[] all = gather(value);
        long max = value;
        for (int rank = 0; all != null && rank < all.length; rank++) {
            max = Math.max(max, all[rank]);
        }
        return agree(max);
    }

    /** Returns all ranks' values at rank 0; null elsewhere. */
    long[] gather(final long value) {
        final long[] all = new long[world.size()];
        all[world.rank()] = value;
        if (world.rank() == 0) {
            for (int rank = 1; rank < all.length; rank++) {
                world.receive(all, rank, 1, rank, TAG);
            }
            return all;
        }
        world.send(all, world.rank(), 1, 0, TAG);
        return null;
    }

    /** Returns all ranks' bytes at rank 0; null elsewhere. */
    List<byte[]> gather(final byte[] bytes) {
        if (world.rank() != 0) {
            world.send(bytes, 0, bytes.length, 0, TAG);
            return null;
        }
        final List<byte[]> all = new ArrayList<>();
        all.add(bytes);
        for (int rank = 1; rank < world.size(); rank++) {
            final Status status = world.probe(rank, TAG);
            final byte[] theirs = new byte[(int) status.bytes()];
            world.receive(theirs, 0, theirs.length, rank, TAG, status);
            all.add(theirs);
        }
        return all;
    }

    /** Returns all ranks' texts at rank 0; null elsewhere. */
    List<String> gather(final String text) {
        final List<byte[]> all = gather(text.getBytes(StandardCharsets.UTF_8));
        return all == null
                ? null
                : all.stream()
                        .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                        .toList();
    }
}
