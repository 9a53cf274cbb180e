package org.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.parley.wireup.JobFolder;

/** Ranks as threads of this JVM. */
@Timeout(240)
class LocalProgramTest {

    @AfterEach
    void forget() {
        for (int rank = 0; rank < 4; rank++) {
            System.clearProperty("test.counting." + rank);
        }
    }

    @Test
    void shouldGiveEachRankStaticStateOfItsOwn() {
        Parley.local(3, Counting.class, "a", "b");

        for (int rank = 0; rank < 3; rank++) {
            final int left = (rank + 2) % 3;
            assertThat(System.getProperty("test.counting." + rank))
                    .isEqualTo((rank + 1) + " " + (left + 1) + " a,b true");
        }
        assertThat(Counting.counter()).isZero();
    }

    @Test
    void shouldThrowWhatTheProgramThrows() {
        assertThatThrownBy(() -> Parley.local(2, Counting.class, "runtime"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no such state");
        assertThatThrownBy(() -> Parley.local(2, Counting.class, "exception"))
                .isInstanceOf(ParleyException.class)
                .hasMessageContaining("no such file")
                .hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> Parley.local(2, Counting.class, "error"))
                .hasRootCauseInstanceOf(StackOverflowError.class);
        assertThatThrownBy(() -> Parley.local(2, String.class))
                .isInstanceOf(ParleyException.class)
                .hasCauseInstanceOf(NoSuchMethodException.class);
    }

    @Test
    void shouldThrowWhatARankThrows() {
        final IOException checked = new IOException("disk full");
        assertThatThrownBy(() -> Parley.local(2, parley -> {
                    if (parley.world().rank() == 1) {
                        throw checked;
                    }
                }))
                .isInstanceOf(ParleyException.class)
                .hasCause(checked);
    }

    @Test
    void shouldLetARankJoinOnce() {
        assertThatThrownBy(() -> Parley.local(2, parley -> Parley.init()))
                .isInstanceOf(JobException.class)
                .hasMessageContaining("has joined its job already: a rank joins once");
    }

    @Test
    void shouldLeaveNoFilesBehind() throws IOException {
        final Set<String> before = folders();
        Parley.local(3, parley -> {
            final int me = parley.world().rank();
            parley.world().sendReceive(null, 0, 0, (me + 1) % 3, 1, null, 0, 0, (me + 2) % 3, 1);
        });
        assertThatThrownBy(() -> Parley.local(2, parley -> {
                    parley.world().send(new int[1], 0, 1, 0, 1);
                    throw new IllegalStateException("on purpose");
                }))
                .hasMessage("on purpose");
        assertThat(before).containsAll(folders());
    }

    private static Set<String> folders() throws IOException {
        final String mine = "-local-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> all = Files.list(JobFolder.root())) {
            return all.map(path -> path.getFileName().toString())
                    .filter(name -> name.contains(mine))
                    .collect(java.util.stream.Collectors.toCollection(TreeSet::new));
        }
    }

    @Test
    void shouldRunManyJobsInOneJvm() throws Exception {
        final List<Thread> jobs = Stream.generate(() -> new Thread(() -> Parley.local(2, LocalProgramTest::pingPong)))
                .limit(5)
                .toList();
        final List<Throwable> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
        for (final Thread job : jobs) {
            job.setUncaughtExceptionHandler((thread, e) -> failures.add(e));
            job.start();
        }
        for (final Thread job : jobs) {
            job.join();
        }
        assertThat(failures).isEmpty();
        for (int i = 0; i < 50; i++) {
            Parley.local(2, LocalProgramTest::pingPong);
        }
    }

    private static void pingPong(final Parley parley) {
        final Communicator world = parley.world();
        final int other = 1 - world.rank();
        for (final int size : new int[] {0, 10, 20_000}) {
            final byte[] in = new byte[size];
            world.sendReceive(Sample.bytes(world.rank(), size), 0, size, other, 1, in, 0, size, other, 1);
            Sample.check(other, size, in);
        }
    }

    @Test
    void shouldBeAWorldOfOneWithoutALauncher() {
        try (Parley parley = Parley.init()) {
            final Communicator world = parley.world();
            assertThat(world.size()).isEqualTo(1);
            assertThat(world.rank()).isZero();
            world.send(Sample.bytes(1, 10), 0, 10, 0, 1);
            final byte[] got = new byte[10];
            world.receive(got, 0, 10, 0, 1);
            Sample.check(1, 10, got);
        }
    }
}
