package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WaitFileTest {
    @TempDir
    Path folder;

    @Test
    void shouldTellTheLastWaitAndWhetherItIsOver() {
        WaitFile file = WaitFile.create(folder, 3);
        assertThat(WaitFile.read(folder, 3)).isNull();

        file.write("receive from 1");
        assertThat(WaitFile.read(folder, 3)).isEqualTo(new WaitFile.Wait("receive from 1", false));
        file.write(null);
        assertThat(WaitFile.read(folder, 3)).isEqualTo(new WaitFile.Wait("receive from 1", true));
        file.write("barrier");
        file.write("send to 2");
        assertThat(WaitFile.read(folder, 3)).isEqualTo(new WaitFile.Wait("send to 2", false));
    }

    @Test
    void shouldCutWhatIsTooLong() {
        WaitFile file = WaitFile.create(folder, 0);
        file.write("x".repeat(100_000));

        assertThat(WaitFile.read(folder, 0).what()).matches("x{1000,2048}");
    }

    @Test
    void shouldTellNothingOfNoFileAndOfNoise() throws IOException {
        assertThat(WaitFile.read(folder, 1)).isNull();
        Files.write(folder.resolve("wait-1"), new byte[] {1, 2, 3});
        assertThat(WaitFile.read(folder, 1)).isNull();
        byte[] noise = new byte[4096];
        java.util.Arrays.fill(noise, (byte) 0x7f);
        Files.write(folder.resolve("wait-1"), noise);
        assertThat(WaitFile.read(folder, 1)).isNull();
        noise[0] = 1;
        noise[1] = noise[2] = noise[3] = 0;
        Files.write(folder.resolve("wait-1"), noise);
        assertThat(WaitFile.read(folder, 1).what()).isNotEmpty();
    }
}
