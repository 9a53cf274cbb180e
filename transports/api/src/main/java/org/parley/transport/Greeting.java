package org.parley.transport;

import java.nio.ByteBuffer;

/**
 * What both ends of a new connection between ranks say first; of one length, so that nothing is allocated
 * for a stranger. Then each proves that it has the job's secret ({@link JobSecret#proof}), over both greetings.
 *
 * <pre>
 *   magic u64, version u16, flags u8, verdict u8, job u64, from i32, to i32, incarnation u64, epoch u32, nonce 16 bytes
 * </pre>
 *
 * @param magic which protocol it is
 * @param version of the protocol; {@link Protocol#version} or refused
 * @param encrypts whether TLS is to follow
 * @param verdict of the called one
 * @param job number of the job
 * @param from who says it
 * @param to to whom
 * @param incarnation of who says it: a rank that is started again has another
 * @param epoch number of the link that is to be; the called one repeats the caller's
 * @param nonce new for each connection
 */
public record Greeting(
        long magic,
        int version,
        boolean encrypts,
        Verdict verdict,
        long job,
        int from,
        int to,
        long incarnation,
        int epoch,
        byte[] nonce) {
    /** Length of a nonce. */
    public static final int NONCE_BYTES = 16;

    /** Length of a greeting. */
    public static final int BYTES = 8 + 2 + 1 + 1 + 8 + 4 + 4 + 8 + 4 + NONCE_BYTES;

    /** Of the flags: TLS follows. */
    private static final int ENCRYPTS = 1;

    /** What the called one makes of a caller. */
    public enum Verdict {
        /** Go on. */
        WELCOME(""),
        /** Another version. */
        VERSION("it speaks another version of the protocol: all ranks need the same parley jars"),
        /** Another job. */
        JOB("it belongs to another job"),
        /** Not the rank that was meant, or none of the job's. */
        RANK("it is another rank: addresses were mixed up"),
        /** No secret. */
        SECRET("this rank's proof of the job's secret is wrong"),
        /** It has a link already. */
        DUPLICATE("it has a link with this rank already: two processes have one rank, or one was restarted"),
        /** It is calling itself, and has the lower rank. */
        GLARE("it is calling this rank itself"),
        /** One of the two encrypts. */
        ENCRYPTION("only one of the two encrypts: all ranks need the same tcp.tls"),
        /** Its device refused. */
        DEVICE("its device cannot make one more connection: its own error says why"),
        /** It has done with this rank. */
        GONE("it has given up the link with this rank"),
        /** What a later version may say. */
        UNKNOWN("it says something that this version does not know");

        private final String text;

        Verdict(final String text) {
            this.text = text;
        }

        /** Returns what it means to the caller. */
        public String text() {
            return text;
        }

        /**
         * Returns the verdict of a number on the wire.
         *
         * @param code the number
         */
        public static Verdict of(final int code) {
            return code >= 0 && code < values().length ? values()[code] : UNKNOWN;
        }
    }

    /** Returns its bytes. */
    public byte[] encode() {
        return ByteBuffer.allocate(BYTES)
                .putLong(magic)
                .putShort((short) version)
                .put((byte) (encrypts ? ENCRYPTS : 0))
                .put((byte) verdict.ordinal())
                .putLong(job)
                .putInt(from)
                .putInt(to)
                .putLong(incarnation)
                .putInt(epoch)
                .put(nonce)
                .array();
    }

    /**
     * Reads one.
     *
     * @param magic which protocol it must be
     * @param bytes what was said
     * @return null if it is none
     */
    public static Greeting decode(final long magic, final byte[] bytes) {
        final ByteBuffer fields = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES || fields.getLong() != magic) {
            return null;
        }
        final int version = fields.getShort() & 0xffff;
        final boolean encrypts = (fields.get() & ENCRYPTS) != 0;
        final Verdict verdict = Verdict.of(fields.get() & 0xff);
        final long job = fields.getLong();
        final int from = fields.getInt();
        final int to = fields.getInt();
        final long incarnation = fields.getLong();
        final int epoch = fields.getInt();
        final byte[] nonce = new byte[NONCE_BYTES];
        fields.get(nonce);
        return new Greeting(magic, version, encrypts, verdict, job, from, to, incarnation, epoch, nonce);
    }
}
