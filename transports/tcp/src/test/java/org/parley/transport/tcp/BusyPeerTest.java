package org.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.transport.Endpoint;
import org.parley.transport.RankAddress;
import org.parley.transport.tck.TestJob;

/** A rank that listens, but hangs up for want of time, is called again. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class BusyPeerTest {
    /** Of the one peer that the caller's handler knows. */
    private static final int INDEX = 100;

    private static final int REFUSALS = 2;

    private final AtomicInteger calls = new AtomicInteger();

    @Test
    void shouldCallAgainWhoHangsUp() throws IOException {
        try (TestJob job = new TestJob(2, TcpTransport::new, Map.of());
                ServerSocket between = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            final RankAddress real =
                    RankAddress.decode("tcp", ByteBuffer.wrap(job.rank(0).address()), 0);
            final Thread relay = new Thread(() -> relay(between, real.sockets().get(0)), "relay");
            relay.setDaemon(true);
            relay.start();
            final InetSocketAddress shown = new InetSocketAddress(between.getInetAddress(), between.getLocalPort());
            final Endpoint endpoint = job.rank(1)
                    .transport()
                    .connect(INDEX, new RankAddress(real.job(), real.rank(), List.of(shown)).encode());
            final long frame = endpoint.claim(1);
            assertThat(frame).isPositive();
            UnsafeApi.putByte(frame, (byte) 7);
            endpoint.commit();

            assertThat(job.take(0, 1)).containsExactly(7);
            assertThat(calls).hasValue(REFUSALS + 1);
        }
    }

    private void relay(final ServerSocket between, final InetSocketAddress real) {
        try {
            while (calls.incrementAndGet() <= REFUSALS) {
                between.accept().close();
            }
            try (Socket caller = between.accept();
                    Socket called = new Socket(real.getAddress(), real.getPort())) {
                final Thread back = new Thread(() -> pump(called, caller), "relay-back");
                back.setDaemon(true);
                back.start();
                pump(caller, called);
            }
        } catch (final IOException e) {
            // The test is over.
            return;
        }
    }

    private static void pump(final Socket from, final Socket to) {
        try {
            final InputStream in = from.getInputStream();
            final OutputStream out = to.getOutputStream();
            in.transferTo(out);
        } catch (final IOException e) {
            // One of the two has closed.
            return;
        }
    }
}
