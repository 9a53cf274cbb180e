package org.parley.transport.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.parley.transport.Availability;
import org.parley.transport.Capabilities;
import org.parley.transport.Endpoint;
import org.parley.transport.FrameHandler;
import org.parley.transport.Option;
import org.parley.transport.PeerGoneException;
import org.parley.transport.RecordRing;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;
import org.parley.transport.TransportException;

/**
 * Shared memory between the ranks of one machine. Frames go through a ring per ordered pair, made
 * when the first frame wants to go; long messages in native memory are copied once, from process
 * to process, by both sides together where the kernel allows it.
 */
public final class ShmTransport implements Transport {
    private static final String RING_SIZE = "shm.ring.size";
    private static final String SINGLE_COPY = "shm.single.copy";
    private static final String EAGER_LIMIT = "shm.eager.limit";
    private static final String REGION_THRESHOLD = "shm.region.threshold";
    private static final String FRAGMENT = "shm.fragment";
    private static final String CHUNK = "shm.chunk";
    private static final int SMALLEST_RING = 64 * 1024;
    private static final int ADDRESS_FIELDS = Long.BYTES + Integer.BYTES;

    private TransportContext context;
    private FrameHandler handler;
    private Mailbox mailbox;
    private ProofWord proof;
    private ProofWord scratch;
    private Capabilities capabilities;
    private byte[] address;
    private int ringSize;
    private long chunk;

    private Inbound[] inbound = new Inbound[0];
    private final List<ShmEndpoint> endpoints = new ArrayList<>();
    private final List<ShmEndpoint> exposing = new ArrayList<>();
    private final List<Transfer> transfers = new ArrayList<>();
    private final Long2ObjectHashMap<PeerMemory> memories = new Long2ObjectHashMap<>();

    /** Loaded with the first long message; stays null where the kernel or libc has no such call. */
    private CrossMemory memory;

    private boolean memoryTried;

    /** For the service loader. */
    public ShmTransport() {}

    @Override
    public String name() {
        return "shm";
    }

    @Override
    public List<Option> options() {
        return List.of(
                new Option(
                        RING_SIZE,
                        Option.Kind.SIZE,
                        "1m",
                        "The largest ring per ordered pair of ranks; smaller ones are taken by"
                                + " themselves where space is short."),
                new Option(
                        EAGER_LIMIT,
                        Option.Kind.SIZE,
                        "16k",
                        "Messages up to this size are copied through the ring at once; longer ones"
                                + " are fetched by the receiver."),
                new Option(
                        REGION_THRESHOLD,
                        Option.Kind.SIZE,
                        "4097",
                        "Messages in memory from Parley.allocate are fetched by the receiver from this size on."),
                new Option(
                                FRAGMENT,
                                Option.Kind.SIZE,
                                "16k",
                                "Bytes per frame when a long message of a Java array is streamed through the ring.")
                        .within("64", ""),
                new Option(
                                CHUNK,
                                Option.Kind.SIZE,
                                "128k",
                                "Bytes that sender and receiver take in turn when both copy a long message.")
                        .within("4k", ""),
                new Option(
                        SINGLE_COPY,
                        Option.Kind.FLAG,
                        "true",
                        "Copy long messages of native memory once, from process to process; false"
                                + " streams all long messages through the ring."));
    }

    @Override
    public Availability probe(final TransportContext where) {
        return Files.isDirectory(where.folder()) && Files.isWritable(where.folder())
                ? Availability.YES
                : Availability.no(where.folder() + " is no folder that this user can write to");
    }

    @Override
    public void open(final TransportContext where, final FrameHandler frames) {
        context = where;
        handler = frames;
        ringSize = ringSize(where);
        chunk = Math.max(4096, where.options().number(CHUNK));
        final long nonce = new SecureRandom().nextLong();
        proof = new ProofWord(nonce);
        scratch = new ProofWord(0);
        try {
            mailbox = Mailbox.create(where.folder(), where.rank(), where.size(), nonce);
        } catch (final TransportException e) {
            close();
            throw e;
        }
        final byte[] folder = folderBytes(where.folder());
        address = ByteBuffer.allocate(ADDRESS_FIELDS + folder.length)
                .putLong(nonce)
                .putInt(where.rank())
                .put(folder)
                .array();
        final int maxFrame = RecordRing.maxFrame(ringSize);
        final int eager = (int) Math.min(where.options().number(EAGER_LIMIT), maxFrame - 128);
        final int fragment = (int) Math.max(64, Math.min(where.options().number(FRAGMENT), maxFrame - 128));
        capabilities = new Capabilities(
                maxFrame,
                eager,
                where.options().flag(SINGLE_COPY),
                eager + 1,
                (int) Math.min(where.options().number(REGION_THRESHOLD), eager + 1),
                fragment,
                0);
    }

    /** Design rule: a quarter of the free space, shared by the ordered pairs, within limits. */
    private static int ringSize(final TransportContext where) {
        final long pairs = Math.max(1, (long) where.localSize() * (where.localSize() - 1));
        long free;
        try {
            free = Files.getFileStore(where.folder()).getUsableSpace();
        } catch (final IOException e) {
            free = 0;
        }
        final long largest = Math.max(SMALLEST_RING, where.options().number(RING_SIZE));
        final long size = Math.max(SMALLEST_RING, Math.min(largest, free / 4 / pairs));
        return (int) Math.min(1L << 30, Long.highestOneBit(size));
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public byte[] address() {
        return address.clone();
    }

    @Override
    public Availability reaches(final byte[] peerAddress) {
        try {
            openMailbox(peerAddress).close();
            return Availability.YES;
        } catch (final PeerGoneException e) {
            // It was within reach: no other transport leads to it either.
            return Availability.YES;
        } catch (final TransportException e) {
            return Availability.no(e.reason());
        }
    }

    private Mailbox openMailbox(final byte[] peerAddress) {
        final byte[] folder = folderBytes(context.folder());
        if (peerAddress.length < ADDRESS_FIELDS
                || !Arrays.equals(peerAddress, ADDRESS_FIELDS, peerAddress.length, folder, 0, folder.length)) {
            throw new TransportException(
                    "shm",
                    "the peer's files are not in this rank's folder, " + context.folder()
                            + ": it belongs to another job or another machine");
        }
        final ByteBuffer fields = ByteBuffer.wrap(peerAddress);
        final long nonce = fields.getLong();
        final int rank = fields.getInt();
        if (rank < 0 || rank >= context.size()) {
            throw new TransportException("shm", "rank " + rank + " is none of this job's " + context.size());
        }
        return Mailbox.open(context.folder(), rank, context.size(), nonce);
    }

    private static byte[] folderBytes(final Path folder) {
        return folder.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Endpoint connect(final int peer, final byte[] peerAddress) {
        try (Mailbox box = openMailbox(peerAddress)) {
            final int rank = ByteBuffer.wrap(peerAddress).getInt(Long.BYTES);
            final Segment segment =
                    Segment.create(context.folder(), context.rank(), rank, ringSize, proof.address(), proof.value());
            box.announce(context.rank());
            final ShmEndpoint endpoint = new ShmEndpoint(this, rank, segment, memoryOf(box.process(), box.pid()));
            endpoints.add(endpoint);
            return endpoint;
        }
    }

    @Override
    public int poll(final int limit) {
        if (mailbox.hasMail()) {
            mailbox.take(this::accept);
        }
        int work = 0;
        for (final Inbound link : inbound) {
            work += link.drain(handler, limit);
        }
        if (!exposing.isEmpty()) {
            for (int i = 0; i < exposing.size(); i++) {
                work += exposing.get(i).help(memory);
            }
        }
        if (!transfers.isEmpty()) {
            work += moveTransfers();
        }
        return work;
    }

    @Override
    public void drop(final int peer) {
        for (final Inbound link : inbound) {
            if (link.peer() == peer) {
                link.drop();
            }
        }
        // Whoever waited for them has been told that they failed, and may free the memory.
        for (int i = transfers.size() - 1; i >= 0; i--) {
            final Transfer transfer = transfers.get(i);
            if (transfer.source().peer() == peer) {
                transfer.abandon();
                transfers.remove(i);
            }
        }
    }

    private int moveTransfers() {
        int work = 0;
        for (int i = 0; i < transfers.size(); ) {
            final Transfer transfer = transfers.get(i);
            if (transfer.step(memory)) {
                transfers.remove(i);
                work++;
                handler.onTransferred(transfer.token(), transfer.failure());
            } else {
                i++;
            }
        }
        return work;
    }

    private void accept(final int rank) {
        final Segment segment = Segment.accept(context.folder(), rank, context.rank());
        final Inbound[] more = Arrays.copyOf(inbound, inbound.length + 1);
        more[inbound.length] = new Inbound(handler.onPeer(rank), rank, segment);
        inbound = more;
    }

    /** Whether long messages can be copied from process to process, as far as this side can tell. */
    boolean canCopyAcross() {
        if (!memoryTried) {
            memoryTried = true;
            if (capabilities.get()) {
                try {
                    memory = new CrossMemory();
                } catch (final UnsatisfiedLinkError e) {
                    memory = null;
                }
            }
        }
        return memory != null;
    }

    void watch(final ShmEndpoint endpoint) {
        exposing.add(endpoint);
    }

    void unwatch(final ShmEndpoint endpoint) {
        exposing.remove(endpoint);
    }

    long get(
            final int rank,
            final long remoteAddress,
            final long key,
            final long localAddress,
            final int localRegion,
            final long length,
            final long token) {
        final Inbound source = source(rank);
        if (source == null) {
            return Endpoint.UNREACHABLE;
        }
        final PeerMemory peer =
                memoryOf(source.segment().senderProcess(), source.segment().senderPid());
        final long mapped = peer.mapped(ShmEndpoint.regionOf(key), remoteAddress, length);
        if (mapped == 0 && !(canCopyAcross() && source.isReadable(memory, scratch))) {
            return Endpoint.UNREACHABLE;
        }
        final long slot = source.segment().slot(ShmEndpoint.slotOf(key));
        final boolean proven = memory != null && source.isReadable(memory, scratch);
        TransferSlot.begin(slot, proven, localAddress, localRegion, length, chunk(length, mapped != 0));
        source.segment().noteActivity();
        final Transfer transfer = new Transfer(source, peer, mapped, slot, remoteAddress, localAddress, token);
        if (transfers.isEmpty() && transfer.step(memory)) {
            handler.onTransferred(token, transfer.failure());
        } else {
            transfers.add(transfer);
        }
        return 0;
    }

    /** At least two chunks, so that both sides have work; small ones where a chunk costs no call. */
    private long chunk(final long length, final boolean mapped) {
        final long half = length / 2 + 4095 & -4096L;
        return Math.max(4096, Math.min(mapped ? chunk / 4 : chunk, half));
    }

    private PeerMemory memoryOf(final long process, final int pid) {
        PeerMemory peer = memories.get(process);
        if (peer == null) {
            peer = new PeerMemory(context.folder(), process, pid);
            memories.put(process, peer);
        }
        return peer;
    }

    private Inbound source(final int rank) {
        for (final Inbound link : inbound) {
            if (link.rank() == rank) {
                return link;
            }
        }
        return null;
    }

    @Override
    public void close() {
        for (final Inbound link : inbound) {
            link.close();
        }
        inbound = new Inbound[0];
        endpoints.forEach(ShmEndpoint::close);
        endpoints.clear();
        transfers.clear();
        exposing.clear();
        memories.values().forEach(PeerMemory::close);
        memories.clear();
        if (mailbox != null) {
            mailbox.unlink();
            mailbox.close();
            mailbox = null;
        }
        if (memory != null) {
            memory.close();
            memory = null;
        }
        if (proof != null) {
            proof.close();
            scratch.close();
            proof = null;
        }
    }
}
