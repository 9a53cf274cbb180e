package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.JobException;
import org.parley.transport.JobSecret;

/** Ranks believe a rendezvous file of their own job, and say what is wrong with any other. */
class RendezvousFileTest {
    @TempDir
    Path folder;

    private Path path;
    private RendezvousFile file;

    @BeforeEach
    void choose() {
        path = folder.resolve("meet");
        file = new RendezvousFile(path, "job-1");
    }

    private void put(final String text) throws IOException {
        Files.writeString(path, text);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void shouldReadWhatWasWritten() throws Exception {
        final JobSecret secret = JobSecret.create();
        final List<InetSocketAddress> addresses =
                List.of(new InetSocketAddress("127.0.0.1", 4711), new InetSocketAddress("::1", 4712));
        put("of an earlier job");
        file.write(addresses, secret);

        final RendezvousFile.Content content = file.read();
        assertThat(content.addresses()).isEqualTo(addresses);
        assertThat(content.secret().bytes()).isEqualTo(secret.bytes());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
        assertThat(folder).isDirectoryNotContaining(each -> !each.equals(path));
    }

    @Test
    void shouldReadOneWithoutToken() throws Exception {
        file.write(List.of(new InetSocketAddress("127.0.0.1", 4711)), null);

        assertThat(file.read().secret()).isNull();
    }

    @Test
    void shouldWaitForOneThatIsNotThereOrOfAnotherJob() throws Exception {
        assertThatThrownBy(file::read).isInstanceOf(IOException.class).hasMessageContaining("there is no " + path);
        put("parley-rendezvous 1\njob job-2\naddress 127.0.0.1 1\nend\n");
        assertThatThrownBy(file::read).isInstanceOf(IOException.class).hasMessageContaining("another job");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hello",
                "parley-rendezvous 2\njob job-1\naddress 127.0.0.1 1\nend",
                "parley-rendezvous 1\njob job-1\naddress 127.0.0.1 1\n",
                "parley-rendezvous 1\njob job-1\nend",
                "parley-rendezvous 1\njob job-1\n \nend",
                "parley-rendezvous 1\njob job-1\naddress 127.0.0.1\nend",
                "parley-rendezvous 1\njob job-1\naddress 127.0.0.1 70000\nend",
                "parley-rendezvous 1\njob job-1\naddress 127.0.0.1 x\nend",
                "parley-rendezvous 1\njob job-1\ntoken xy\naddress 127.0.0.1 1\nend",
                "parley-rendezvous 1\njob job-1\ntoken ab\naddress 127.0.0.1 1\nend"
            })
    void shouldRefuseWhatIsNone(final String text) throws Exception {
        put(text);

        assertThatThrownBy(file::read)
                .isInstanceOf(JobException.class)
                .hasMessageContaining(path + " is no rendezvous file: ");
    }

    @Test
    void shouldRefuseOneOfEndlessLength() throws Exception {
        put("x".repeat(100_000));

        assertThatThrownBy(file::read).isInstanceOf(JobException.class).hasMessageContaining("more than 65536 bytes");
    }
}
