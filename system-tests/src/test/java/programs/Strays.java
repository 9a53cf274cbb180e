package programs;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/**
 * Connections of who does not belong there, without Parley. {@code Strays scan HOST PORT...} makes them until it is
 * killed and says "pass N" after each pass over the ports; {@code Strays idle COUNT HOST PORT...} keeps some open that
 * say nothing, says "open", and "closed after N ms" when the other side has closed all of them.
 */
public final class Strays {
    private static final int CONNECT_MILLIS = 10_000;

    private static final byte[] TLS_HELLO = HexFormat.of()
            .parseHex("16030100c8010000c40303" + "5a".repeat(32) + "000004130113020100" + "00".repeat(100));

    private Strays() {}

    /** Connects. */
    public static void main(String[] arguments) throws Exception {
        boolean isScan = arguments[0].equals("scan");
        int first = isScan ? 1 : 2;
        String host = arguments[first];
        List<InetSocketAddress> targets = new ArrayList<>();
        for (int i = first + 1; i < arguments.length; i++) {
            targets.add(new InetSocketAddress(host, Integer.parseInt(arguments[i])));
        }
        if (isScan) {
            scan(targets);
        } else {
            idle(targets, Integer.parseInt(arguments[1]));
        }
    }

    private static void scan(List<InetSocketAddress> targets) throws Exception {
        byte[] noise = new byte[1 << 20];
        new Random(1).nextBytes(noise);
        List<byte[]> words = List.of(
                new byte[0],
                new byte[7],
                "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                TLS_HELLO,
                noise);
        for (int pass = 1; ; pass++) {
            for (InetSocketAddress target : targets) {
                for (byte[] word : words) {
                    say(target, word);
                }
            }
            System.out.println("pass " + pass);
            Thread.sleep(10);
        }
    }

    private static void say(InetSocketAddress target, byte[] word) {
        try (Socket socket = new Socket()) {
            socket.connect(target, CONNECT_MILLIS);
            OutputStream out = socket.getOutputStream();
            out.write(word);
        } catch (IOException e) {
            // Nobody there yet, or it has had enough: both are its right.
            return;
        }
    }

    private static void idle(List<InetSocketAddress> targets, int count) throws Exception {
        List<Socket> sockets = new ArrayList<>();
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            Socket socket = new Socket();
            socket.connect(targets.get(i % targets.size()), CONNECT_MILLIS);
            sockets.add(socket);
        }
        System.out.println("open");
        for (Socket socket : sockets) {
            awaitEnd(socket);
        }
        System.out.println("closed after " + (System.nanoTime() - begin) / 1_000_000 + " ms");
    }

    private static void awaitEnd(Socket socket) {
        try (socket) {
            while (socket.getInputStream().read() >= 0) {
                continue;
            }
        } catch (IOException e) {
            // Closed with a reset.
            return;
        }
    }
}
