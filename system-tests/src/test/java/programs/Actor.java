package programs;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.parley.Communicator;
import org.parley.Parley;

/**
 * A program with a part for each rank: {@code Actor ACT...}, rank 0 plays the first act, the last rank
 * and those behind it the last one. Each says "rank N: ACT" when it begins.
 */
public final class Actor {
    private static final int TAG = 7;
    private static final int LONG = 1 << 20;

    /** More than the launcher waits for those who have not left. */
    private static final int SLOW_MILLIS = 4000;

    private static final List<byte[]> HELD = new ArrayList<>();

    private Actor() {}

    /** Plays. */
    public static void main(String[] acts) throws Exception {
        int rank = Integer.parseInt(System.getenv("PARLEY_RANK"));
        String act = acts[Math.min(rank, acts.length - 1)];
        if (act.startsWith("stranger-")) {
            say(rank, act);
            alone(act.substring("stranger-".length()));
            return;
        }
        if (act.startsWith("careless-")) {
            Parley parley = Parley.init();
            say(rank, act);
            alone(act.substring("careless-".length()));
            return;
        }
        if (act.startsWith("slow-")) {
            slow(rank, act);
            return;
        }
        try (Parley parley = Parley.init()) {
            say(rank, act);
            play(parley, act);
        }
    }

    /** Ends as on a busy machine, long after it has left the job. */
    private static void slow(int rank, String act) throws Exception {
        try {
            try (Parley parley = Parley.init()) {
                say(rank, act);
                play(parley, act.substring("slow-".length()));
            }
        } finally {
            Thread.sleep(SLOW_MILLIS);
        }
    }

    private static void say(int rank, String act) {
        System.out.println("rank " + rank + ": " + act);
    }

    private static void play(Parley parley, String act) throws Exception {
        Communicator world = parley.world();
        int next = (world.rank() + 1) % world.size();
        if (act.startsWith("abort-")) {
            parley.abort(9, act.substring("abort-".length()));
        }
        if (act.startsWith("ring-")) {
            ring(world, next);
            play(parley, act.substring("ring-".length()));
            return;
        }
        switch (act) {
            case "abort" -> parley.abort(9, "enough");
            case "barrier" -> world.barrier();
            case "receive" -> world.receive(new byte[8], 0, 8, next, TAG);
            case "receive-in-reverse" -> {
                Communicator reverse = world.split(0, -world.rank());
                reverse.receive(new byte[8], 0, 8, (reverse.rank() + 1) % reverse.size(), TAG);
            }
            case "receive-any" -> world.receive(new byte[8], 0, 8, Communicator.ANY_SOURCE, TAG);
            case "send" -> world.ssend(new byte[8], 0, 8, next, TAG);
            case "send-long" -> world.ssend(new byte[LONG], 0, LONG, next, TAG);
            case "ring" -> ring(world, next);
            case "echo-ring" -> {
                echo();
                ring(world, next);
            }
            case "init-again" -> Parley.init();
            case "send-and-die-in-the-next" -> {
                world.send(new byte[] {1}, 0, 1, next, TAG);
                DyingShm.dies = true;
                world.send(new byte[] {2}, 0, 1, next, TAG);
            }
            case "receive-twice" -> {
                int previous = (world.rank() + world.size() - 1) % world.size();
                byte[] received = new byte[1];
                world.receive(received, 0, 1, previous, TAG);
                System.out.println("rank " + world.rank() + " got " + received[0]);
                world.receive(received, 0, 1, previous, TAG);
                System.out.println("rank " + world.rank() + " got " + received[0]);
            }
            default -> alone(act);
        }
    }

    private static void ring(Communicator world, int next) {
        int previous = (world.rank() + world.size() - 1) % world.size();
        int[] sent = {world.rank()};
        int[] received = new int[1];
        world.sendReceive(sent, 0, 1, next, TAG, received, 0, 1, previous, TAG);
        System.out.println("rank " + world.rank() + " got " + received[0]);
    }

    private static void alone(String act) throws Exception {
        if (act.startsWith("exit-")) {
            System.exit(Integer.parseInt(act.substring("exit-".length())));
        }
        switch (act) {
            case "end" -> {}
            case "sleep" -> Thread.sleep(Long.MAX_VALUE);
            case "spin" -> spin();
            case "throw" -> throw new IllegalStateException("on purpose");
            case "throw-with-thread" -> {
                new Thread(Actor::sleep).start();
                throw new IllegalStateException("on purpose");
            }
            case "out-of-memory" ->
                System.out.println(
                        Arrays.toString(new long[Integer.MAX_VALUE / 2]).length());
            case "out-of-heap" -> fillHeap();
            case "crash" -> crash();
            // strlen of no string.
            case "crash-in-native-code" ->
                NativeLibrary.getProcess().getFunction("strlen").invokeLong(new Object[] {new Pointer(8)});
            case "echo" -> echo();
            case "stubborn" -> {
                Runtime.getRuntime().addShutdownHook(new Thread(Actor::sleep));
                Thread.sleep(Long.MAX_VALUE);
            }
            default -> throw new IllegalArgumentException(act);
        }
    }

    /** To the last word, and nothing is let go. */
    private static void fillHeap() {
        for (int bytes = 1 << 20; bytes > 8; ) {
            try {
                HELD.add(new byte[bytes]);
            } catch (OutOfMemoryError e) {
                bytes /= 2;
            }
        }
        for (; ; ) {
            HELD.add(new byte[8]);
        }
    }

    private static void spin() {
        for (long i = 0; i >= 0; i++) {
            Thread.onSpinWait();
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void echo() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            System.out.println("echo " + line);
        }
        System.out.println("end of input");
    }

    private static void crash() throws Exception {
        new ProcessBuilder(
                        "kill", "-ABRT", String.valueOf(ProcessHandle.current().pid()))
                .start()
                .waitFor();
        sleep();
    }
}
