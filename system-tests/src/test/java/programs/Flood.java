package programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.parley.Communicator;
import org.parley.Parley;

/**
 * {@code Flood BYTES}: rank 0 sends such messages to rank 1, as fast as it can, until its standard input ends. Rank 1
 * checks their order and says "received N" at each hundredth; at last both say how many there were, and how many kB
 * their memory has grown since the first hundred.
 */
public final class Flood {
    private static final int TAG = 7;
    private static final int WARM_UP = 100;

    private Flood() {}

    /** Sends or receives. */
    public static void main(String[] arguments) throws Exception {
        byte[] message = new byte[Integer.parseInt(arguments[0])];
        AtomicBoolean isOver = new AtomicBoolean();
        long before = 0;
        int count = 0;
        try (Parley parley = Parley.init()) {
            Communicator world = parley.world();
            if (world.rank() == 0) {
                Thread reader = new Thread(() -> read(isOver));
                reader.setDaemon(true);
                reader.start();
            }
            for (boolean isLast = false; !isLast; count++) {
                if (world.rank() == 0) {
                    isLast = isOver.get();
                    put(message, isLast ? -1 : count);
                    world.send(message, 0, message.length, 1, TAG);
                } else {
                    world.receive(message, 0, message.length, 0, TAG);
                    isLast = get(message) == -1;
                    if (!isLast && get(message) != count) {
                        throw new IllegalStateException("message " + get(message) + " came as number " + count);
                    }
                    if (count % 100 == 0) {
                        System.out.println("received " + count);
                    }
                }
                if (count == WARM_UP) {
                    before = residentKilobytes();
                }
            }
            long grown = residentKilobytes() - before;
            System.out.println("rank " + world.rank() + ": " + count + " messages, grown by " + grown + " kB");
        }
    }

    private static void put(byte[] message, int value) {
        for (int i = 0; i < Integer.BYTES; i++) {
            message[i] = (byte) (value >>> 8 * i);
        }
    }

    private static int get(byte[] message) {
        int value = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            value |= (message[i] & 0xff) << 8 * i;
        }
        return value;
    }

    private static long residentKilobytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    private static void read(AtomicBoolean isOver) {
        try {
            while (System.in.read() >= 0) {
                continue;
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        isOver.set(true);
    }
}
