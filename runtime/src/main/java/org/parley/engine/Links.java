package org.parley.engine;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.parley.JobException;
import org.parley.config.Options;
import org.parley.transport.Availability;
import org.parley.transport.FrameHandler;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;
import org.parley.transport.TransportException;
import org.parley.wireup.Place;

/**
 * Which transports this rank has, and over which each peer is reached: the first, in the order of
 * {@link #PREFERENCE}, that is permitted, that both have, and that really reaches the peer. Both
 * sides come to the same answer.
 */
final class Links implements AutoCloseable {
    /** Best first; others come last. */
    static final List<String> PREFERENCE = List.of("self", "shm", "rc", "ud", "tcp");

    private final Place place;
    private final List<Transport> open = new ArrayList<>();
    private final List<String> reasons = new ArrayList<>();
    private final byte[][] addresses;

    Links(final Place place, final Options options, final FrameHandler handler) {
        this.place = place;
        try {
            for (final Transport transport : permitted(options)) {
                final TransportContext context = new TransportContext(
                        place.job(), place.rank(), place.size(), place.localSize(), place.folder(), options);
                final Availability availability = transport.probe(context);
                if (availability.available()) {
                    transport.open(context, handler);
                    open.add(transport);
                } else {
                    reasons.add(transport.name() + ": " + availability.reason());
                }
            }
            addresses = place.exchange(encode());
        } catch (final TransportException e) {
            close();
            throw new JobException(e.getMessage(), e);
        } catch (final RuntimeException e) {
            close();
            throw e;
        }
    }

    private static List<Transport> permitted(final Options options) {
        final TransportList list = TransportList.parse(options.text(Options.TRANSPORTS));
        final List<Transport> found = new ArrayList<>();
        for (final ServiceLoader.Provider<Transport> provider :
                ServiceLoader.load(Transport.class, Transport.class.getClassLoader()).stream()
                        .toList()) {
            found.add(provider.get());
        }
        list.check(found.stream().map(Transport::name).toList());
        found.removeIf(transport -> !list.permits(transport.name()));
        found.sort(Comparator.comparingInt(transport -> preference(transport.name())));
        return found;
    }

    private static int preference(final String name) {
        final int place = PREFERENCE.indexOf(name);
        return place < 0 ? PREFERENCE.size() : place;
    }

    Transport[] transports() {
        return open.toArray(new Transport[0]);
    }

    String host(final int rank) {
        return place.host(rank);
    }

    void connect(final Session session) {
        final Map<String, byte[]> theirs = decode(addresses[session.rank()]);
        final List<String> tried = new ArrayList<>(reasons);
        for (final Transport transport : open) {
            final byte[] address = theirs.get(transport.name());
            if (address == null) {
                tried.add(transport.name() + ": the peer does not have it");
                continue;
            }
            final Availability reach = transport.reaches(address);
            if (!reach.available()) {
                tried.add(transport.name() + ": " + reach.reason());
                continue;
            }
            try {
                session.endpoint = transport.connect(session.peer(), address);
            } catch (final TransportException e) {
                throw new JobException(e.getMessage(), e);
            }
            session.capabilities = transport.capabilities();
            session.transport = transport.name();
            return;
        }
        throw new JobException("rank "
                + place.rank()
                + " cannot reach rank "
                + session.rank()
                + " on "
                + host(session.rank())
                + ": no permitted transport leads there ("
                + String.join("; ", tried)
                + ")");
    }

    private byte[] encode() {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(open.size());
            for (final Transport transport : open) {
                final byte[] address = transport.address();
                out.writeUTF(transport.name());
                out.writeShort(address.length);
                out.write(address);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static Map<String, byte[]> decode(final byte[] encoded) {
        final Map<String, byte[]> result = new HashMap<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
            for (int left = in.readUnsignedByte(); left > 0; left--) {
                final String name = in.readUTF();
                result.put(name, in.readNBytes(in.readUnsignedShort()));
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return result;
    }

    @Override
    public void close() {
        for (final Transport transport : open) {
            transport.close();
        }
        open.clear();
    }
}
