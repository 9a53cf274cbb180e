package org.parley.transport.verbs;

import org.agrona.UnsafeApi;

/**
 * What is in a datagram, in the machine's byte order.
 *
 * <pre>
 *   0   token    u64   what only this pair of ranks knows, of this direction; {@link #HELLO} in a hello
 *   8   source   u32   rank of the sender
 *   12  number   u32   of the first frame in it, or of the frame that it has a piece of
 *   16  offset   u32   of the piece in its frame; 0: frames begin here
 *   20  ack      u32   number of the frame that the sender expects next
 *   24  of       u32   bytes of that frame that it has already
 *   28  window   u16   datagrams that it takes before it has acknowledged them
 *   30  flags    u16   {@link #GAP}, {@link #FAREWELL}, {@link #ANSWER}, {@link #ASK}
 *   32  whole frames, or a piece of one that is longer than a datagram, or nothing
 * </pre>
 *
 * <p>A hello has behind its source, at 32, the sender's {@link UdAddress} and the proof that it knows the job's secret.
 */
final class Datagram {
    static final int HEADER = 32;

    /** Flag: something is missing that was sent before what has come. */
    static final int GAP = 1;

    /** Flag: nothing comes behind the frame before {@code number}. */
    static final int FAREWELL = 2;

    /** Flag: said because something came in vain, twice or too soon, or asked. */
    static final int ANSWER = 4;

    /** Flag: its sender sends nothing more until it is told what has come. */
    static final int ASK = 8;

    /** Where others have a token. */
    static final long HELLO = 0x4f4c4c4548445520L;

    private static final int TOKEN = 0;
    private static final int SOURCE = 8;
    private static final int NUMBER = 12;
    private static final int OFFSET = 16;
    private static final int ACK = 20;
    private static final int ACK_OFFSET = 24;
    private static final int WINDOW = 28;
    private static final int FLAGS = 30;

    private Datagram() {}

    static void from(final long datagram, final long token, final int source) {
        UnsafeApi.putLong(datagram + TOKEN, token);
        UnsafeApi.putInt(datagram + SOURCE, source);
    }

    static void position(final long datagram, final int number, final int offset) {
        UnsafeApi.putInt(datagram + NUMBER, number);
        UnsafeApi.putInt(datagram + OFFSET, offset);
    }

    static void acknowledges(
            final long datagram, final int number, final int offset, final int window, final int flags) {
        UnsafeApi.putInt(datagram + ACK, number);
        UnsafeApi.putInt(datagram + ACK_OFFSET, offset);
        UnsafeApi.putShort(datagram + WINDOW, (short) window);
        UnsafeApi.putShort(datagram + FLAGS, (short) flags);
    }

    static long token(final long datagram) {
        return UnsafeApi.getLong(datagram + TOKEN);
    }

    static int source(final long datagram) {
        return UnsafeApi.getInt(datagram + SOURCE);
    }

    static int number(final long datagram) {
        return UnsafeApi.getInt(datagram + NUMBER);
    }

    static int offset(final long datagram) {
        return UnsafeApi.getInt(datagram + OFFSET);
    }

    static int ack(final long datagram) {
        return UnsafeApi.getInt(datagram + ACK);
    }

    static int ackOffset(final long datagram) {
        return UnsafeApi.getInt(datagram + ACK_OFFSET);
    }

    static int window(final long datagram) {
        return UnsafeApi.getShort(datagram + WINDOW) & 0xffff;
    }

    static int flags(final long datagram) {
        return UnsafeApi.getShort(datagram + FLAGS) & 0xffff;
    }
}
