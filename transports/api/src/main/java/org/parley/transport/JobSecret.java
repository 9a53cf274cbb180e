package org.parley.transport;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * What the ranks of a job know and nobody else: 256 bits. Both ends of a link prove that they have it
 * by an HMAC-SHA-256 (RFC 2104) over the hello and the challenge, whose nonces are new each time.
 * Immutable; any thread. Its text says nothing of it.
 */
public final class JobSecret {
    /** Length of a secret. */
    public static final int BYTES = 32;

    /** Length of a proof. */
    public static final int PROOF_BYTES = 32;

    private static final int BLOCK = 64;

    private final byte[] secret;

    /**
     * Takes a secret over.
     *
     * @param secret {@link #BYTES} bytes
     */
    public JobSecret(final byte[] secret) {
        if (secret.length != BYTES) {
            throw new IllegalArgumentException("a secret has " + BYTES + " bytes, not " + secret.length);
        }
        this.secret = secret.clone();
    }

    /** Makes one that nobody can guess. */
    public static JobSecret create() {
        return new JobSecret(random(BYTES));
    }

    /**
     * Returns bytes that nobody can guess: the kernel's, whose file opens faster than a provider.
     *
     * @param length how many
     */
    public static byte[] random(final int length) {
        try (InputStream kernel = Files.newInputStream(Path.of("/dev/urandom"))) {
            final byte[] bytes = kernel.readNBytes(length);
            if (bytes.length == length) {
                return bytes;
            }
        } catch (final IOException e) {
            // No such file here: the JDK knows another source.
        }
        final byte[] bytes = new byte[length];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    /** Returns the secret itself, for the file of mode 0600 that carries it. */
    public byte[] bytes() {
        return secret.clone();
    }

    /**
     * Returns the proof that its maker knows the secret.
     *
     * @param side which end of the link makes it, so that one end's proof is not the other's
     * @param hello what the caller said first, with its nonce
     * @param challenge what the called one answered, with its nonce
     */
    public byte[] proof(final String side, final byte[] hello, final byte[] challenge) {
        final MessageDigest digest = sha256();
        digest.update(padded(0x36));
        digest.update(side.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
        // Lengths first: no two pairs of frames give the same bytes.
        digest.update(ByteBuffer.allocate(8)
                .putInt(hello.length)
                .putInt(challenge.length)
                .array());
        digest.update(hello);
        digest.update(challenge);
        final byte[] inner = digest.digest();
        digest.update(padded(0x5c));
        digest.update(inner);
        return digest.digest();
    }

    /**
     * Compares in a time that does not tell where they differ.
     *
     * @param expected what the proof must be
     * @param claimed what came
     */
    public static boolean isSame(final byte[] expected, final byte[] claimed) {
        return MessageDigest.isEqual(expected, claimed);
    }

    /** HMAC from the digest itself: javax.crypto doubles the time that a rank takes to join. */
    private byte[] padded(final int pad) {
        final byte[] key = new byte[BLOCK];
        for (int i = 0; i < BLOCK; i++) {
            key[i] = (byte) ((i < secret.length ? secret[i] : 0) ^ pad);
        }
        return key;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
