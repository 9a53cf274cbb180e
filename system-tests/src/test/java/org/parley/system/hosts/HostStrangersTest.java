package org.parley.system.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.parley.system.Command;
import org.parley.system.Launch;
import org.parley.testbed.Host;
import org.parley.testbed.Network;

/** Who does not belong to a job does it no harm from another host. */
class HostStrangersTest extends OnHosts {
    private static final String PAIR = "node-b,node-c";
    private static final int PORT = 7100;

    HostStrangersTest() {
        super(4, Network.Addressing.IPV4);
    }

    private Path strays(String what, Host target, List<Integer> ports) throws Exception {
        Path out = Files.createTempFile(folder, "strays", "");
        List<String> words = new ArrayList<>(List.of("programs.Strays"));
        words.addAll(List.of(what.split(" ")));
        words.add(target.address());
        ports.forEach(port -> words.add(String.valueOf(port)));
        guest(host('d'), out, words.toArray(String[]::new));
        return out;
    }

    private static void awaitText(Path file, String text) {
        await().atMost(Launch.PATIENCE).until(() -> Files.readString(file).contains(text));
    }

    @Test
    void shouldNotMindAPortScanWhileTheRanksMeet() throws Exception {
        Path[] scans = {strays("scan", host('b'), List.of(PORT)), strays("scan", host('c'), List.of(PORT + 1))};
        for (Path scan : scans) {
            awaitText(scan, "pass 3\n");
        }
        try (Launch job = program(PAIR, "--set", "tcp.port=" + PORT, "programs.Exchange", "10000")) {
            job.awaitOut("round 100\n");
            assertThat(host('b').listening()).contains(PORT);
            assertThat(host('c').listening()).contains(PORT + 1);
            Command.Result result = finish(job);

            assertGood(result);
            assertThat(result.err()).doesNotContain("FAILED");
        }
    }

    @Test
    void shouldNotMindAPortScanOfARunningJobAndCountIt() throws Exception {
        try (Launch job = program(PAIR, "programs.Exchange", "10000")) {
            job.awaitOut("round 0\n");
            for (char letter : new char[] {'b', 'c'}) {
                List<Integer> ports = host(letter).listening();
                assertThat(ports).isNotEmpty();
                awaitText(strays("scan", host(letter), ports), "pass 3\n");
                // The job waits for a word, so it is still there when they are hung up on.
                awaitText(strays("idle 200", host(letter), ports), "closed after ");
            }
            String before = job.out();
            job.say("");
            await().atMost(Launch.PATIENCE).until(() -> job.out().length() > before.length());
            Command.Result result = finish(job);

            assertGood(result);
            // Each rank once, however many there were: a scan fills no disk.
            assertThat(result.err().lines().filter(line -> line.contains("was turned away")))
                    .hasSizeBetween(1, 4)
                    .allMatch(line -> line.contains(host('d').address()));
        }
    }

    /** Prints "FROM TO PORT HEX" for what goes by in TCP, but for ssh. */
    private static final String OVERHEAR = """
            use strict; $| = 1;
            socket(my $s, 17, 2, unpack('S', pack('n', 3))) or die $!;
            print "listening\n";
            while (defined recv($s, my $p, 65536, 0)) {
              next unless ord($p) >> 4 == 4 && ord(substr($p, 9)) == 6;
              my $tcp = substr($p, (ord($p) & 15) * 4, unpack('n', substr($p, 2)) - (ord($p) & 15) * 4);
              my ($from, $to) = unpack('nn', $tcp);
              my $said = substr($tcp, (ord(substr($tcp, 12)) >> 4) * 4);
              next if $from == 22 || $to == 22 || $said eq '';
              print "$from ", join('.', unpack('C4', substr($p, 16))), " $to ", unpack('H*', $said), "\n";
            }
            """;

    /** Whoever hears a rank's first words and its proof can say them again: to a new question they are no answer. */
    @Test
    void shouldRefuseWhoRepeatsWhatARankSaid() throws Exception {
        Path heard = Files.createTempFile(folder, "heard", "");
        command(host('c'), heard, "perl", "-e", OVERHEAR);
        awaitText(heard, "listening\n");
        try (Launch job = program(PAIR, "--set", "tcp.port=" + PORT, "programs.Exchange", "100")) {
            job.awaitOut("round 0\n");
            // One that gave its call up has not proven anything.
            Map.Entry<String, List<String>> call = await().atMost(Launch.PATIENCE)
                    .until(
                            () -> calls(heard).entrySet().stream()
                                    .filter(each -> each.getValue().size() > 1)
                                    .findFirst()
                                    .orElse(null),
                            Objects::nonNull);
            String[] place = call.getKey().split(" ");
            List<String> parts = call.getValue();
            Path out = Files.createTempFile(folder, "replay", "");
            guest(host('d'), out, "programs.Replay", place[1], place[2], parts.get(0), parts.get(1));
            awaitText(out, "bytes, closed\n");

            Command.Result result = finish(job);
            assertGood(result);
            assertThat(result.err()).contains("tcp.rejected.secret 1").doesNotContain("FAILED");
        }
    }

    /** Returns, by "FROM TO PORT", what callers have said to ranks so far, each part once. */
    private static Map<String, List<String>> calls(Path heard) throws Exception {
        Map<String, List<String>> calls = new LinkedHashMap<>();
        for (String line : Files.readAllLines(heard)) {
            Matcher said = Pattern.compile("(\\d+ [\\d.]+ 710[01]) ([0-9a-f]+)").matcher(line);
            if (said.matches()) {
                List<String> parts = calls.computeIfAbsent(said.group(1), from -> new ArrayList<>());
                if (!parts.contains(said.group(2))) {
                    parts.add(said.group(2));
                }
            }
        }
        return calls;
    }

    /** A program on a rank's host that knows where the job's ranks meet, but not the job's secret. */
    @Test
    void shouldRefuseAProgramWithAnotherToken() throws Exception {
        try (Launch job = program(PAIR, "programs.Exchange", "100")) {
            job.awaitOut("round 0\n");
            String line = "for rank in /proc/[0-9]*; do"
                    + " grep -qsz '^PARLEY_RENDEZVOUS=' $rank/environ && cat $rank/environ && break; done";
            List<String> words = new ArrayList<>();
            for (String variable : host('c').run("sh", "-c", line).split("\0")) {
                if (variable.startsWith("PARLEY_") && !variable.startsWith("PARLEY_TOKEN_FILE=")) {
                    words.add(variable);
                }
            }
            host('c').run("sh", "-c", "umask 077; head -c 32 /dev/urandom >/tmp/token");
            words.add("PARLEY_TOKEN_FILE=/tmp/token");
            List<String> command = new ArrayList<>(List.of("env"));
            command.addAll(words);
            command.addAll(List.of(
                    System.getProperty("java.home") + "/bin/java",
                    "--add-opens",
                    "java.base/jdk.internal.misc=ALL-UNNAMED",
                    "-cp",
                    Launch.CLASSES + ":" + System.getProperty("test.dist") + "/lib/*",
                    "programs.Actor",
                    "ring"));
            String said = host('c').run("sh", "-c", quoted(command) + "2>&1; true");

            assertThat(said).contains("rank 1 cannot join its job").contains("does not have the token");
            job.awaitErr("does not have the token");
            assertGood(finish(job));
        }
    }

    private static String quoted(List<String> words) {
        StringBuilder line = new StringBuilder();
        words.forEach(word -> line.append('\'').append(word).append("' "));
        return line.toString();
    }
}
