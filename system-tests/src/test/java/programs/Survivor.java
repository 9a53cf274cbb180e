package programs;

import java.util.ArrayList;
import java.util.List;
import org.parley.Communicator;
import org.parley.Memory;
import org.parley.Op;
import org.parley.Parley;
import org.parley.ParleyException;
import org.parley.PeerFailedException;
import org.parley.Request;
import org.parley.RevokedException;

/**
 * A program that outlives ranks: {@code Survivor DEATHS ACT...}, acts by rank as in {@link Actor}. Ranks wait in what their
 * act says until one fails, and go on together without it, until so many have failed. Each says "rank N: ACT" when it
 * begins, and at last "rank N: SIZE are left, sum SUM".
 */
public final class Survivor {
    private static final int LONG = 32 << 20;

    private Survivor() {}

    /** Plays. */
    public static void main(String[] args) throws Exception {
        int deaths = Integer.parseInt(args[0]);
        int number = Integer.parseInt(System.getenv("PARLEY_RANK"));
        String act = args[Math.min(1 + number, args.length - 1)];
        try (Parley parley = Parley.init()) {
            Communicator world = parley.world();
            world.agree(0);
            System.out.println("rank " + world.rank() + ": " + act);
            Communicator left = world;
            while (left.size() > world.size() - deaths) {
                left = without(left, world.rank(), act);
            }
            long[] sum = {world.rank()};
            left.allReduce(sum, sum, 1, Op.SUM);
            checkLong(left);
            System.out.println("rank " + world.rank() + ": " + left.size() + " are left, sum " + sum[0]);
        }
        if (act.equals("exit-3")) {
            System.exit(3);
        }
    }

    private static Communicator without(Communicator group, int rank, String act) throws Exception {
        try {
            play(group, act);
            throw new IllegalStateException("nobody has failed in " + act);
        } catch (PeerFailedException | RevokedException e) {
            System.out.println("rank " + rank + ": told " + e.getMessage());
            group.revoke();
        }
        switch (act) {
            case "halt-at-agree" -> Runtime.getRuntime().halt(9);
            case "halt-at-shrink" -> {
                group.agree(3);
                Runtime.getRuntime().halt(9);
            }
            default -> {
                if (group.agree(3) != 3) {
                    throw new IllegalStateException("no agreement");
                }
            }
        }
        return group.shrink();
    }

    private static void play(Communicator group, String act) throws Exception {
        int next = (group.rank() + 1) % group.size();
        switch (act) {
            case "sleep" -> Thread.sleep(Long.MAX_VALUE);
            case "halt" -> Runtime.getRuntime().halt(9);
            case "throw" -> throw new IllegalArgumentException("on purpose");
            case "receive" -> group.receive(new byte[8], 0, 8, next, 7);
            case "receive-any" -> group.receive(new byte[8], 0, 8, Communicator.ANY_SOURCE, 7);
            case "send" -> group.ssend(new byte[8], 0, 8, next, 8);
            case "long" -> stream(group);
            case "wait-all" -> {
                List<Request> all = new ArrayList<>();
                for (int peer = 0; peer < group.size(); peer++) {
                    all.add(group.ireceive(new byte[8], 0, 8, peer, 7));
                    all.add(group.isend(new byte[LONG], 0, LONG, peer, 8));
                }
                Request.awaitAll(all);
            }
            case "all-reduce" -> {
                for (; ; ) {
                    group.allReduce(new double[100_000], new double[100_000], 100_000, Op.SUM);
                }
            }
            // Of those who go on, who may have met some deaths already.
            default -> {
                for (; ; ) {
                    group.barrier();
                }
            }
        }
    }

    /** All send to all, from memory that the receiver copies from. */
    private static void stream(Communicator group) {
        // Not closed: others may still be copying when one has failed.
        Memory out = Parley.allocate(LONG);
        Memory in = Parley.allocate((long) LONG * group.size());
        for (; ; ) {
            List<Request> all = new ArrayList<>();
            for (int peer = 0; peer < group.size(); peer++) {
                all.add(group.ireceive(in, (long) LONG * peer, LONG, peer, 9));
                all.add(group.isend(out, 0, LONG, peer, 9));
            }
            Request.awaitAll(all);
        }
    }

    private static void checkLong(Communicator group) {
        byte[] data = new byte[LONG];
        if (group.rank() == 0) {
            for (int i = 0; i < LONG; i++) {
                data[i] = (byte) (i * 7);
            }
        }
        group.bcast(data, 0, LONG, 0);
        for (int i = 0; i < LONG; i++) {
            if (data[i] != (byte) (i * 7)) {
                throw new ParleyException("byte " + i + " is wrong");
            }
        }
    }
}
