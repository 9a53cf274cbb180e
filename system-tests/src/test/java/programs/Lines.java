package programs;

import java.io.OutputStream;
import java.util.Arrays;

/** Prints {@code Lines COUNT LENGTH}: that many lines of one letter, in pieces; without Parley. */
public final class Lines {
    private static final int PIECE = 8000;

    private Lines() {}

    /** Prints them, and half a line at last. */
    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);
        int length = Integer.parseInt(arguments[1]);
        byte[] piece = new byte[PIECE];
        Arrays.fill(piece, (byte) ('a' + Integer.parseInt(System.getenv("PARLEY_RANK"))));
        OutputStream out = new java.io.FileOutputStream(java.io.FileDescriptor.out);
        for (int i = 0; i < count; i++) {
            for (int left = length; left > 0; left -= PIECE) {
                out.write(piece, 0, Math.min(PIECE, left));
            }
            out.write('\n');
        }
        out.write(piece, 0, 10);
    }
}
