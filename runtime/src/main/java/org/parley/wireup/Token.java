package org.parley.wireup;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.parley.JobException;
import org.parley.transport.JobSecret;
import org.parley.transport.Reason;

/** The file of mode 0600 that carries the job's secret: never a command line, never the environment. */
final class Token {
    private Token() {}

    /** Makes the file that carries one. */
    static JobSecret create(final Path file, final JobSecret secret) throws IOException {
        final Set<OpenOption> how =
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        try (var channel = Files.newByteChannel(
                file, how, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            channel.write(ByteBuffer.wrap(secret.bytes()));
        }
        return secret;
    }

    /**
     * Reads one.
     *
     * @throws JobException if the file is missing, readable by others, or no token
     */
    static JobSecret read(final Path file) {
        try {
            final Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS);
            if (mode.contains(PosixFilePermission.GROUP_READ) || mode.contains(PosixFilePermission.OTHERS_READ)) {
                throw new JobException("PARLEY_TOKEN_FILE=" + file + " can be read by others: give it mode 0600");
            }
            final byte[] secret = Files.readAllBytes(file);
            if (secret.length != JobSecret.BYTES) {
                throw new JobException("PARLEY_TOKEN_FILE="
                        + file
                        + " has "
                        + secret.length
                        + " bytes, not "
                        + JobSecret.BYTES
                        + ": it is no token");
            }
            return new JobSecret(secret);
        } catch (final IOException e) {
            throw new JobException("cannot read PARLEY_TOKEN_FILE=" + file + ": " + Reason.of(e), e);
        }
    }
}
