package org.parley.launcher.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class CodeTest {

    @Test
    void shouldHaveASectionForEachCodeAndNoOther() throws IOException {
        List<String> headings = Files.readAllLines(Path.of("../docs/errors.md")).stream()
                .filter(line -> line.matches("### D\\d+"))
                .map(line -> line.substring(4))
                .toList();

        assertThat(headings)
                .isEqualTo(List.of(Code.values()).stream().map(Enum::name).toList());
    }
}
