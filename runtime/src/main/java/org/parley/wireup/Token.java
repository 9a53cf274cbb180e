package org.parley.wireup;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Set;
import org.parley.JobException;

/**
 * The job's secret, 256 bits, which only files of mode 0600 carry: never a command line, never the
 * environment. Both ends of a link prove that they have it by an HMAC-SHA-256 (RFC 2104) over the
 * hello and the challenge, whose nonces are new each time.
 */
final class Token {
    private static final int BYTES = 32;
    private static final int BLOCK = 64;

    private final byte[] secret;

    private Token(final byte[] secret) {
        this.secret = secret;
    }

    /** Makes one and the file that carries it. */
    static Token create(final Path file) throws IOException {
        final Token token = new Token(random(BYTES));
        final Set<OpenOption> how =
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        try (var channel = Files.newByteChannel(
                file, how, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            channel.write(ByteBuffer.wrap(token.secret));
        }
        return token;
    }

    /**
     * Reads one.
     *
     * @throws JobException if the file is missing, readable by others, or no token
     */
    static Token read(final Path file) {
        try {
            final Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS);
            if (mode.contains(PosixFilePermission.GROUP_READ) || mode.contains(PosixFilePermission.OTHERS_READ)) {
                throw new JobException("PARLEY_TOKEN_FILE=" + file + " can be read by others: give it mode 0600");
            }
            final byte[] secret = Files.readAllBytes(file);
            if (secret.length != BYTES) {
                throw new JobException("PARLEY_TOKEN_FILE="
                        + file
                        + " has "
                        + secret.length
                        + " bytes, not "
                        + BYTES
                        + ": it is no token");
            }
            return new Token(secret);
        } catch (final IOException e) {
            throw new JobException("cannot read PARLEY_TOKEN_FILE=" + file + ": " + e, e);
        }
    }

    /** Returns bytes that nobody can guess: the kernel's, whose file opens faster than a provider. */
    static byte[] random(final int length) {
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

    /**
     * Returns the proof that its maker knows the token.
     *
     * @param side which end of the link makes it, so that one end's proof is not the other's
     * @param hello the body of the rank's hello
     * @param challenge the body of the launcher's challenge
     */
    byte[] proof(final String side, final byte[] hello, final byte[] challenge) {
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

    /** Compares in a time that does not tell where they differ. */
    static boolean isSame(final byte[] expected, final byte[] claimed) {
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
