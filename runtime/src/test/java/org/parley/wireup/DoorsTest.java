package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.parley.JobException;

@Timeout(value = 240, unit = TimeUnit.SECONDS)
class DoorsTest {
    @Test
    void shouldKeepNothingOpenWhenOneDoorIsTaken(@TempDir Path folder) throws Exception {
        Path first = folder.resolve("first");
        try (Selector selector = Selector.open();
                ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            SocketAddress second = new InetSocketAddress(InetAddress.getLoopbackAddress(), taken.getLocalPort());

            assertThatThrownBy(() -> new Doors(selector, List.of(UnixDomainSocketAddress.of(first), second), 1))
                    .isInstanceOf(JobException.class)
                    .hasMessageContaining(String.valueOf(taken.getLocalPort()));
            assertThat(selector.isOpen()).isFalse();
            assertThat(listening()).noneMatch(line -> line.endsWith(" " + first));
        }
    }

    /** The kernel's list of sockets that have a path. */
    private static List<String> listening() throws Exception {
        try (Stream<String> lines = Files.lines(Path.of("/proc/net/unix"))) {
            return lines.toList();
        }
    }
}
