package org.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.parley.transport.Transport;
import org.parley.transport.TransportException;
import org.parley.transport.tck.TransportContract;

class TcpTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new TcpTransport();
    }

    @Test
    void shouldGiveEachRankAPortAndSayWhereTheyEnd() {
        assertThat(TcpTransport.port(0, 7)).isZero();
        assertThat(TcpTransport.port(65_000, 535)).isEqualTo(65_535);
        assertThatThrownBy(() -> TcpTransport.port(65_535, 1))
                .isInstanceOf(TransportException.class)
                .hasMessage("tcp.port=65535: rank 1 would listen on port 65536, and 65535 is the last");
    }
}
