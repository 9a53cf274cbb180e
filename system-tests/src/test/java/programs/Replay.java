package programs;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.HexFormat;

/**
 * {@code Replay HOST PORT HEX...} says again what one rank was heard to say to another: one part after the other, each
 * when the one before was answered. Says "answered N bytes, closed" when it was hung up on.
 */
public final class Replay {
    private static final int MILLIS = 30_000;

    private Replay() {}

    /** Calls. */
    public static void main(String[] words) throws Exception {
        int heard = 0;
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(words[0], Integer.parseInt(words[1])), MILLIS);
            socket.setSoTimeout(MILLIS);
            InputStream in = socket.getInputStream();
            for (int i = 2; i < words.length; i++) {
                socket.getOutputStream().write(HexFormat.of().parseHex(words[i]));
                heard += Math.max(0, in.read(new byte[4096]));
            }
            heard += untilItEnds(in);
        }
        System.out.println("answered " + heard + " bytes, closed");
    }

    private static int untilItEnds(InputStream in) {
        int heard = 0;
        try {
            for (int count; (count = in.read(new byte[4096])) >= 0; ) {
                heard += count;
            }
        } catch (SocketTimeoutException e) {
            throw new IllegalStateException("it was not hung up on", e);
        } catch (IOException e) {
            // Closed with a reset.
            return heard;
        }
        return heard;
    }
}
