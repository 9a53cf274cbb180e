package org.parley.transport.shm;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.agrona.UnsafeApi;
import org.parley.transport.Endpoint;
import org.parley.transport.FrameHandler;
import org.parley.transport.JobSecret;
import org.parley.transport.SharedRegion;
import org.parley.transport.TransportContext;
import org.parley.transport.TransportException;
import org.parley.transport.tck.Pattern;
import org.parley.transport.tck.StandardOptions;
import org.parley.transport.tck.TestJob;

/** What tests run in other JVMs. */
final class ShmPrograms {
    private static final int LARGE = 16 << 20;
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(150);

    private ShmPrograms() {}

    public static void main(final String[] args) throws Exception {
        final Path folder = Path.of(args[1]);
        switch (args[0]) {
            case "modes" -> modes(folder);
            case "full" -> full(folder);
            case "all pairs" -> allPairs(folder, Integer.parseInt(args[2]));
            case "peer" -> new Peer(folder, Integer.parseInt(args[2]), Boolean.parseBoolean(args[3])).run();
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static void expect(final boolean condition, final String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    /** All files of a job are for its user alone. */
    private static void modes(final Path folder) throws IOException {
        try (TestJob job = new TestJob(2, ShmTransport::new, Map.of(), Files.createDirectory(folder))) {
            job.rank(0).to(1);
            final List<Path> files;
            try (Stream<Path> all = Files.list(folder)) {
                files = all.sorted().toList();
            }
            expect(files.size() == 3, "files: " + files);
            for (final Path file : files) {
                final String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
                expect(mode.equals("rw-------"), file + " has mode " + mode);
            }
        }
    }

    /** No room for one more ring, nor for a mailbox: an error with a text, never a signal. */
    private static void full(final Path root) throws IOException {
        final Path folder = Files.createDirectory(root.resolve("job"));
        final TestJob job = new TestJob(3, ShmTransport::new, Map.of(), folder);
        job.send(0, 1, Pattern.bytes(1, 100));
        fill(root.resolve("ballast"));
        refused(() -> job.rank(1).to(0), "ring-1-0");
        refused(() -> job.rank(2).to(0), "ring-2-0");
        expect(!Files.exists(folder.resolve("ring-1-0")), "a part of a ring was left");
        refused(
                () -> new TestJob(1, ShmTransport::new, Map.of(), Files.createDirectory(root.resolve("other"))),
                "box-0");
        // What was there works on, and what had no room works once there is some.
        expect(Arrays.equals(job.take(1, 0), Pattern.bytes(1, 100)), "first frame");
        Files.delete(root.resolve("ballast"));
        job.send(1, 0, Pattern.bytes(2, 5000));
        expect(Arrays.equals(job.take(0, 1), Pattern.bytes(2, 5000)), "frame after room was made");
    }

    private interface Attempt {
        void run() throws IOException;
    }

    private static void refused(final Attempt attempt, final String file) throws IOException {
        try {
            attempt.run();
        } catch (final TransportException e) {
            for (final String part : new String[] {
                "shm: cannot reserve", "bytes in", file, "No space left", "0 of 1048576 bytes free", "--shm-size"
            }) {
                expect(e.getMessage().contains(part), part + " is missing in: " + e.getMessage());
            }
            return;
        }
        throw new AssertionError(file + " was made where there is no room");
    }

    private static void fill(final Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            for (; ; ) {
                out.write(new byte[4096]);
            }
        } catch (final IOException e) {
            expect(e.getMessage().contains("No space left"), e.toString());
        }
    }

    /** Everybody talks with everybody, and long frames too. */
    private static void allPairs(final Path root, final int ranks) throws IOException {
        final Path folder = Files.createDirectory(root.resolve("job"));
        final TestJob job = new TestJob(ranks, ShmTransport::new, Map.of(), folder);
        final int largest = job.rank(0).transport().capabilities().maxFrame();
        // No polling in between: all rings exist at once.
        for (int from = 0; from < ranks; from++) {
            for (int to = 0; to < ranks; to++) {
                if (from != to) {
                    expect(job.rank(from).send(to, Pattern.bytes(from, largest)), "room");
                }
            }
        }
        for (int from = 0; from < ranks; from++) {
            for (int to = 0; to < ranks; to++) {
                if (from != to) {
                    expect(Arrays.equals(job.take(to, from), Pattern.bytes(from, largest)), from + " to " + to);
                }
            }
        }
    }

    /** One of two ranks, each in a process. */
    private static final class Peer implements FrameHandler {
        private static final String NOT_ENDED = "not ended";

        private final Path folder;
        private final Path job;
        private final int rank;
        private final boolean sameIds;
        private final ShmTransport transport = new ShmTransport();
        private byte[] frame;
        private String failure;

        /** With process ids of their own, as in two containers, the kernel copies nothing between them. */
        Peer(final Path folder, final int rank, final boolean sameIds) {
            this.folder = folder;
            this.job = folder.resolve("job");
            this.rank = rank;
            this.sameIds = sameIds;
        }

        void run() throws Exception {
            transport.open(
                    new TransportContext(
                            "two", rank, 2, 2, job, JobSecret.create(), new StandardOptions(transport, Map.of())),
                    this);
            final byte[] other = exchange(transport.address());
            expect(
                    transport.reaches(other).available(),
                    transport.reaches(other).reason());
            final Endpoint endpoint = transport.connect(5, other);
            final SharedRegion region = SharedRegion.create(job, LARGE);
            final long ownMemory = UnsafeApi.allocateMemory(LARGE);
            for (int round = 0; round < 16; round++) {
                // Private or shared, at either end: four pairs.
                final boolean shared = (round >> rank & 1) == 0;
                final long memory = shared ? region.address() : ownMemory;
                final int number = shared ? region.number() : 0;
                if (rank == 0) {
                    offer(endpoint, memory, number, round);
                } else {
                    fetch(endpoint, memory, number, round);
                }
            }
            if (sameIds) {
                failToFetch(endpoint, ownMemory);
            }
            region.giveUp();
            transport.close();
        }

        private void offer(final Endpoint endpoint, final long memory, final int region, final int round) {
            Pattern.fill(round, memory, LARGE);
            final long key = endpoint.expose(memory, LARGE, region);
            expect(key != 0, "no key");
            send(endpoint, key(memory, key));
            take();
            endpoint.conceal(key);
        }

        private void fetch(final Endpoint endpoint, final long memory, final int region, final int round) {
            UnsafeApi.setMemory(memory, LARGE, (byte) 0);
            final long result = get(endpoint, take(), memory, region, round);
            final boolean sharedSource = (round & 1) == 0;
            if (sameIds || sharedSource) {
                expect(result == 0, "get returned " + result);
                until(() -> !NOT_ENDED.equals(failure));
                expect(failure == null, failure);
                final long wrong = Pattern.mismatch(round, memory, LARGE);
                expect(wrong < 0, "byte " + wrong + " of round " + round + " is wrong");
            } else {
                expect(result == Endpoint.UNREACHABLE, "get returned " + result);
            }
            send(endpoint, new byte[1]);
        }

        private long get(
                final Endpoint endpoint, final byte[] key, final long memory, final int region, final int token) {
            final ByteBuffer fields = ByteBuffer.wrap(key);
            failure = NOT_ENDED;
            return endpoint.get(fields.getLong(), fields.getLong(), memory, region, LARGE, token);
        }

        private static byte[] key(final long memory, final long key) {
            return ByteBuffer.allocate(16).putLong(memory).putLong(key).array();
        }

        /** Memory that is not there: page 1 never is. */
        private void failToFetch(final Endpoint endpoint, final long memory) {
            if (rank == 0) {
                final long key = endpoint.expose(4096, LARGE, 0);
                send(endpoint, key(4096, key));
                take();
                endpoint.conceal(key);
                return;
            }
            expect(get(endpoint, take(), memory, 0, 99) == 0, "get was refused at once");
            until(() -> !NOT_ENDED.equals(failure));
            expect(
                    failure != null
                            && failure.contains("the kernel refused to copy memory of rank 0")
                            && failure.contains("process_vm_readv failed"),
                    "failure is " + failure);
            send(endpoint, new byte[1]);
        }

        private static void send(final Endpoint endpoint, final byte[] bytes) {
            final long at = endpoint.claim(bytes.length);
            UnsafeApi.copyMemory(bytes, UnsafeApi.arrayBaseOffset(byte[].class), null, at, bytes.length);
            endpoint.commit();
        }

        private byte[] take() {
            until(() -> frame != null);
            final byte[] taken = frame;
            frame = null;
            return taken;
        }

        private void until(final BooleanSupplier condition) {
            TestJob.await("the peer", condition, () -> transport.poll(10));
        }

        /** By files, written aside and renamed. */
        private byte[] exchange(final byte[] mine) throws IOException {
            final Path part = folder.resolve("part-" + rank);
            Files.write(part, mine);
            Files.move(part, folder.resolve("address-" + rank), StandardCopyOption.ATOMIC_MOVE);
            final Path other = folder.resolve("address-" + (1 - rank));
            final long start = System.nanoTime();
            while (!Files.exists(other)) {
                expect(System.nanoTime() - start < PATIENCE, "the other process does not come");
                Thread.onSpinWait();
            }
            return Files.readAllBytes(other);
        }

        @Override
        public int onPeer(final int peer) {
            return 5;
        }

        @Override
        public void onFrame(final int peer, final long address, final int length) {
            expect(peer == 5 && frame == null, "frame of " + peer);
            frame = new byte[length];
            UnsafeApi.copyMemory(null, address, frame, UnsafeApi.arrayBaseOffset(byte[].class), length);
        }

        @Override
        public void onTransferred(final long token, final String cause) {
            failure = cause;
        }

        @Override
        public void onLinkDown(final int peer, final String cause) {
            throw new AssertionError(cause);
        }
    }
}
