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
import java.util.Set;
import org.parley.JobException;
import org.parley.PeerFailedException;
import org.parley.config.Options;
import org.parley.transport.Availability;
import org.parley.transport.FrameHandler;
import org.parley.transport.PeerGoneException;
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

    /** The same in a job so wide that a connection per peer costs too much. */
    private static final List<String> WIDE = List.of("self", "shm", "ud", "rc", "tcp");

    /** These lead over the same ports: whoever has one of them needs no other. */
    private static final Set<String> ONE_OF = Set.of("rc", "ud");

    /** Why a transport is not used. */
    private record Refusal(String transport, String why) {
        static String text(final List<Refusal> refusals) {
            return String.join(
                    "; ",
                    refusals.stream()
                            .map(refusal -> refusal.transport + ": " + refusal.why)
                            .toList());
        }
    }

    private final Place place;

    /** Best first. */
    private final List<String> order;

    private final List<Transport> open = new ArrayList<>();
    private final List<Refusal> refusals = new ArrayList<>();
    private final byte[][] addresses;
    private final Counts counts;

    Links(final Place place, final Options options, final FrameHandler handler, final Counts counts) {
        this.place = place;
        this.counts = counts;
        order = place.size() > options.number(Options.UD_RANKS) ? WIDE : PREFERENCE;
        try {
            for (final Transport transport : permitted(options)) {
                if (isEnough()) {
                    refusals.add(
                            new Refusal(transport.name(), "not needed, all ranks are on one machine and have shm"));
                    continue;
                }
                final String instead = instead(transport.name());
                if (!instead.isEmpty()) {
                    refusals.add(new Refusal(transport.name(), "not needed, there is " + instead));
                    continue;
                }
                final TransportContext context = new TransportContext(
                        place.job(),
                        place.rank(),
                        place.size(),
                        place.localSize(),
                        place.folder(),
                        place.secret(),
                        options);
                final Availability availability = transport.probe(context);
                if (availability.available()) {
                    transport.open(context, handler);
                    open.add(transport);
                } else if (refusals.stream().noneMatch(other -> other.why().equals(availability.reason()))) {
                    refusals.add(new Refusal(transport.name(), availability.reason()));
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

    /** Opening sockets, and what Netty takes to start, is spared where no peer can be away. */
    private boolean isEnough() {
        return place.size() == place.localSize()
                && open.stream().anyMatch(transport -> transport.name().equals("shm"));
    }

    private List<Transport> permitted(final Options options) {
        final TransportList list = TransportList.parse(options.text(Options.TRANSPORTS));
        final List<Transport> found = new ArrayList<>();
        for (final Transport transport : ServiceLoader.load(Transport.class, Transport.class.getClassLoader())) {
            found.add(transport);
        }
        list.check(found.stream().map(Transport::name).toList());
        found.removeIf(transport -> !list.permits(transport.name()));
        found.sort(Comparator.comparingInt(transport -> preference(order, transport.name())));
        return found;
    }

    /** Returns the open transport that makes another one superfluous, or nothing. */
    private String instead(final String name) {
        return open.stream()
                .map(Transport::name)
                .filter(other -> ONE_OF.contains(name) && ONE_OF.contains(other))
                .findFirst()
                .orElse("");
    }

    /** Returns a transport's place in {@link #PREFERENCE}, or behind all. */
    static int preference(final String name) {
        return preference(PREFERENCE, name);
    }

    private static int preference(final List<String> order, final String name) {
        final int place = order.indexOf(name);
        return place < 0 ? order.size() : place;
    }

    Transport[] transports() {
        return open.toArray(new Transport[0]);
    }

    String host(final int rank) {
        return place.host(rank);
    }

    void connect(final Session session) {
        final List<Refusal> tried = new ArrayList<>(refusals);
        final Transport transport = choose(session.rank(), tried);
        if (transport == null) {
            throw new JobException("rank "
                    + place.rank()
                    + " cannot reach rank "
                    + session.rank()
                    + " on "
                    + host(session.rank())
                    + ": no permitted transport leads there ("
                    + Refusal.text(tried)
                    + ")");
        }
        try {
            session.endpoint = transport.connect(
                    session.peer(), decode(addresses[session.rank()]).get(transport.name()));
        } catch (final PeerGoneException e) {
            throw new PeerFailedException(
                    session.rank(), "rank " + session.rank() + " (" + host(session.rank()) + ") has left the job");
        } catch (final TransportException e) {
            throw new JobException(e.getMessage(), e);
        }
        counts.linkFallbacks +=
                isBest(transport) || better(session.rank(), transport, tried).isEmpty() ? 0 : 1;
        session.capabilities = transport.capabilities();
        session.transport = transport.name();
    }

    /** Returns where a rank's transport is, or null: it has none of that name. */
    byte[] address(final int rank, final String transport) {
        return decode(addresses[rank]).get(transport);
    }

    /** Ends what leads to a rank that is gone: nothing more of it may reach memory of this one. */
    void drop(final Session session) {
        open.forEach(transport -> transport.drop(session.peer()));
    }

    /** Whether frames of a rank that has left may still be on their way. */
    boolean mayDeliver(final Session session) {
        return open.stream().anyMatch(transport -> transport.mayDeliver(session.peer()));
    }

    /** Returns the transport that leads to a rank, or null; adds to the list why not another one. */
    private Transport choose(final int rank, final List<Refusal> tried) {
        final Map<String, byte[]> theirs = decode(addresses[rank]);
        for (final Transport transport : open) {
            final byte[] address = theirs.get(transport.name());
            if (address == null) {
                tried.add(new Refusal(transport.name(), "the peer does not have it"));
                continue;
            }
            final Availability reach = transport.reaches(address);
            if (reach.available()) {
                return transport;
            }
            tried.add(new Refusal(transport.name(), reach.reason()));
        }
        return null;
    }

    /**
     * Returns the name of the transport that leads to each rank, {@code none} where none does; behind it why not a
     * better one, unless it is plain that a rank of another host has no memory in common with this one.
     */
    List<String> map() {
        final List<String> result = new ArrayList<>();
        for (int rank = 0; rank < addresses.length; rank++) {
            final List<Refusal> tried = new ArrayList<>(refusals);
            final Transport transport = choose(rank, tried);
            final List<Refusal> better = better(rank, transport, tried);
            final String why = isBest(transport) || better.isEmpty() ? "" : " (" + Refusal.text(better) + ")";
            result.add((transport == null ? "none" : transport.name()) + why);
        }
        return result;
    }

    private static boolean isBest(final Transport transport) {
        return transport != null && preference(transport.name()) <= preference("shm");
    }

    /** Returns which transports would lead to a rank better, and why they do not. */
    private List<Refusal> better(final int rank, final Transport transport, final List<Refusal> tried) {
        final boolean isElsewhere = !host(rank).equals(host(place.rank()));
        return tried.stream()
                .filter(refusal -> !refusal.transport().equals("self")
                        && !(isElsewhere && refusal.transport().equals("shm"))
                        && (transport == null
                                || preference(order, refusal.transport()) <= preference(order, transport.name())))
                .toList();
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
