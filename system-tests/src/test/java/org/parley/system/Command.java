package org.parley.system;

import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a user's command, on the tests' JDK and not for ever. */
public final class Command {
    private static final Path JDK = Path.of(System.getProperty("java.home"));

    /**
     * What it left.
     *
     * @param code its exit code
     * @param out its standard output
     * @param err its standard error
     */
    public record Result(int code, String out, String err) {}

    private Command() {}

    /**
     * Runs one; fails with what it has printed if it takes longer than a minute and a half.
     *
     * @param folder where; its output is kept there in {@code out} and {@code err}
     * @param environment what it gets besides ours
     * @param words program and arguments
     */
    public static Result run(Path folder, Map<String, String> environment, String... words)
            throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("JAVA_HOME", JDK.toString());
        builder.environment().merge("PATH", JDK.resolve("bin").toString(), (path, ours) -> ours + ":" + path);
        // Java says which options it takes from there, in the midst of what is tested.
        builder.environment().keySet().removeAll(List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        boolean ended = process.waitFor(90, TimeUnit.SECONDS);
        if (!ended) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        Result result = new Result(ended ? process.exitValue() : -1, Files.readString(out), Files.readString(err));
        if (!ended) {
            fail("%s has not ended: %s", String.join(" ", words), result);
        }
        return result;
    }
}
