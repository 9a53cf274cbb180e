package programs;

import java.io.IOException;
import org.parley.transport.Availability;
import org.parley.transport.Capabilities;
import org.parley.transport.Endpoint;
import org.parley.transport.FrameHandler;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;
import org.parley.transport.shm.ShmTransport;

/** Shared memory whose process is killed between the claim and the commit of the next frame, once {@link #dies} is set. */
public final class DyingShm implements Transport {
    static volatile boolean dies;

    private final Transport inner = new ShmTransport();

    @Override
    public String name() {
        return "dying-shm";
    }

    @Override
    public Availability probe(TransportContext context) {
        return inner.probe(context);
    }

    @Override
    public void open(TransportContext context, FrameHandler handler) {
        inner.open(context, handler);
    }

    @Override
    public Capabilities capabilities() {
        return inner.capabilities();
    }

    @Override
    public byte[] address() {
        return inner.address();
    }

    @Override
    public Availability reaches(byte[] address) {
        return inner.reaches(address);
    }

    @Override
    public Endpoint connect(int peer, byte[] address) {
        return new DyingEndpoint(inner.connect(peer, address));
    }

    @Override
    public int poll(int limit) {
        return inner.poll(limit);
    }

    @Override
    public void drop(int peer) {
        inner.drop(peer);
    }

    @Override
    public boolean mayDeliver(int peer) {
        return inner.mayDeliver(peer);
    }

    @Override
    public void close() {
        inner.close();
    }

    private static final class DyingEndpoint extends Endpoint {
        private final Endpoint inner;

        DyingEndpoint(Endpoint inner) {
            this.inner = inner;
        }

        @Override
        public long claim(int length) {
            return inner.claim(length);
        }

        @Override
        public void commit() {
            if (dies) {
                kill();
            }
            inner.commit();
        }

        private static void kill() {
            try {
                String pid = String.valueOf(ProcessHandle.current().pid());
                new ProcessBuilder("kill", "-KILL", pid).start().waitFor();
                Thread.sleep(Long.MAX_VALUE);
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void abort() {
            inner.abort();
        }

        @Override
        public long expose(long address, long length, int region) {
            return inner.expose(address, length, region);
        }

        @Override
        public void conceal(long key) {
            inner.conceal(key);
        }

        @Override
        public long get(long from, long key, long to, int region, long length, long token) {
            return inner.get(from, key, to, region, length, token);
        }

        @Override
        public void close() {
            inner.close();
        }
    }
}
