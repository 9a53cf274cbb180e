package programs;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.parley.Communicator;
import org.parley.Op;
import org.parley.Parley;

/**
 * {@code Exchange BYTES}: ranks pass blocks round a ring and sum numbers up, and check what they get, until rank 0's
 * standard input ends. Rank 0 says "round N" each hundredth time and for each line that it reads; each says how
 * many rounds it was at last.
 */
public final class Exchange {
    private static final int TAG = 7;

    private Exchange() {}

    /** Exchanges. */
    public static void main(String[] arguments) {
        int bytes = Integer.parseInt(arguments[0]);
        try (Parley parley = Parley.init()) {
            Communicator world = parley.world();
            AtomicBoolean isAsked = new AtomicBoolean();
            AtomicBoolean isOver = new AtomicBoolean();
            if (world.rank() == 0) {
                Thread reader = new Thread(() -> read(isAsked, isOver));
                reader.setDaemon(true);
                reader.start();
            }
            int[] goesOn = {1};
            int round = 0;
            for (; goesOn[0] > 0; round++) {
                pass(world, round, bytes);
                int[] mine = {round, isOver.get() ? 1 : 0};
                int[] sum = new int[2];
                world.allReduce(mine, sum, 2, Op.SUM);
                if (sum[0] != round * world.size()) {
                    throw new IllegalStateException("round " + round + ": the sum is " + sum[0]);
                }
                goesOn[0] = 1 - sum[1];
                if (world.rank() == 0 && (round % 100 == 0 || isAsked.getAndSet(false))) {
                    System.out.println("round " + round);
                }
            }
            System.out.println("rank " + world.rank() + ": " + round + " rounds");
        }
    }

    private static void pass(Communicator world, int round, int bytes) {
        int next = (world.rank() + 1) % world.size();
        int previous = (world.rank() + world.size() - 1) % world.size();
        byte[] sent = new byte[bytes];
        Arrays.fill(sent, (byte) (round + world.rank()));
        byte[] received = new byte[bytes];
        world.sendReceive(sent, 0, bytes, next, TAG, received, 0, bytes, previous, TAG);
        for (byte b : received) {
            if (b != (byte) (round + previous)) {
                throw new IllegalStateException("round " + round + ": " + b + " from rank " + previous);
            }
        }
    }

    private static void read(AtomicBoolean isAsked, AtomicBoolean isOver) {
        try {
            for (int b; (b = System.in.read()) >= 0; ) {
                if (b == '\n') {
                    isAsked.set(true);
                }
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        isOver.set(true);
    }
}
