package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.parley.JobException;

/** Whatever is in a frame or a file by which ranks meet, it means something or is refused by a text. */
class DecodersFuzzTest {
    /** Inputs are many, and files of them need no disk. */
    private static Path put(final String name, final byte[] bytes) throws IOException {
        final Path memory = Path.of("/dev/shm");
        final Path folder = Files.createTempDirectory(
                Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir")), "parley-fuzz");
        final Path file = folder.resolve(name);
        Files.write(file, bytes);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    private static void remove(final Path file) throws IOException {
        Files.delete(file);
        Files.delete(file.getParent());
    }

    /** The first byte says how often and in which order which kind of field is read. */
    @FuzzTest
    void shouldReadAnyFrame(final FuzzedDataProvider data) {
        final int[] kinds = data.consumeInts(data.consumeInt(0, 8));
        final byte type = data.consumeByte();
        final byte[] body = data.consumeRemainingAsBytes();
        final ControlFrame frame = ControlFrame.arrived(type, ByteBuffer.wrap(body));
        try {
            for (final int kind : kinds) {
                switch (kind & 7) {
                    case 0 -> frame.number();
                    case 1 -> frame.longNumber();
                    case 2 -> assertThat(frame.bytes()).hasSizeLessThanOrEqualTo(body.length);
                    case 3 -> assertThat(frame.text()).isNotNull();
                    case 4 -> assertThat(frame.numbers()).hasSizeLessThanOrEqualTo(body.length);
                    default -> assertThat(frame.raw()).isEqualTo(body);
                }
            }
        } catch (final IOException e) {
            assertThat(e).hasMessage("a frame of type " + type + " is shorter than its contents");
        }
    }

    @FuzzTest
    void shouldReadAnyRendezvousFile(final byte[] bytes) throws IOException {
        final Path path = put("meet", bytes);
        try {
            assertThat(new RendezvousFile(path, "job-1").read().addresses()).isNotEmpty();
        } catch (final IOException e) {
            assertThat(e).hasMessageContaining("is of another job");
        } catch (final JobException e) {
            assertThat(e).hasMessageContaining(path + " is no rendezvous file: ");
        } finally {
            remove(path);
        }
    }

    @FuzzTest
    void shouldReadAnyFileOfAWait(final byte[] bytes) throws IOException {
        final Path path = put("wait-3", bytes);
        try {
            final WaitFile.Wait wait = WaitFile.read(path.getParent(), 3);
            assertThat(wait == null || wait.what() != null).isTrue();
        } finally {
            remove(path);
        }
    }
}
