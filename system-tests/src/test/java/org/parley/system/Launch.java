package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.parley.testbed.Host;
import org.parley.transport.Transport;
import org.parley.transport.fault.FaultTransport;

/** A job of real processes, started by the distribution under test; ends with the test. */
public final class Launch implements AutoCloseable {
    /** The folder of the classes in package {@code programs}. */
    public static final String CLASSES = placeOf(Launch.class);

    /** The command of the distribution under test. */
    public static final Path PARLEY = Path.of(System.getProperty("test.dist"), "bin", "parley");

    private static final Path JDK = Path.of(System.getProperty("java.home"));
    private static final Pattern RANK = Pattern.compile("parley: rank (\\d+) is pid (\\d+)");
    public static final Duration PATIENCE = Duration.ofSeconds(150);

    private final Process process;
    private final Path out;
    private final Path err;

    private Launch(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    private static String placeOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (java.net.URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a class path on which one of {@code programs} is a transport, besides the product's. */
    static String withTransport(Path folder, Class<? extends Transport> transport) throws IOException {
        Path services = folder.resolve("META-INF/services/" + Transport.class.getName());
        Files.createDirectories(services.getParent());
        Files.writeString(services, transport.getName() + "\n");
        return folder + ":" + placeOf(FaultTransport.class) + ":" + CLASSES;
    }

    /** Starts {@code parley} with these words, in a folder that keeps its output. */
    public static Launch parley(Path folder, String... words) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(PARLEY.toString());
        command.addAll(List.of(words));
        return start(folder, command);
    }

    /** Starts {@code parley} with these words, and with more variables. */
    public static Launch parley(Path folder, Map<String, String> environment, String... words) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(PARLEY.toString());
        command.addAll(List.of(words));
        return start(folder, environment, command);
    }

    /** Starts {@code parley} with these words on a host; this machine's folder keeps its output. */
    public static Launch on(Host host, Path folder, String... words) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(PARLEY.toString());
        command.addAll(List.of(words));
        return start(folder, host.command(command.toArray(String[]::new)));
    }

    /** Starts any command as this starts {@code parley}. */
    static Launch start(Path folder, List<String> command) throws IOException {
        return start(folder, Map.of(), command);
    }

    private static Launch start(Path folder, Map<String, String> environment, List<String> command) throws IOException {
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("JAVA_HOME", JDK.toString());
        builder.environment().keySet().removeAll(List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"));
        return new Launch(builder.start(), out, err);
    }

    /** Starts {@code parley run -v -n RANKS} of {@link programs.Actor} with these acts. */
    static Launch actors(Path folder, int ranks, String... acts) throws IOException {
        List<String> words = new ArrayList<>(List.of("run", "-v", "-n", String.valueOf(ranks)));
        words.addAll(List.of("-cp", CLASSES, "programs.Actor"));
        words.addAll(List.of(acts));
        return parley(folder, words.toArray(String[]::new));
    }

    /** Waits for the end; returns what was left. */
    public Command.Result end() throws InterruptedException {
        return end(PATIENCE);
    }

    /** Waits for the end with more or less patience; returns what was left. */
    public Command.Result end(Duration patience) throws InterruptedException {
        if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
            String seen = "out: " + out() + "\nerr: " + err();
            close();
            fail("has not ended; %s", seen);
        }
        return new Command.Result(process.exitValue(), out(), err());
    }

    /** Waits until the standard output contains something. */
    public void awaitOut(String text) {
        awaitText(this::out, text);
    }

    /** Waits until standard error contains something. */
    public void awaitErr(String text) {
        awaitText(this::err, text);
    }

    /** Whether it has ended. */
    public boolean isOver() {
        return !process.isAlive();
    }

    private void awaitText(Supplier<String> stream, String text) {
        await().atMost(PATIENCE).until(() -> !process.isAlive() || stream.get().contains(text));
        assertThat(stream.get()).contains(text);
    }

    public String out() {
        return read(out);
    }

    public String err() {
        return read(err);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the launcher's process; on a host, what has entered it is in between. */
    public long pid() {
        return process.info().command().orElse("").endsWith("nsenter")
                ? process.children().findFirst().orElseThrow().pid()
                : process.pid();
    }

    /** Returns the process of a rank, as {@code -v} tells it. */
    public long pid(int rank) {
        awaitErr("parley: rank " + rank + " is pid ");
        return RANK.matcher(err())
                .results()
                .filter(match -> match.group(1).equals(String.valueOf(rank)))
                .mapToLong(Launch::pid)
                .findFirst()
                .orElseThrow();
    }

    private static long pid(MatchResult match) {
        return Long.parseLong(match.group(2));
    }

    public static void signal(String name, long pid) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, String.valueOf(pid)).start().waitFor();
    }

    /** Skips a test where jobs do not hear a signal: what a process ignores (HUP under nohup, INT in a shell's background) its children ignore. */
    static void assumeIsHeard(String signal, int number) throws IOException {
        boolean isIgnored = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.split("\\s+")[1], 16) >> number - 1 & 1) == 1);
        assumeFalse(isIgnored, "these tests run where SIG" + signal + " is ignored, and so would the job");
    }

    /** Writes a line to the job, which must still run. */
    public void say(String line) throws InterruptedException {
        try {
            in().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            in().flush();
        } catch (IOException e) {
            fail("nobody reads any more; " + end(), e);
        }
    }

    public OutputStream in() {
        return process.getOutputStream();
    }

    /** Returns what the job has left in shared memory. */
    List<Path> leftovers() throws IOException {
        String prefix = "parley-" + System.getProperty("user.name") + "-" + pid() + "-";
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .toList();
        }
    }

    public static void awaitGone(long pid) {
        await().atMost(PATIENCE).until(() -> !isThere(pid));
    }

    /** Whether a process runs; one that only waits to be collected does not. */
    public static boolean isThere(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
