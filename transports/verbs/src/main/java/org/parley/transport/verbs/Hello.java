package org.parley.transport.verbs;

import java.util.Arrays;
import org.agrona.UnsafeApi;
import org.parley.transport.JobSecret;
import org.parley.transport.RankAddress;
import org.parley.transport.TransportContext;

/**
 * What a rank says first to another one, and again when it has moved: its {@link UdAddress}, and the proof that it has the job's secret,
 * which is good for this opening of the other one's transport only. Any thread.
 */
final class Hello {
    private Hello() {}

    /** Returns the words of one rank to another. */
    static byte[] of(final UdAddress mine, final UdAddress to, final JobSecret secret) {
        final byte[] address = mine.encode();
        final byte[] hello = Arrays.copyOf(address, address.length + JobSecret.PROOF_BYTES);
        System.arraycopy(mine.proof(secret, to.nonce()), 0, hello, address.length, JobSecret.PROOF_BYTES);
        return hello;
    }

    /**
     * Takes one.
     *
     * @param hello what came
     * @param context where this rank is
     * @param nonce this rank's
     * @return who says it, or null: the proof is wrong
     * @throws org.parley.transport.TransportException if it is no hello of this job
     */
    static UdAddress read(final byte[] hello, final TransportContext context, final byte[] nonce) {
        final int length = Math.max(0, hello.length - JobSecret.PROOF_BYTES);
        final UdAddress theirs = UdAddress.decode(Arrays.copyOf(hello, length));
        RankAddress.check("ud", context, theirs.door().job(), theirs.rank());
        final byte[] proof = Arrays.copyOfRange(hello, length, hello.length);
        return JobSecret.isSame(theirs.proof(context.secret(), nonce), proof) ? theirs : null;
    }

    /** Writes one into a datagram; returns how long that is. */
    static int write(final byte[] hello, final long datagram, final int rank) {
        Datagram.from(datagram, Datagram.HELLO, rank);
        UnsafeApi.copyMemory(
                hello, UnsafeApi.arrayBaseOffset(byte[].class), null, datagram + Datagram.HEADER, hello.length);
        return Datagram.HEADER + hello.length;
    }

    /** Returns what a datagram has behind its header. */
    static byte[] in(final long datagram, final int length) {
        final byte[] hello = new byte[length - Datagram.HEADER];
        UnsafeApi.copyMemory(
                null, datagram + Datagram.HEADER, hello, UnsafeApi.arrayBaseOffset(byte[].class), hello.length);
        return hello;
    }
}
