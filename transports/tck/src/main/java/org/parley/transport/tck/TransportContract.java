package org.parley.transport.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.parley.transport.tck.Pattern.number;
import static org.parley.transport.tck.Pattern.numbered;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.transport.Availability;
import org.parley.transport.Capabilities;
import org.parley.transport.Endpoint;
import org.parley.transport.Transport;

/**
 * What the runtime relies on in every transport. A transport's module extends it with a class that
 * says how to make one:
 *
 * <pre>{@code
 * class ShmTransportTest extends TransportContract {
 *     @Override
 *     protected Transport newTransport() {
 *         return new ShmTransport();
 *     }
 * }
 * }</pre>
 */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
public abstract class TransportContract {
    /** Where a wire that never has enough is taken for one without back-pressure. */
    private static final long ENDLESS_BYTES = 1L << 30;

    private final List<TestJob> jobs = new ArrayList<>();

    /** For subclasses. */
    protected TransportContract() {}

    /** Makes a transport that is not open. */
    protected abstract Transport newTransport();

    /**
     * Returns how many ranks a test has: at least 3, or 1 for a transport that leads only from a
     * rank to itself.
     */
    protected int ranks() {
        return 4;
    }

    /** Returns options that are not to have their standard values. */
    protected Map<String, String> options() {
        return Map.of();
    }

    /** Whether exposed memory can really be fetched on this machine. */
    protected boolean fetches() {
        return true;
    }

    /** Whether what was sent arrives although the receiver does nothing: not where it may be lost, and sent again. */
    protected boolean reachesTheIdle() {
        return true;
    }

    @AfterEach
    void closeJobs() {
        jobs.forEach(TestJob::assertThatCountersAreDeclared);
        jobs.forEach(TestJob::close);
    }

    private TestJob newJob() {
        return newJob(ranks());
    }

    private TestJob newJob(final int size) {
        final TestJob job = new TestJob(size, this::newTransport, options());
        jobs.add(job);
        return job;
    }

    /** The last rank; where there is only one, it is the sender too. */
    private int last() {
        return ranks() - 1;
    }

    private void assumePeers() {
        assumeTrue(ranks() > 1, "this transport leads only from a rank to itself");
    }

    // --- frames ----------------------------------------------------------------------------------

    @Test
    void shouldSayWhatItCanDo() {
        final TestRank rank = newJob().rank(0);
        final Capabilities can = rank.transport().capabilities();

        assertThat(rank.transport().name()).matches("[a-z0-9-]+");
        assertThat(can.maxFrame()).isGreaterThanOrEqualTo(1024);
        // Room for the headers that the runtime puts before a payload.
        assertThat(can.eagerLimit()).isBetween(0, can.maxFrame() - 64);
        assertThat(can.fragment()).isBetween(1, can.maxFrame() - 64);
        assertThat(can).isEqualTo(rank.transport().capabilities());
        rank.transport().options().forEach(option -> assertThat(option.key()).matches("[a-z0-9]+(\\.[a-z0-9]+)*"));
    }

    @Test
    void shouldKeepTheOrderOfCommits() {
        Seeds.run(random -> {
            final TestJob job = newJob();
            final int count = 20_000;
            final TestRank receiver = job.rank(last());
            int taken = 0;
            for (int i = 0; i < count; i++) {
                job.send(0, last(), numbered(i, 4 + random.nextInt(200)));
                while (!receiver.from(0).isEmpty()) {
                    assertThat(number(receiver.from(0).remove())).isEqualTo(taken++);
                }
            }
            while (taken < count) {
                assertThat(number(job.take(last(), 0))).isEqualTo(taken++);
            }
            assertThat(receiver.poll()).isZero();
            assertThat(receiver.received()).isEqualTo(count);
        });
    }

    @Test
    void shouldDeliverEveryByteOfFramesOfAllSizes() {
        final TestJob job = newJob();
        final int largest = job.rank(0).transport().capabilities().maxFrame();
        final List<Integer> sizes = new ArrayList<>();
        for (int size = 1; size <= Math.min(largest, 300); size++) {
            sizes.add(size);
        }
        for (int power = 512; power <= largest; power *= 2) {
            sizes.addAll(List.of(power - 1, power, Math.min(power + 1, largest)));
        }
        sizes.addAll(List.of(largest - 1, largest, 1, largest));
        for (final int size : sizes) {
            final byte[] frame = Pattern.bytes(size, size);
            job.send(0, last(), frame);
            assertThat(job.take(last(), 0)).as("frame of %d bytes", size).isEqualTo(frame);
        }
    }

    @Test
    void shouldAlignClaims() {
        final TestJob job = newJob();
        final Endpoint endpoint = job.rank(0).to(last());
        for (int size = 1; size < 100; size++) {
            final long address = claim(endpoint, size);
            assertThat(address % 4).as("address of a claim of %d", size).isZero();
            endpoint.abort();
        }
    }

    private static long claim(final Endpoint endpoint, final int size) {
        final long[] claimed = new long[1];
        TestJob.await("a claim of " + size, () -> (claimed[0] = endpoint.claim(size)) > 0, Thread::yield);
        return claimed[0];
    }

    /** A transport may find no room now and then; one that is full finds none for as long as nobody polls. */
    private static boolean isFull(final Endpoint endpoint, final int length) {
        for (int i = 0; i < 100; i++) {
            final long claimed = endpoint.claim(length);
            if (claimed > 0) {
                endpoint.abort();
                return false;
            }
            assertThat(claimed).isEqualTo(Endpoint.BACK_PRESSURED);
        }
        return true;
    }

    @Test
    void shouldPushBackAndTakeMoreOnceThePeerHasPolled() {
        for (final int size : new int[] {1, 100, 5000}) {
            final TestJob job = newJob();
            final TestRank sender = job.rank(0);
            final Endpoint endpoint = sender.to(last());
            final int length =
                    Math.min(size + 3, job.rank(0).transport().capabilities().maxFrame());
            int sent = 0;
            int taken = 0;
            for (int round = 0; round < 3; round++) {
                while (!isFull(endpoint, length)) {
                    if (sender.send(last(), numbered(sent, length))) {
                        sent++;
                    }
                    assertThat((long) sent * length)
                            .as("bytes that a wire takes while nobody polls")
                            .isLessThan(ENDLESS_BYTES);
                }
                assertThat(sent).isGreaterThan(taken);
                for (; taken < sent; taken++) {
                    assertThat(number(job.take(last(), 0))).isEqualTo(taken);
                }
                // The wire has room again, and for the longest frame.
                job.await("room after back-pressure", () -> {
                    final long claimed =
                            endpoint.claim(sender.transport().capabilities().maxFrame());
                    if (claimed > 0) {
                        endpoint.abort();
                    }
                    return claimed > 0;
                });
            }
        }
    }

    @Test
    void shouldShowNothingOfAnAbortedClaim() {
        Seeds.run(random -> {
            final TestJob job = newJob();
            final TestRank sender = job.rank(0);
            final Endpoint endpoint = sender.to(last());
            final int largest = sender.transport().capabilities().maxFrame();
            for (int i = 0; i < 3000; i++) {
                final int unwanted = 1 + random.nextInt(random.nextInt(8) == 0 ? largest : 500);
                final long address = endpoint.claim(unwanted);
                if (address > 0) {
                    Pattern.fill(-1, address, unwanted);
                    endpoint.abort();
                }
                if (random.nextInt(4) == 0) {
                    sender.poll();
                    job.rank(last()).poll();
                }
                job.send(0, last(), numbered(i, 4 + random.nextInt(500)));
            }
            for (int i = 0; i < 3000; i++) {
                assertThat(number(job.take(last(), 0))).isEqualTo(i);
            }
            assertThat(job.rank(last()).received()).isEqualTo(3000);
        });
    }

    @Test
    void shouldHonourThePollLimit() {
        assumePeers();
        final TestJob job = newJob();
        final TestRank receiver = job.rank(last());
        final int frames = 50;
        for (int i = 0; i < frames; i++) {
            for (final TestRank sender : List.of(job.rank(0), job.rank(1))) {
                final byte[] frame = numbered(i, 20);
                TestJob.await("room", () -> sender.send(last(), frame), sender::poll);
            }
        }
        for (final int limit : new int[] {1, 1, 7, 64}) {
            TestJob.await(
                    "all of limit " + limit,
                    () -> {
                        final int before0 = receiver.from(0).size();
                        final int before1 = receiver.from(1).size();
                        job.rank(0).poll();
                        job.rank(1).poll();
                        receiver.poll(limit);
                        final int now0 = receiver.from(0).size() - before0;
                        final int now1 = receiver.from(1).size() - before1;
                        assertThat(now0).isLessThanOrEqualTo(limit);
                        assertThat(now1).isLessThanOrEqualTo(limit);
                        return now0 > 0 || now1 > 0 || receiver.received() == 2 * frames;
                    },
                    () -> {});
        }
        job.await("all frames", () -> receiver.received() == 2 * frames);
        for (int i = 0; i < frames; i++) {
            assertThat(number(receiver.from(0).remove())).isEqualTo(i);
            assertThat(number(receiver.from(1).remove())).isEqualTo(i);
        }
    }

    @Test
    void shouldCountWhatAPollDid() {
        final TestJob job = newJob();
        final TestRank receiver = job.rank(last());
        job.send(0, last(), numbered(0, 20));
        int counted = receiver.received() > 0 ? 1 : 0;
        while (receiver.received() == 0) {
            final int work = receiver.poll();
            counted += receiver.received() > 0 ? work : 0;
            job.rank(0).poll();
        }
        assertThat(counted).isPositive();
        job.await("quiet", () -> receiver.poll() == 0);
    }

    // --- peers -----------------------------------------------------------------------------------

    @Test
    void shouldAcceptFramesBeforeThePeerPolls() {
        final TestJob job = newJob();
        final TestRank sender = job.rank(0);
        for (int i = 0; i < 10; i++) {
            final byte[] frame = numbered(i, 30);
            TestJob.await(
                    "room at a peer that does not poll",
                    () -> sender.send(last(), frame),
                    ranks() == 1 ? Thread::yield : sender::poll);
        }
        assertThat(job.rank(last()).received()).isZero();
        for (int i = 0; i < 10; i++) {
            assertThat(number(job.take(last(), 0))).isEqualTo(i);
        }
    }

    /** A rank that computes withholds nothing that it has committed. */
    @Test
    void shouldSendWhatWasCommittedByARankThatPollsNoMore() {
        assumePeers();
        final TestJob job = newJob();
        final TestRank sender = job.rank(0);
        job.send(0, last(), numbered(0, 100));
        assertThat(number(job.take(last(), 0))).isZero();
        int sent = 1;
        while (sender.send(last(), numbered(sent, 100))) {
            sent++;
        }
        final TestRank receiver = job.rank(last());
        final int all = sent;
        TestJob.await("all frames", () -> receiver.received() == all, receiver::poll);
        for (int i = 1; i < sent; i++) {
            assertThat(number(receiver.from(0).remove())).isEqualTo(i);
        }
    }

    @Test
    void shouldAskForThePeersIndexOnce() {
        assumePeers();
        final TestJob job = newJob();
        for (int round = 0; round < 5; round++) {
            job.send(0, last(), numbered(round, 30));
            assertThat(number(job.take(last(), 0))).isEqualTo(round);
            job.send(last(), 0, numbered(round, 30));
            assertThat(number(job.take(0, last()))).isEqualTo(round);
        }
        assertThat(job.rank(last()).greetings(0)).isEqualTo(1);
        assertThat(job.rank(0).greetings(last())).isLessThanOrEqualTo(1);
        assertThat(job.rank(1).greetings(0)).isZero();
    }

    /** What a rank has committed arrives, however soon it closes then. */
    @Test
    protected void shouldKeepCommittedFramesReadableAfterClose() {
        assumeTrue(reachesTheIdle(), "what is lost can only be sent again while the sender is there");
        final TestJob job = newJob();
        final TestRank sender = job.rank(0);
        for (int i = 0; i < 10; i++) {
            job.send(0, last(), numbered(i, 100));
        }
        sender.to(last()).close();
        if (ranks() > 1) {
            sender.close();
        }
        final TestRank receiver = job.rank(last());
        TestJob.await("all frames", () -> receiver.received() == 10, receiver::poll);
        for (int i = 0; i < 10; i++) {
            assertThat(number(receiver.from(0).remove())).isEqualTo(i);
        }
    }

    @Test
    void shouldReachThePeersOfTheJob() {
        final TestJob job = newJob();
        for (int rank = 0; rank < job.size(); rank++) {
            for (int peer = 0; peer < job.size(); peer++) {
                if (rank != peer || ranks() == 1) {
                    assertThat(job.rank(rank).transport().reaches(job.rank(peer).address()))
                            .isEqualTo(Availability.YES);
                }
            }
        }
    }

    @Test
    void shouldSayWhyItDoesNotReachAnotherJob() {
        final Transport transport = newJob().rank(0).transport();
        final byte[] address = newJob().rank(last()).address();

        assertUnreachable(transport, address);
    }

    @Test
    void shouldSayWhyItDoesNotReachGarbage() {
        Seeds.run(random -> {
            final TestJob job = newJob();
            final Transport transport = job.rank(0).transport();
            final byte[] good = job.rank(last()).address();
            for (int length = 0; length < good.length; length++) {
                assertUnreachable(transport, Arrays.copyOf(good, length));
            }
            for (int i = 0; i < 200; i++) {
                final byte[] noise = new byte[random.nextInt(100)];
                random.nextBytes(noise);
                assertUnreachable(transport, noise);
            }
            // One bit may not matter, as in a port of the same peer: but it never throws.
            for (int bit = 0; bit < 8 * good.length; bit++) {
                final byte[] changed = good.clone();
                changed[bit / 8] ^= (byte) (1 << bit % 8);
                assertThatCode(() -> transport.reaches(changed)).doesNotThrowAnyException();
            }
        });
    }

    private static void assertUnreachable(final Transport transport, final byte[] address) {
        final Availability availability = transport.reaches(address);
        assertThat(availability.available()).as(Arrays.toString(address)).isFalse();
        // Whoever lists reasons names the transports.
        assertThat(availability.reason()).isNotBlank().doesNotStartWith(transport.name() + ":");
    }

    @Test
    void shouldCarryAllPairsInOneThread() {
        Seeds.run(random -> {
            final TestJob job = newJob();
            for (int round = 0; round < 100; round++) {
                for (int from = 0; from < job.size(); from++) {
                    for (int to = 0; to < job.size(); to++) {
                        if (from != to || ranks() == 1) {
                            job.send(from, to, numbered(round, 4 + random.nextInt(1000)));
                        }
                    }
                }
            }
            for (int to = 0; to < job.size(); to++) {
                for (int from = 0; from < job.size(); from++) {
                    for (int round = 0; round < 100 && (from != to || ranks() == 1); round++) {
                        assertThat(number(job.take(to, from))).isEqualTo(round);
                    }
                }
            }
        });
    }

    @Test
    void shouldCarryAllPairsWithAThreadPerRank() {
        Seeds.run(random -> {
            final TestJob job = newJob();
            final ExecutorService threads = Executors.newFixedThreadPool(job.size());
            try {
                final List<Future<?>> all = new ArrayList<>();
                for (int rank = 0; rank < job.size(); rank++) {
                    final TestRank mine = job.rank(rank);
                    final long seed = random.nextLong();
                    all.add(threads.submit(() -> talkToAll(job, mine, new Random(seed))));
                }
                for (final Future<?> one : all) {
                    one.get();
                }
            } finally {
                threads.shutdownNow();
            }
        });
    }

    private void talkToAll(final TestJob job, final TestRank mine, final Random random) {
        final int each = 5000;
        final int peers = ranks() == 1 ? 1 : job.size() - 1;
        final int[] taken = new int[job.size()];
        for (int i = 0; i < each; i++) {
            for (int step = 0; step < peers; step++) {
                final int peer = ranks() == 1 ? 0 : (mine.rank() + 1 + step) % job.size();
                final byte[] frame = numbered(i, 4 + random.nextInt(i % 16 == 0 ? 1000 : 50));
                TestJob.await("room", () -> mine.send(peer, frame), () -> pollOrYield(mine));
                takeInOrder(mine, taken);
            }
        }
        TestJob.await(
                "everybody's frames",
                () -> {
                    takeInOrder(mine, taken);
                    return Arrays.stream(taken).sum() == each * peers;
                },
                () -> pollOrYield(mine));
    }

    private static void pollOrYield(final TestRank rank) {
        if (rank.poll() == 0) {
            Thread.yield();
        }
    }

    private static void takeInOrder(final TestRank mine, final int[] taken) {
        for (int peer = 0; peer < taken.length; peer++) {
            for (byte[] frame; (frame = mine.from(peer).poll()) != null; ) {
                if (number(frame) != taken[peer]++) {
                    throw new AssertionError(
                            "frame " + number(frame) + " from " + peer + " came as number " + (taken[peer] - 1));
                }
            }
        }
    }

    // --- exposed memory --------------------------------------------------------------------------

    private TestJob newFetchingJob() {
        final TestJob job = newJob();
        assumeTrue(job.rank(0).transport().capabilities().get(), "cannot get");
        assumeTrue(fetches(), "exposed memory cannot be fetched on this machine");
        return job;
    }

    @Test
    void shouldFetchExposedMemoryOfAllSizes() {
        final TestJob job = newFetchingJob();
        final long[] sizes = {
            1, 7, 4095, 4096, 4097, 65_535, 65_537, (128 << 10) - 1, (256 << 10) + 1, (1 << 20) + 13, 64 << 20
        };
        for (final long size : sizes) {
            try (Exposure exposure = new Exposure(job, 0, last(), size)) {
                exposure.expose();
                exposure.fetch();
                exposure.awaitEnd();
                exposure.conceal();
            }
        }
    }

    /** The memory may be freed as soon as the fetch has been told to have failed. */
    @Test
    void shouldWriteNothingMoreOfAPeerThatWasDropped() {
        final TestJob job = newFetchingJob();
        try (Exposure memory = new Exposure(job, 0, last(), 32 << 20)) {
            memory.expose();
            memory.fetch();
            if (memory.hasEnded()) {
                return;
            }
            job.rank(last()).drop(0);
            final long before = memory.sum();
            for (int turn = 0; turn < 100; turn++) {
                job.rank(0).poll();
                job.rank(last()).poll();
            }
            assertThat(memory.sum()).isEqualTo(before);
            assertThat(memory.hasEnded()).isFalse();
        }
    }

    @Test
    void shouldFetchSeveralAtOnce() {
        Seeds.run(random -> {
            final TestJob job = newFetchingJob();
            for (int round = 0; round < 3; round++) {
                final List<Exposure> all = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    final Exposure exposure = new Exposure(job, 0, last(), 1 + random.nextInt(300_000));
                    all.add(exposure);
                    exposure.expose();
                }
                java.util.Collections.shuffle(all, random);
                all.forEach(Exposure::fetch);
                all.forEach(Exposure::awaitEnd);
                java.util.Collections.shuffle(all, random);
                all.forEach(Exposure::conceal);
                all.forEach(Exposure::close);
            }
        });
    }

    @Test
    void shouldSayWhenItCannotExposeMoreAndDoSoAgainAfterAConceal() {
        final TestJob job = newFetchingJob();
        final Endpoint endpoint = job.rank(0).to(last());
        try (Exposure memory = new Exposure(job, 0, last(), 10_000)) {
            final List<Long> keys = new ArrayList<>();
            job.await("a key", () -> memory.tryExpose());
            memory.conceal();
            for (long key; keys.size() < 1000 && (key = endpoint.expose(memory.source(), 10_000, 0)) != 0; ) {
                keys.add(key);
            }
            assertThat(keys).isNotEmpty();
            keys.forEach(endpoint::conceal);
            memory.expose();
            memory.fetch();
            memory.awaitEnd();
            memory.conceal();
        }
    }

    @Test
    void shouldSurviveRandomInterleavings() {
        Seeds.run(random -> new Interleavings(newJob(), ranks() == 1, fetches(), random).run(6_000));
    }
}
