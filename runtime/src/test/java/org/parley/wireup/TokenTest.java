package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.parley.JobException;
import org.parley.transport.JobSecret;

class TokenTest {
    @TempDir
    Path folder;

    @Test
    void shouldProveByHmacSha256() throws Exception {
        Path file = folder.resolve("token");
        JobSecret token = Token.create(file, JobSecret.create());
        byte[] hello = {1, 2, 3};
        byte[] challenge = {4, 5};
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Files.readAllBytes(file), "HmacSHA256"));
        mac.update("side\0".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        mac.update(ByteBuffer.allocate(8).putInt(3).putInt(2).array());
        mac.update(hello);
        mac.update(challenge);

        assertThat(token.proof("side", hello, challenge)).isEqualTo(mac.doFinal());
        assertThat(Token.read(file).proof("side", hello, challenge)).isEqualTo(token.proof("side", hello, challenge));
    }

    @Test
    void shouldMakeProofsOfOneKindOnly() throws IOException {
        JobSecret token = Token.create(folder.resolve("token"), JobSecret.create());

        assertThat(token.proof("a", new byte[] {1}, new byte[] {2, 3}))
                .isNotEqualTo(token.proof("b", new byte[] {1}, new byte[] {2, 3}))
                .isNotEqualTo(token.proof("a", new byte[] {1, 2}, new byte[] {3}));
    }

    @Test
    void shouldLieInAFileOfItsOwnersOnly() throws IOException {
        Path file = folder.resolve("token");
        Token.create(file, JobSecret.create());

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Files.size(file)).isEqualTo(32);
    }

    @Test
    void shouldNotFollowALinkThatSomebodyHasPlanted() throws IOException {
        Path target = Files.writeString(folder.resolve("precious"), "untouched");
        Path planted = Files.createSymbolicLink(folder.resolve("token"), target);

        assertThatThrownBy(() -> Token.create(planted, JobSecret.create()))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(target).hasContent("untouched");
    }

    @Test
    void shouldRefuseFilesThatAreNoSecret() throws IOException {
        Path file = folder.resolve("token");
        assertThatThrownBy(() -> Token.read(file))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("cannot read PARLEY_TOKEN_FILE=" + file);
        Files.write(file, new byte[31]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThatThrownBy(() -> Token.read(file)).hasMessageContaining("31 bytes, not 32");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> Token.read(file)).hasMessageContaining("give it mode 0600");
    }
}
