package org.parley.wireup;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.parley.JobException;
import org.parley.transport.JobSecret;
import org.parley.transport.Reason;

/**
 * A file, perhaps on a shared file system, in which rank 0 says where it listens.
 *
 * <pre>
 *   parley-rendezvous 1
 *   job NAME
 *   token 64 hexadecimal digits         unless the token has a file of its own
 *   address HOST PORT                   one or more, in the order in which they are to be tried
 *   end
 * </pre>
 *
 * <p>Mode 0600, for it may carry the job's secret; appears by a rename, so nobody sees half of it.
 */
final class RendezvousFile {
    private static final String FIRST = "parley-rendezvous 1";
    private static final String LAST = "end";
    private static final int LONGEST = 64 * 1024;

    private final Path path;
    private final String job;

    /**
     * What it says.
     *
     * @param addresses where rank 0 listens
     * @param secret the job's secret, or null
     */
    record Content(List<InetSocketAddress> addresses, JobSecret secret) {}

    RendezvousFile(final Path path, final String job) {
        this.path = path.toAbsolutePath();
        this.job = job;
    }

    /** Says where rank 0 listens, until this process ends. */
    void write(final List<InetSocketAddress> addresses, final JobSecret secret) {
        final StringBuilder text = new StringBuilder(FIRST).append('\n');
        text.append("job ").append(job).append('\n');
        if (secret != null) {
            text.append("token ")
                    .append(HexFormat.of().formatHex(secret.bytes()))
                    .append('\n');
        }
        for (final InetSocketAddress address : addresses) {
            text.append("address ")
                    .append(address.getAddress().getHostAddress())
                    .append(' ')
                    .append(address.getPort())
                    .append('\n');
        }
        text.append(LAST).append('\n');
        final Path made = path.resolveSibling(
                path.getFileName() + "." + ProcessHandle.current().pid());
        try {
            Files.deleteIfExists(made);
            try (SeekableByteChannel channel = Files.newByteChannel(
                    made,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
                channel.write(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
            }
            Files.move(made, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (final IOException e) {
            throw new JobException("cannot write the rendezvous file " + path + ": " + Reason.of(e), e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::remove, "parley-rendezvous-file"));
    }

    private void remove() {
        try {
            if (read() != null) {
                Files.deleteIfExists(path);
            }
        } catch (final IOException | JobException e) {
            // Another job's by now, or gone.
            return;
        }
    }

    /**
     * Reads it.
     *
     * @throws IOException if it is not there yet, or of another job, an earlier one perhaps
     * @throws JobException if others can read it, or it is no such file
     */
    Content read() throws IOException {
        final List<String> lines;
        try {
            final Set<PosixFilePermission> mode = Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS);
            if (mode.contains(PosixFilePermission.GROUP_READ) || mode.contains(PosixFilePermission.OTHERS_READ)) {
                throw new JobException(
                        "the rendezvous file " + path + " can be read by others: it has to have mode 0600");
            }
            if (Files.size(path) > LONGEST) {
                throw notOurs("it has more than " + LONGEST + " bytes");
            }
            lines = Files.readAllLines(path);
        } catch (final CharacterCodingException e) {
            throw notOurs("it is no text in UTF-8");
        } catch (final NoSuchFileException e) {
            throw new IOException("there is no " + path + ": rank 0 writes it when it calls Parley.init()", e);
        }
        if (lines.size() < 2
                || !lines.get(0).equals(FIRST)
                || !lines.get(lines.size() - 1).equals(LAST)) {
            throw notOurs("it does not begin with " + FIRST + " and end with " + LAST);
        }
        if (!lines.get(1).equals("job " + job)) {
            throw new IOException(path + " is of another job (" + lines.get(1) + ", this is " + job + ")");
        }
        return parse(lines);
    }

    private Content parse(final List<String> lines) {
        final List<InetSocketAddress> addresses = new ArrayList<>();
        JobSecret secret = null;
        for (final String line : lines.subList(2, lines.size() - 1)) {
            final String[] words = line.split(" ", -1);
            try {
                if (words[0].equals("token") && words.length == 2) {
                    secret = new JobSecret(HexFormat.of().parseHex(words[1]));
                } else if (words[0].equals("address") && words.length == 3) {
                    addresses.add(new InetSocketAddress(words[1], Integer.parseInt(words[2])));
                } else {
                    throw notOurs("what is \"" + line + "\"?");
                }
            } catch (final IllegalArgumentException e) {
                throw notOurs("what is \"" + words[0] + "\" to mean?");
            }
        }
        if (addresses.isEmpty()) {
            throw notOurs("it has no address");
        }
        return new Content(addresses, secret);
    }

    private JobException notOurs(final String why) {
        return new JobException(path + " is no rendezvous file: " + why);
    }
}
