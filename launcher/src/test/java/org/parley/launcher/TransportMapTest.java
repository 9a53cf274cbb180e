package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.parley.wireup.Placement;

/** Which way messages go, in as few words as it takes. */
class TransportMapTest {
    @Test
    void shouldSayOnceWhatIsTheSameForAll() {
        TransportMap map = new TransportMap(Placement.on("here", 2));

        assertThat(map.put(1, List.of("shm", "self"))).isFalse();
        assertThat(map.put(0, List.of("self", "shm"))).isTrue();
        assertThat(map.text()).isEqualTo("transports: shm between all ranks");
    }

    @Test
    void shouldTellTransportsByHosts() {
        TransportMap map = new TransportMap(new Placement(List.of("a", "b"), new int[] {0, 0, 1}));
        map.put(0, List.of("self", "shm", "tcp"));
        map.put(1, List.of("shm", "self", "tcp"));
        map.put(2, List.of("tcp", "tcp", "self"));

        assertThat(map.text()).isEqualTo("""
                        transports:
                            rank 0: shm, same host, to 1; tcp, other host, to 2
                            rank 1: shm, same host, to 0; tcp, other host, to 2
                            rank 2: tcp, other host, to 0,1""");
    }

    @Test
    void shouldPassOnWhyATransportIsNotTheBest() {
        TransportMap map = new TransportMap(Placement.on("here", 2));
        map.put(0, List.of("self", "tcp (shm: no room)"));
        map.put(1, List.of("tcp (shm: no room)", "self"));

        assertThat(map.text()).isEqualTo("transports: tcp (shm: no room) between all ranks");
    }

    /** The last to look finds that others have left. */
    @Test
    void shouldTakeOneRanksWordForBoth() {
        TransportMap map = new TransportMap(Placement.on("here", 2));
        map.put(0, List.of("self", "shm"));
        map.put(1, List.of("none (shm: no such file)", "self"));

        assertThat(map.text()).isEqualTo("transports: shm between all ranks");
    }
}
