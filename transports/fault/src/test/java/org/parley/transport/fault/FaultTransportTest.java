package org.parley.transport.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.transport.Endpoint;
import org.parley.transport.fault.FaultCounters.Fault;
import org.parley.transport.tck.Pattern;
import org.parley.transport.tck.TestJob;
import org.parley.transport.tck.TestRank;

@Timeout(240)
class FaultTransportTest {
    private static final int FRAMES = 2000;

    private final List<TestJob> jobs = new ArrayList<>();

    /** Transport with its plan read from options, as a subclass that is a service has it. */
    private static final class FromOptions extends FaultTransport {
        FromOptions() {
            super("faulty-memory", new MemoryTransport());
        }
    }

    @AfterEach
    void closeJobs() {
        jobs.forEach(TestJob::close);
    }

    private TestJob job(final FaultPlan plan) {
        final TestJob job = new TestJob(2, () -> new FaultTransport(new MemoryTransport(), plan), Map.of());
        jobs.add(job);
        return job;
    }

    private static FaultCounters counters(final TestJob job, final int rank) {
        return ((FaultTransport) job.rank(rank).transport()).counters();
    }

    /** Sends frames from 0 to 1 and returns the numbers of those that arrived, in order. */
    private static List<Integer> send(final TestJob job) {
        for (int i = 0; i < FRAMES; i++) {
            job.send(0, 1, Pattern.bytes(i, 10));
        }
        final TestRank receiver = job.rank(1);
        job.await("quiet", () -> receiver.poll() == 0);
        for (int i = 0; i < 50; i++) {
            receiver.poll();
        }
        final List<Integer> arrived = new ArrayList<>();
        for (final byte[] frame : receiver.from(0)) {
            int number = 0;
            while (number < FRAMES && !Arrays.equals(frame, Pattern.bytes(number, 10))) {
                number++;
            }
            arrived.add(number);
        }
        return arrived;
    }

    @Test
    void shouldChangeNothingWithoutAPlan() {
        final TestJob job = job(FaultPlan.NONE);

        final List<Integer> arrived = send(job);

        assertThat(arrived).hasSize(FRAMES).isSorted().doesNotHaveDuplicates();
        assertThat(counters(job, 1).of(Fault.DELIVERED)).isEqualTo(FRAMES);
    }

    @Test
    void shouldLoseFrames() {
        final TestJob job = job(FaultPlan.illegal(1, 100, 0, 0, 0));

        final List<Integer> arrived = send(job);

        assertThat(counters(job, 1).of(Fault.DROPPED)).isPositive();
        assertThat((long) arrived.size()).isEqualTo(FRAMES - counters(job, 1).of(Fault.DROPPED));
        assertThat(arrived).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void shouldRepeatFrames() {
        final TestJob job = job(FaultPlan.illegal(1, 0, 100, 0, 0));

        final List<Integer> arrived = send(job);

        assertThat(counters(job, 1).of(Fault.DUPLICATED)).isPositive();
        assertThat((long) arrived.size()).isEqualTo(FRAMES + counters(job, 1).of(Fault.DUPLICATED));
        assertThat(arrived).isSorted();
    }

    @Test
    void shouldReorderFrames() {
        final TestJob job = job(FaultPlan.illegal(1, 0, 0, 100, 0));

        final List<Integer> arrived = send(job);

        assertThat(counters(job, 1).of(Fault.REORDERED)).isPositive();
        assertThat(arrived).hasSize(FRAMES).doesNotHaveDuplicates();
        assertThat(arrived.stream().sorted().toList()).isNotEqualTo(arrived);
    }

    @Test
    void shouldChangeOneBit() {
        final TestJob job = job(FaultPlan.illegal(1, 0, 0, 0, 100));

        final List<Integer> arrived = send(job);

        final long changed = arrived.stream().filter(number -> number == FRAMES).count();
        assertThat(changed).isPositive().isEqualTo(counters(job, 1).of(Fault.CORRUPTED));
    }

    @Test
    void shouldCutALinkByPlan() {
        final TestJob job = job(new FaultPlan(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0));

        final List<Integer> arrived = send(job);

        assertThat(counters(job, 1).of(Fault.CUT)).isEqualTo(1);
        assertThat(job.rank(1).linksDown()).containsOnlyKeys(0);
        assertThat(arrived).hasSizeLessThan(FRAMES);
        for (int i = 0; i < arrived.size(); i++) {
            assertThat(arrived.get(i)).isEqualTo(i);
        }
    }

    @Test
    void shouldCutALinkWhenTold() {
        final TestJob job = job(FaultPlan.NONE);
        final int firstIndex = 100;
        job.send(0, 1, new byte[] {1});
        job.take(1, 0);

        ((FaultTransport) job.rank(0).transport()).cut(firstIndex, "somebody tripped");
        assertThat(job.rank(0).linksDown()).isEmpty();
        job.rank(0).poll();

        assertThat(job.rank(0).linksDown()).containsEntry(1, "somebody tripped");
        assertThat(job.rank(0).to(1).claim(10)).isEqualTo(Endpoint.CLOSED);
        assertThat(job.rank(1).linksDown()).isEmpty();
    }

    @Test
    void shouldHideAndBarMemory() {
        final TestJob job = job(new FaultPlan(1, 0, 0, 0, 1000, 1000, 0, 0, 0, 0, 0, 0, 0));

        assertThat(job.rank(0).to(1).expose(4096, 10, 0)).isZero();
        assertThat(job.rank(1).get(0, 4096, 1, 4096, 10, 1)).isEqualTo(Endpoint.UNREACHABLE);
        assertThat(job.rank(1).get(0, 4096, 1, 4096, 10, 2)).isEqualTo(Endpoint.UNREACHABLE);
        assertThat(counters(job, 0).of(Fault.HIDDEN)).isEqualTo(1);
        assertThat(counters(job, 1).of(Fault.BARRED)).isEqualTo(2);
    }

    @Test
    void shouldCountLegalFaults() {
        final TestJob job = job(FaultPlan.legal(7));

        final List<Integer> arrived = send(job);

        assertThat(arrived).hasSize(FRAMES).isSorted().doesNotHaveDuplicates();
        assertThat(counters(job, 0).of(Fault.REFUSED)).isPositive();
        assertThat(counters(job, 1).of(Fault.HELD)).isPositive();
        assertThat(counters(job, 1).of(Fault.SHORTENED)).isPositive();
    }

    @Test
    void shouldCountKeptBackFramesAsWork() {
        final TestJob job = job(new FaultPlan(1, 0, 1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
        job.rank(0).send(1, new byte[] {1});

        int polls = 0;
        while (job.rank(1).poll() != 0) {
            polls++;
        }

        assertThat(polls).isPositive();
        assertThat(job.rank(1).received()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldDoTheSameWithTheSameSeed(final long seed) {
        final FaultPlan plan = FaultPlan.illegal(seed, 50, 50, 50, 0);

        assertThat(send(job(plan))).isEqualTo(send(job(plan)));
        assertThat(send(job(plan))).isNotEqualTo(send(job(FaultPlan.illegal(seed + 1, 50, 50, 50, 0))));
    }

    @Test
    void shouldReadItsPlanFromOptions() {
        final TestJob job = new TestJob(2, FromOptions::new, Map.of("fault.seed", "3", "fault.drop", "1000"));
        jobs.add(job);

        assertThat(send(job)).isEmpty();
        assertThat(job.rank(0).transport().name()).isEqualTo("faulty-memory");
    }

    @Test
    void shouldNotBeAvailableWithoutASeed() {
        assertThatThrownBy(() -> new TestJob(2, FromOptions::new, Map.of())).hasMessageContaining("fault.seed is 0");
    }

    @Test
    void shouldRefuseImpossiblePlans() {
        assertThatThrownBy(() -> FaultPlan.illegal(1, 1001, 0, 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1001");
        assertThatThrownBy(() -> new FaultPlan(1, 1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nothing could ever be sent");
    }
}
