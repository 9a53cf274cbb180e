package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A flight recording of a rank has what it sent, received and waited for. */
class FlightRecordingTest {
    private static final String ALL =
            ",+parley.Send#enabled=true,+parley.Receive#enabled=true" + ",+parley.Collective#enabled=true";

    @TempDir
    Path folder;

    private Command.Result run(String settings, String... words) throws Exception {
        Files.createDirectory(folder.resolve("recordings"));
        List<String> line = new ArrayList<>(List.of("run", "-n", "2", "--transports", "tcp"));
        line.addAll(List.of(
                "--java-opt",
                "-XX:StartFlightRecording:settings=none,filename=" + folder.resolve("recordings") + settings));
        line.addAll(List.of(words));
        try (Launch job = Launch.parley(folder, line.toArray(String[]::new))) {
            return job.end();
        }
    }

    /** Returns the events of Parley in all recordings. */
    private List<RecordedEvent> events() throws IOException {
        List<RecordedEvent> events = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder.resolve("recordings"))) {
            for (Path file : files.toList()) {
                events.addAll(RecordingFile.readAllEvents(file));
            }
        }
        events.removeIf(event -> !event.getEventType().getName().startsWith("parley."));
        return events;
    }

    private static List<RecordedEvent> of(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("parley." + name))
                .toList();
    }

    private static Set<Integer> ranks(List<RecordedEvent> events) {
        return events.stream().map(event -> event.getInt("rank")).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void shouldHaveMessagesCollectivesAndLinksThatCameBack() throws Exception {
        Command.Result result = run(
                ALL + ",+parley.Reconnect#enabled=true",
                "--drill",
                "200ms",
                "-cp",
                Launch.CLASSES,
                "programs.Rehearsal",
                "3");

        assertThat(result.code()).as(result.toString()).isZero();
        List<RecordedEvent> events = events();
        for (String name : List.of("Send", "Receive", "Collective", "Reconnect")) {
            assertThat(ranks(of(events, name))).as("ranks with %s", name).containsExactly(0, 1);
        }
        assertThat(events)
                .allMatch(event -> event.getEventType().getCategoryNames().equals(List.of("Parley")));
        assertThat(of(events, "Send"))
                .allMatch(event -> event.getInt("peer") == 1 - event.getInt("rank"))
                .allMatch(event -> event.getString("transport").equals("tcp"))
                .anyMatch(event -> event.getLong("bytes") == 4);
        assertThat(of(events, "Receive")).anyMatch(event -> event.getLong("bytes") == 4);
        assertThat(of(events, "Collective"))
                .allMatch(event -> event.getString("collective").equals("allreduce"));
        assertThat(of(events, "Reconnect"))
                .allMatch(event -> event.getDuration("away").toNanos() > 0);
    }

    @Test
    void shouldHaveStalls() throws Exception {
        run(
                ",+parley.Stall#enabled=true",
                "--timeout",
                "15",
                "--set",
                "stall.warning=2s",
                "-cp",
                Launch.CLASSES,
                "programs.Actor",
                "send-long",
                "sleep");

        List<RecordedEvent> stalls = of(events(), "Stall");
        assertThat(stalls).hasSize(1);
        assertThat(stalls.get(0).getLong("bytesOut")).isGreaterThanOrEqualTo(1 << 20);
        assertThat(stalls.get(0).getDuration("still").toSeconds()).isGreaterThanOrEqualTo(2);
    }

    /** They are so many that a recording has them only if it says so. */
    @Test
    void shouldNotHaveMessagesUnasked() throws Exception {
        Command.Result result = run("", "-cp", Launch.CLASSES, "programs.Actor", "ring");

        assertThat(result.code()).isZero();
        assertThat(events()).isEmpty();
    }

    @Test
    void shouldRunWhereTheRuntimeHasNoFlightRecorder() throws Exception {
        try (Launch job = Launch.parley(
                folder,
                "run",
                "-n",
                "2",
                "--transports",
                "tcp",
                "--java-opt",
                "--limit-modules=java.base,java.logging,java.management,jdk.unsupported",
                "-cp",
                Launch.CLASSES,
                "programs.Actor",
                "ring")) {
            Command.Result result = job.end();

            assertThat(result.code()).as(result.toString()).isZero();
            assertThat(result.out()).contains("rank 0 got 1", "rank 1 got 0");
        }
    }
}
