package org.parley.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.transport.Interfaces.Local;

@Timeout(value = 240, unit = TimeUnit.SECONDS)
class InterfacesTest {
    private static final List<Local> MACHINE = List.of(
            local("lo", "127.0.0.1", 8, true, false),
            local("lo", "::1", 128, true, false),
            local("docker0", "172.17.0.1", 16, false, true),
            local("eth0", "fd00:1::5", 64, false, false),
            local("eth0", "fe80::5", 64, false, false),
            local("eth0", "10.1.2.3", 16, false, false),
            local("ib0", "10.9.0.3", 24, false, false));

    private static Local local(
            final String name, final String address, final int prefix, final boolean loopback, final boolean virtual) {
        return new Local(name, address(address), prefix, loopback, virtual);
    }

    private static InetAddress address(final String text) {
        try {
            return InetAddress.getByName(text);
        } catch (final UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static List<InetAddress> choose(final String wish) {
        return Interfaces.choose(MACHINE, wish, false);
    }

    @Test
    void shouldLeaveOutLoopbackBridgesAndLinkLocalAddresses() {
        assertThat(choose("")).containsExactly(address("10.1.2.3"), address("10.9.0.3"), address("fd00:1::5"));
    }

    @Test
    void shouldTakeTheLoopbackWhereAllRanksAreHereOrNothingElseIs() {
        assertThat(Interfaces.choose(MACHINE, "", true)).containsExactly(address("127.0.0.1"));
        assertThat(Interfaces.choose(MACHINE.subList(0, 3), "", false))
                .containsExactly(address("127.0.0.1"), address("::1"));
    }

    @Test
    void shouldTakeWhatIsNamed() {
        assertThat(choose("ib0")).containsExactly(address("10.9.0.3"));
        assertThat(choose("docker0, ib0")).containsExactly(address("172.17.0.1"), address("10.9.0.3"));
        assertThat(choose("10.1.0.0/16,fd00:1::/32")).containsExactly(address("10.1.2.3"), address("fd00:1::5"));
        assertThat(choose("^eth0")).containsExactly(address("10.9.0.3"));
        assertThat(choose("^10.0.0.0/8")).containsExactly(address("fd00:1::5"));
    }

    @Test
    void shouldSayWhatThereIsWhereANameIsWrong() {
        assertThatThrownBy(() -> choose("eth7"))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("tcp.interfaces names \"eth7\"")
                .hasMessageContaining("eth0 10.1.2.3/16, ib0 10.9.0.3/24");
        assertThatThrownBy(() -> choose("192.168.0.0/16")).hasMessageContaining("192.168.0.0/16");
        assertThatThrownBy(() -> choose("^lo,eth0,ib0")).hasMessageContaining("leaves no address to listen on");
    }

    @Test
    void shouldTryTheNearestFirst() {
        final InetSocketAddress far = new InetSocketAddress(address("192.168.7.1"), 1);
        final InetSocketAddress near = new InetSocketAddress(address("10.9.0.77"), 2);
        final InetSocketAddress nearToo = new InetSocketAddress(address("fd00:1::77"), 3);

        assertThat(Interfaces.nearestFirst(List.of(far, near, nearToo), MACHINE))
                .containsExactly(near, nearToo, far);
    }
}
