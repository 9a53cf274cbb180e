package programs;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.parley.Communicator;
import org.parley.Memory;
import org.parley.Op;
import org.parley.Parley;
import org.parley.Request;
import org.parley.Status;

/**
 * {@code Soak SECONDS}: ranks do for so long whatever ranks do, with messages from one byte to a megabyte in memory of each kind, and check
 * every byte. Each says some hundred times what it holds: {@code sample RANK MILLIS key=value...}.
 */
public final class Soak {
    private static final int TAG = 7;
    private static final int LONGEST = 1 << 20;
    private static final int MOST_AT_ONCE = 16;
    private static final int SAMPLES = 80;

    private final Communicator world;
    private final int next;
    private final int previous;
    /** The same on each rank: it says what comes next. */
    private final Random random = new Random(4711);

    private final byte[] heapOut = new byte[LONGEST];
    private final byte[] heapIn = new byte[LONGEST];
    private final ByteBuffer directOut = ByteBuffer.allocateDirect(LONGEST);
    private final ByteBuffer directIn = ByteBuffer.allocateDirect(LONGEST);
    private final Memory keptOut = Parley.allocate(LONGEST);
    private final Memory keptIn = Parley.allocate(LONGEST);

    private Soak(Communicator world) {
        this.world = world;
        next = (world.rank() + 1) % world.size();
        previous = (world.rank() + world.size() - 1) % world.size();
    }

    /** Soaks. */
    public static void main(String[] arguments) throws IOException {
        long nanos = Long.parseLong(arguments[0]) * 1_000_000_000L;
        try (Parley parley = Parley.init()) {
            new Soak(parley.world()).run(nanos);
        }
    }

    private void run(long nanos) throws IOException {
        long began = System.nanoTime();
        int[] goesOn = {1};
        int round = 0;
        for (int samples = 0; goesOn[0] > 0; round++) {
            step(round);
            long elapsed = System.nanoTime() - began;
            if (elapsed > samples * (nanos / SAMPLES)) {
                samples++;
                sample(elapsed / 1_000_000);
            }
            int[] mine = {elapsed < nanos ? 1 : 0};
            world.allReduce(mine, goesOn, 1, Op.MIN);
        }
        keptOut.close();
        keptIn.close();
        System.out.println("rank " + world.rank() + ": " + round + " rounds are right");
    }

    private void step(int round) {
        switch (random.nextInt(8)) {
            case 0 -> passArrays(round, length());
            case 1 -> passDirect(round, length());
            case 2 -> passKept(round, length());
            case 3 -> passNew(round, length());
            case 4 -> crowd(round);
            case 5 -> reduce(round, 1 + length() / Integer.BYTES / 4);
            case 6 -> spread(round, length());
            default -> anybody(round);
        }
    }

    /** Short ones as often as long ones, whatever that means. */
    private int length() {
        return 1 + random.nextInt(1 << random.nextInt(21));
    }

    private static byte expected(int round, int rank, int at) {
        return (byte) (round * 31 + rank * 7 + (at ^ at >> 8));
    }

    private static void check(long got, long expected, String what) {
        if (got != expected) {
            throw new IllegalStateException(what + ": " + got + " instead of " + expected);
        }
    }

    private void passArrays(int round, int length) {
        for (int i = 0; i < length; i++) {
            heapOut[i] = expected(round, world.rank(), i);
        }
        Status status =
                world.sendReceive(heapOut, 0, length, next, TAG, heapIn, 0, LONGEST, Communicator.ANY_SOURCE, TAG);
        check(status.source(), previous, "source");
        for (int i = 0; i < length; i++) {
            check(heapIn[i], expected(round, previous, i), "an array");
        }
    }

    private void passDirect(int round, int length) {
        for (int i = 0; i < length; i++) {
            directOut.put(i, expected(round, world.rank(), i));
        }
        world.sendReceive(directOut, 0, length, next, TAG, directIn, 0, LONGEST, previous, TAG);
        for (int i = 0; i < length; i++) {
            check(directIn.get(i), expected(round, previous, i), "a direct buffer");
        }
    }

    private void pass(Memory out, Memory in, int round, int length) {
        for (int i = 0; i < length; i++) {
            out.putByte(i, expected(round, world.rank(), i));
        }
        world.sendReceive(out, 0, length, next, TAG, in, 0, length, previous, TAG);
        for (int i = 0; i < length; i++) {
            check(in.getByte(i), expected(round, previous, i), "allocated memory");
        }
    }

    private void passKept(int round, int length) {
        pass(keptOut, keptIn, round, length);
    }

    /** Memory comes and goes, and so do what registers it and what maps it. */
    private void passNew(int round, int length) {
        try (Memory out = Parley.allocate(length);
                Memory in = Parley.allocate(length)) {
            pass(out, in, round, length);
        }
    }

    /** Many at once, of all to all. */
    private void crowd(int round) {
        int each = 1 + random.nextInt(MOST_AT_ONCE);
        int length = 1 + random.nextInt(100);
        List<Request> requests = new ArrayList<>();
        byte[][] in = new byte[world.size() * each][length];
        for (int rank = 0; rank < world.size(); rank++) {
            for (int i = 0; i < each; i++) {
                requests.add(world.ireceive(in[rank * each + i], 0, length, rank, i));
            }
        }
        byte[] out = new byte[length];
        for (int i = 0; i < length; i++) {
            out[i] = expected(round, world.rank(), i);
        }
        for (int i = 0; i < each; i++) {
            for (int rank = 0; rank < world.size(); rank++) {
                requests.add(world.isend(out, 0, length, rank, i));
            }
        }
        Request.awaitAll(requests);
        for (int message = 0; message < in.length; message++) {
            for (int i = 0; i < length; i++) {
                check(in[message][i], expected(round, message / each, i), "one of many");
            }
        }
    }

    private void reduce(int round, int count) {
        int[] mine = new int[count];
        int[] sum = new int[count];
        for (int i = 0; i < count; i++) {
            mine[i] = round + i + world.rank();
        }
        world.allReduce(mine, sum, count, Op.SUM);
        int size = world.size();
        for (int i = 0; i < count; i++) {
            check(sum[i], size * (round + i) + size * (size - 1) / 2, "a sum");
        }
    }

    private void spread(int round, int length) {
        int root = random.nextInt(world.size());
        if (world.rank() == root) {
            for (int i = 0; i < length; i++) {
                heapIn[i] = expected(round, root, i);
            }
        }
        world.bcast(heapIn, 0, length, root);
        for (int i = 0; i < length; i++) {
            check(heapIn[i], expected(round, root, i), "a broadcast");
        }
    }

    /** Rank after rank is asked by all others, which it does not expect. */
    private void anybody(int round) {
        int root = random.nextInt(world.size());
        int[] value = {round};
        if (world.rank() != root) {
            world.ssend(value, 0, 1, root, TAG);
            return;
        }
        for (int i = 1; i < world.size(); i++) {
            Status probed = world.probe(Communicator.ANY_SOURCE, TAG);
            value[0] = -1;
            world.receive(value, 0, 1, probed.source(), TAG);
            check(value[0], round, "a question");
        }
    }

    // --- what this process holds -----------------------------------------------------------------------

    private void sample(long millis) throws IOException {
        // What is unreachable is none of it; the second one frees direct buffers whose cleaners ran.
        System.gc();
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long direct = 0;
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            direct += pool.getMemoryUsed();
        }
        // The JVM compiles on for minutes; what it makes is none of it either.
        long compiled =
                ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getCommitted();
        System.out.println(
                "sample " + world.rank() + " " + millis + " native=" + (resident() - compiled / 1024) + " heap="
                        + heap / 1024
                        + " direct=" + direct / 1024 + " descriptors=" + entries("fd") + " threads=" + entries("task")
                        + " regions=" + regions());
    }

    private static long resident() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        throw new IOException("no VmRSS");
    }

    private static long entries(String folder) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self", folder))) {
            return all.count();
        }
    }

    /** Returns how many mappings of shared memory there are, of this rank's and of its peers'. */
    private static long regions() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.contains("/parley-"))
                .count();
    }
}
