package org.parley;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.transport.tck.ChildJvm;

@Tag("large")
@Timeout(300)
class LargeMessageTest {
    private static final long NEEDED = 8L << 30;

    @Test
    void shouldSendMoreThanTwoGibibytes() throws IOException {
        assumeTrue(availableMemory() > NEEDED, "needs 8 GiB of free memory, there are " + availableMemory() + " bytes");
        try (ChildJvm child = ChildJvm.start(
                "",
                List.of("-Xmx2600m", "-XX:NewSize=64m", "-XX:MaxNewSize=64m", "-XX:+UseTransparentHugePages"),
                // Large pages where there are some: half of the time goes into page faults.
                Map.of("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"),
                LargeMessages.class)) {
            child.awaitSuccess();
        }
    }

    private static long availableMemory() throws IOException {
        final Path meminfo = Path.of("/proc/meminfo");
        if (!Files.exists(meminfo)) {
            return 0;
        }
        for (final String line : Files.readAllLines(meminfo)) {
            if (line.startsWith("MemAvailable:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) << 10;
            }
        }
        return 0;
    }
}
