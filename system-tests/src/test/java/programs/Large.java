package programs;

import org.parley.Communicator;
import org.parley.Memory;
import org.parley.Parley;
import org.parley.Status;

/**
 * {@code Large BYTES}: rank 0 sends one message of so many bytes, a multiple of 8, in native memory, to rank 1, which
 * checks each word of it. Both say how long that took.
 */
public final class Large {
    private static final int TAG = 7;

    private Large() {}

    /** Sends or receives. */
    public static void main(String[] arguments) {
        long bytes = Long.parseLong(arguments[0]);
        try (Parley parley = Parley.init();
                Memory memory = Parley.allocate(bytes)) {
            Communicator world = parley.world();
            if (world.rank() == 0) {
                for (long at = 0; at < bytes; at += Long.BYTES) {
                    memory.putLong(at, content(at));
                }
            }
            world.barrier();
            long began = System.nanoTime();
            if (world.rank() == 0) {
                world.send(memory, 0, bytes, 1, TAG);
            } else {
                Status status = world.receive(memory, 0, bytes, 0, TAG);
                if (status.bytes() != bytes) {
                    throw new IllegalStateException(status + ", expected " + bytes + " bytes");
                }
                check(memory, bytes);
            }
            world.barrier();
            System.out.printf("rank %d: %.2f s%n", world.rank(), (System.nanoTime() - began) / 1e9);
        }
    }

    private static void check(Memory memory, long bytes) {
        for (long at = 0; at < bytes; at += Long.BYTES) {
            if (memory.getLong(at) != content(at)) {
                throw new IllegalStateException("byte " + at + " of " + bytes + " is wrong");
            }
        }
    }

    private static long content(long at) {
        return at * 0x9E3779B97F4A7C15L + 1;
    }
}
