package org.parley;

import java.io.ObjectInputFilter.Status;
import java.io.Serializable;

/** A program with static state, as old MPI codes have it. */
public final class Counting {
    private record Count(int value) implements Serializable {}

    private static int counter;
    private static String[] seen;

    private Counting() {}

    /**
     * Counts to its rank + 1 in a static, passes it round, and writes what it saw where the test
     * finds it.
     */
    public static void main(final String[] args) throws Exception {
        seen = args;
        switch (args.length == 0 ? "" : args[0]) {
            case "exception" -> throw new java.io.IOException("no such file");
            case "runtime" -> throw new IllegalStateException("no such state");
            case "error" -> throw new StackOverflowError("no such depth");
            default -> count();
        }
    }

    private static void count() {
        try (Parley parley = Parley.init()) {
            final Communicator world = parley.world();
            for (int i = 0; i <= world.rank(); i++) {
                counter++;
            }
            final int right = (world.rank() + 1) % world.size();
            final int[] from = new int[1];
            world.sendReceive(new int[] {counter}, 0, 1, right, 1, from, 0, 1, Communicator.ANY_SOURCE, 1);
            // The class is this rank's own, as all of the program.
            world.sendObject(new Count(counter), right, 2);
            final Count count = (Count) world.receiveObject(info -> Status.ALLOWED, Communicator.ANY_SOURCE, 2);
            from[0] = Math.min(from[0], count.value());
            System.setProperty(
                    "test.counting." + world.rank(),
                    counter + " " + from[0] + " " + String.join(",", seen) + " "
                            + Thread.currentThread().getContextClassLoader().equals(Counting.class.getClassLoader()));
        }
    }

    static int counter() {
        return counter;
    }
}
