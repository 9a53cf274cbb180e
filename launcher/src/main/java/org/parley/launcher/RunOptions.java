package org.parley.launcher;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.parley.config.Options;
import org.parley.config.Values;
import org.parley.transport.Option.Kind;
import picocli.CommandLine.Option;

/** The options about where and how ranks run: those of {@code run}, which {@code bench} has too. */
final class RunOptions {
    @Option(
            names = {"-n", "-np", "--np"},
            paramLabel = "N",
            description = "How many ranks.")
    Integer ranks;

    @Option(
            names = {"-H", "--host"},
            paramLabel = "HOST[:SLOTS],...",
            split = ",",
            description = "Hosts, with how many ranks each takes.")
    List<String> hosts = new ArrayList<>();

    @Option(
            names = {"--hostfile", "--machinefile", "-f"},
            paramLabel = "FILE",
            description = "Hosts, one a line: h, h:4 or h slots=4; # begins a comment.")
    Path hostFile;

    @Option(
            names = {"-ppn", "--ppn"},
            paramLabel = "N",
            description = "At most so many ranks on a host.")
    Integer perHost;

    @Option(
            names = {"-wdir", "--wdir"},
            paramLabel = "DIR",
            description = "Where ranks run.")
    Path folder;

    @Option(names = "--map-by", paramLabel = "slot|node", description = "Which rank goes to which host.")
    String mapBy = "slot";

    @Option(names = "--bind-to", paramLabel = "none|core", description = "Whether each rank has a core of its own.")
    String bindTo;

    @Option(names = "--report-bindings", description = "Say which rank runs on which core.")
    boolean reportBindings;

    @Option(names = "--tag-output", description = "Mark each line: [1,RANK]<stdout>: line.")
    boolean tagOutput;

    @Option(
            names = "--output-filename",
            paramLabel = "DIR",
            description = "Copy each rank's output into DIR/1/rank.RANK/stdout and stderr.")
    Path outputFolder;

    @Option(
            names = "--timeout",
            paramLabel = "S",
            description = "Stop the job after that many seconds, and say what each rank was doing.")
    String timeout;

    @Option(names = "--get-stack-traces", description = "With --timeout: the stacks of all threads.")
    boolean allStacks;

    @Option(names = "--oversubscribe", description = "Accepted; more ranks than cores are always allowed.")
    boolean oversubscribe;

    @Option(names = "--display", paramLabel = "map", description = "Say where each rank runs.")
    String display;

    @Option(
            names = "--transports",
            paramLabel = "LIST",
            description = "Use only these, such as self,shm,tcp; ^tcp: all but that.")
    String transports;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "Set an option; parley info --config lists them.")
    Map<String, String> settings = new LinkedHashMap<>();

    @Option(names = "--java-opt", paramLabel = "OPT", description = "An option for ranks' JVMs.")
    List<String> javaOptions = new ArrayList<>();

    @Option(names = "-q", description = "Say nothing but of failures.")
    boolean quiet;

    @Option(names = "-v", description = "Say what happens.")
    boolean verbose;

    /** Returns the options in force; says what is wrong with those of the command line. */
    Options resolve() {
        if (transports != null) {
            settings.put(Options.TRANSPORTS, transports);
        }
        final Options options;
        try {
            options = Options.load(settings);
        } catch (final IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
        for (final String key : List.copyOf(settings.keySet())) {
            if (options.settings().stream().noneMatch(s -> s.option().key().equals(key))) {
                settings.remove(key);
            }
        }
        options.warnings().stream()
                .filter(warning -> warning.contains("command line"))
                .forEach(warning -> System.err.println("parley: " + warning));
        return options;
    }

    /**
     * Puts a job together.
     *
     * @param program what ranks run
     * @param environment what they get besides the launcher's environment
     * @param resolved the options in force
     * @param bindsByItself whether ranks are bound to cores where the user says nothing of it
     */
    JobSpec spec(
            final JobSpec.Program program,
            final Map<String, String> environment,
            final Options resolved,
            final boolean bindsByItself) {
        return new JobSpec(
                ranks(),
                program,
                environment,
                folder(),
                resolved,
                timeoutNanos(),
                allStacks,
                tagOutput,
                outputFolder == null ? null : outputFolder.toAbsolutePath(),
                bindToCore(bindsByItself),
                reportBindings,
                display != null,
                verbose,
                quiet);
    }

    int ranks() {
        final int result = ranks == null ? 1 : ranks;
        if (result < 1) {
            throw new UsageException("-n " + result + ": a job has at least one rank");
        }
        return result;
    }

    Path folder() {
        final Path result = folder == null ? Path.of("") : folder;
        if (!Files.isDirectory(result.toAbsolutePath())) {
            throw new UsageException("-wdir " + folder + ": there is no such folder");
        }
        return result.toAbsolutePath();
    }

    long timeoutNanos() {
        if (timeout == null) {
            return 0;
        }
        try {
            return Values.parse(Kind.TIME, timeout);
        } catch (final IllegalArgumentException e) {
            throw new UsageException("--timeout: " + e.getMessage());
        }
    }

    boolean bindToCore(final boolean otherwise) {
        if (bindTo == null) {
            return otherwise;
        }
        return switch (bindTo) {
            case "core" -> true;
            case "none" -> false;
            default -> throw new UsageException("--bind-to " + bindTo + ": ranks can be bound to none or to core");
        };
    }
}
