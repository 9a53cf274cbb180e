package org.parley.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.wireup.HostName;

/** Hosts as mpirun and mpiexec write them, and where ranks go. */
class HostsTest {
    @TempDir
    Path folder;

    private static Hosts named(String... lists) {
        return Hosts.of(List.of(lists));
    }

    private Hosts file(String text) throws IOException {
        return Hosts.ofFile(Files.writeString(folder.resolve("hosts"), text));
    }

    private static String show(Hosts.Layout layout) {
        return IntStream.range(0, layout.placement().size())
                .mapToObj(layout.placement()::host)
                .collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "'a', 0, 0, false, a",
        "'a:2,b:2', 0, 0, false, a a b b",
        "'a:2,b:2', 0, 0, true, a b a b",
        "'a:2,b:1', 0, 0, true, a b a",
        "'a:2,b:2', 3, 0, false, a a b",
        "'a:2,b:2', 2, 0, false, a a",
        "'a,a,b', 0, 0, false, a a b",
        "'a:1,b:1', 5, 0, false, a a a b b",
        "'a:1,b:3', 6, 0, false, a a b b b b",
        "'a:1,b:1', 5, 0, true, a b a b a",
        "'a:1,b:3', 5, 0, true, a b b b a",
        "'a,b', 0, 2, false, a a b b",
        "'a:8,b:8', 3, 2, false, a a b",
        "'', 0, 0, false, here",
        "'', 0, 3, false, here here here",
        "'', 2, 0, false, here here"
    })
    void shouldPlaceRanks(String hosts, int ranks, int perHost, boolean inTurn, String expected) {
        Hosts parsed = hosts.isEmpty() ? Hosts.of(List.of()) : named(hosts);
        Hosts.Layout layout = parsed.place(ranks, 1, perHost, inTurn);

        assertThat(show(layout)).isEqualTo(expected.replace("here", HostName.own()));
        assertThat(layout.local()).isEqualTo(expected.startsWith("here") ? 0 : -1);
    }

    @Test
    void shouldReadFilesOfBothForms() throws IOException {
        Hosts hosts = file("# ours\na slots=2 max_slots=4\nb:3  # Hydra's\n\nc slots=1\nuser@d\na\n");

        assertThat(show(hosts.place(0, 1, 0, false))).isEqualTo("a a a b b b c d");
        assertThat(hosts.place(0, 1, 0, false).targets()).containsExactly("a", "b", "c", "user@d");
    }

    @Test
    void shouldTakeOfAFileThoseThatAreNamed() throws IOException {
        Hosts hosts = file("a slots=2\nb slots=2\nc slots=2\n");

        assertThat(show(hosts.only(named("c,a")).place(0, 1, 0, false))).isEqualTo("c c a a");
        assertThatThrownBy(() -> hosts.only(named("d"))).hasMessage("--host d: the host file does not have it");
    }

    @ParameterizedTest
    @CsvSource({
        "'[2001:db8::7]:2', 2001:db8::7, 2001:db8::7, 2",
        "'2001:db8::7', 2001:db8::7, 2001:db8::7, 1",
        "'me@[fe80::1%eth0]:3', me@fe80::1%eth0, fe80::1%eth0, 3",
        "'192.0.2.1:2', 192.0.2.1, 192.0.2.1, 2",
        "'me@node-1.example.org', me@node-1.example.org, node-1.example.org, 1"
    })
    void shouldUnderstandAddressesAndUsers(String text, String target, String name, int slots) {
        Hosts.Layout layout = named(text).place(0, 1, 0, false);

        assertThat(layout.targets()).containsExactly(target);
        assertThat(layout.placement().hosts()).containsExactly(name);
        assertThat(layout.placement().size()).isEqualTo(slots);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.1", "::1", "[::1]:1"})
    void shouldKnowThisMachine(String name) {
        Hosts.Layout layout = named(name + ",a," + HostName.own()).place(0, 1, 0, false);

        assertThat(layout.local()).isZero();
        assertThat(layout.remote()).containsExactly(1);
        assertThat(show(layout)).isEqualTo(HostName.own() + " " + HostName.own() + " a");
    }

    @Test
    void shouldDropHostsWithoutRanks() {
        Hosts.Layout layout = named("a:2,localhost:2").place(1, 1, 0, false);

        assertThat(layout.placement().hosts()).containsExactly("a");
        assertThat(layout.local()).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({
        "a slots=x, line 2: x is no number of slots from 1 to 1000000",
        "a:0, line 2: 0 is no number of slots from 1 to 1000000",
        "a:2147483647, line 2: 2147483647 is no number of slots from 1 to 1000000",
        "a cores=2, line 2: what is cores=2?",
        "-F/etc/x, line 2: -F/etc/x is no host",
        "'a[b', line 2: a[b is no host",
        "@a, line 2: @a is no host"
    })
    void shouldNameTheLineThatIsWrong(String line, String expected) {
        assertThatThrownBy(() -> file("\n" + line + "\n"))
                .isInstanceOf(UsageException.class)
                .hasMessageEndingWith(expected);
    }

    @Test
    void shouldNameTheLimitThatIsReached() throws IOException {
        Hosts hosts = file("a slots=1 max_slots=2\nb max_slots=1\n");

        assertThat(show(hosts.place(3, 1, 0, false))).isEqualTo("a a b");
        assertThatThrownBy(() -> hosts.place(4, 1, 0, false))
                .hasMessage("4 ranks do not fit on 2 hosts: the host file's max_slots allow 3");
        assertThatThrownBy(() -> named("a,b").place(5, 1, 2, true))
                .hasMessage("5 ranks do not fit on 2 hosts with -ppn 2");
    }

    @Test
    void shouldNotCountSlotsBeyondWhatAJobCanHave() {
        Hosts hosts = named("a:1000000,a:1000000,b:1");

        assertThatThrownBy(() -> hosts.place(0, 1, 0, false))
                .isInstanceOf(UsageException.class)
                .hasMessage("the hosts have 1000001 slots, and a job at most 1000000 ranks: -n says how many");
        assertThat(show(hosts.place(2, 1, 0, false))).isEqualTo("a a");
    }

    @Test
    void shouldDealHostsIntoBranches() {
        List<Integer> hosts = IntStream.range(0, 7).boxed().toList();

        assertThat(Branches.split(hosts, 32)).hasSize(7);
        assertThat(Branches.split(hosts, 1)).containsExactly(hosts);
        assertThat(Branches.split(hosts, 3)).containsExactly(List.of(0, 1), List.of(2, 3), List.of(4, 5, 6));
        assertThat(Branches.split(List.of(), 3)).isEmpty();
    }

    /** A pattern that tries each colon as the second takes hours for such a word. */
    @Test
    void shouldRefuseALongWordAtOnce() {
        assertThatThrownBy(() -> Hosts.of(List.of(":".repeat(100_000) + "!")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("is no host");
    }
}
