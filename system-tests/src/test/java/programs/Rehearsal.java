package programs;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.parley.Communicator;
import org.parley.Op;
import org.parley.Parley;

/**
 * {@code Rehearsal SECONDS}: two ranks play ping-pong with short messages, sum numbers up, and send 64 MiB each way, for so long, and
 * check the hash of everything.
 */
public final class Rehearsal {
    private static final int TAG = 7;
    private static final int LONG = 64 << 20;
    private static final int SHORTS = 200;
    private static final int NUMBERS = 5000;

    private Rehearsal() {}

    /** Rehearses. */
    public static void main(String[] arguments) {
        long nanos = Long.parseLong(arguments[0]) * 1_000_000_000L;
        try (Parley parley = Parley.init()) {
            Communicator world = parley.world();
            ByteBuffer sent = ByteBuffer.allocateDirect(LONG);
            ByteBuffer received = ByteBuffer.allocateDirect(LONG);
            long began = System.nanoTime();
            int[] goesOn = {1};
            int round = 0;
            for (; goesOn[0] > 0; round++) {
                for (int i = 0; i < SHORTS; i++) {
                    pingPong(world, round * SHORTS + i);
                }
                sum(world, round);
                exchange(world, round, sent, received);
                int[] mine = {world.rank() == 0 && System.nanoTime() - began < nanos ? 1 : 0};
                world.allReduce(mine, goesOn, 1, Op.SUM);
            }
            System.out.println("rank " + world.rank() + ": " + round + " rounds are right");
        }
    }

    private static void pingPong(Communicator world, int number) {
        int[] value = {number};
        for (int sender = 0; sender < 2; sender++) {
            if (world.rank() == sender) {
                world.send(value, 0, 1, 1 - sender, TAG);
            } else {
                int[] got = new int[1];
                world.receive(got, 0, 1, sender, TAG);
                check(got[0], number, "ping-pong");
            }
        }
    }

    private static void sum(Communicator world, int round) {
        int[] mine = new int[NUMBERS];
        for (int i = 0; i < NUMBERS; i++) {
            mine[i] = round + i + world.rank();
        }
        int[] all = new int[NUMBERS];
        world.allReduce(mine, all, NUMBERS, Op.SUM);
        for (int i = 0; i < NUMBERS; i++) {
            check(all[i], 2 * (round + i) + 1, "a sum");
        }
    }

    private static void exchange(Communicator world, int round, ByteBuffer sent, ByteBuffer received) {
        int other = 1 - world.rank();
        fill(sent, round, world.rank());
        world.sendReceive(sent, 0, LONG, other, TAG, received, 0, LONG, other, TAG);
        long[] hash = {hash(sent)};
        long[] theirs = new long[1];
        world.sendReceive(hash, 0, 1, other, TAG, theirs, 0, 1, other, TAG);
        check(hash(received), theirs[0], "64 MiB");
    }

    private static void fill(ByteBuffer buffer, int round, int rank) {
        for (int i = 0; i < LONG; i += Long.BYTES) {
            buffer.putLong(i, (i + round) * 0x9e37_79b9_7f4a_7c15L + rank);
        }
    }

    private static long hash(ByteBuffer buffer) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.duplicate().clear());
        return crc.getValue();
    }

    private static void check(long got, long expected, String what) {
        if (got != expected) {
            throw new IllegalStateException(what + ": " + got + " instead of " + expected);
        }
    }
}
