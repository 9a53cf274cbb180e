package org.parley.launcher.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VmxFileTest {
    private static final String SOUND = """
            .encoding = "UTF-8"
            virtualHW.version = "19"
            memSize = "16384"
            sched.mem.min = "16384"
            sched.mem.pin = "TRUE"
            vrdma0.present = "TRUE"
            vrdma0.nativeEndpointSupport = "TRUE"
            """;

    @TempDir
    Path folder;

    private List<Code> examine(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("node7.vmx"), text);
        return new VmxFile(file)
                .examine().findings().stream().map(Finding::code).toList();
    }

    @Test
    void shouldFindASoundFileSound() throws IOException {
        assertThat(examine(SOUND)).isEmpty();
    }

    @Test
    void shouldFindAnOldVersion() throws IOException {
        assertThat(examine(SOUND.replace("\"19\"", "\"11\""))).containsExactly(Code.D601, Code.D604);
        assertThat(examine(SOUND.replace("\"19\"", "\"17\""))).containsExactly(Code.D604);
        assertThat(examine(SOUND.replace("\"19\"", "\"17\"").replace("Support = \"TRUE\"", "Support = \"FALSE\"")))
                .isEmpty();
    }

    @Test
    void shouldFindMemoryThatIsNotReserved() throws IOException {
        assertThat(examine(SOUND.replace("sched.mem.min = \"16384\"", "sched.mem.min = \"8192\"")
                        .replace("sched.mem.pin = \"TRUE\"", "")))
                .containsExactly(Code.D602);
        assertThat(examine(SOUND.replace("sched.mem.pin", "SCHED.MEM.PIN"))).isEmpty();
    }

    @Test
    void shouldFindTooFewAndTooManyAdapters() throws IOException {
        assertThat(examine(SOUND.replaceAll("vrdma0.*\\n", ""))).containsExactly(Code.D603);
        StringBuilder many = new StringBuilder(SOUND);
        for (int i = 1; i < 11; i++) {
            many.append("ethernet").append(i).append(".virtualDev = \"pvrdma\"\n");
        }
        assertThat(examine(many.toString())).containsExactly(Code.D603);
    }

    @Test
    void shouldFindAsyncModeByItself() throws IOException {
        String asynchronous = SOUND + "vrdma.asyncMode = \"TRUE\"\n";

        assertThat(examine(asynchronous)).containsExactly(Code.D605);
        assertThat(examine(asynchronous + "sched.cpu.latencySensitivity = \"high\"\n"))
                .isEmpty();
    }

    @Test
    void shouldSayWhatIsNoSuchFile() {
        assertThatThrownBy(() -> new VmxFile(folder.resolve("none.vmx")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no such file");
        assertThatThrownBy(() -> new VmxFile(folder)).hasMessageContaining("no virtual machine's configuration");
        assertThatThrownBy(() -> examine("hello")).hasMessageContaining("virtualHW.version");
    }

    /** A pattern that tries each end of a key takes hours for such a line. */
    @Test
    void shouldReadLongLinesOnce() throws IOException {
        assertThat(examine(SOUND + "a" + " ".repeat(500_000) + "\n" + " ".repeat(500_000)))
                .isEmpty();
    }
}
