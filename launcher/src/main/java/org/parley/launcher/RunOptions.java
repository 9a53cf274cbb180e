package org.parley.launcher;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.parley.config.Options;
import org.parley.engine.TransportList;

/** The options about where and how ranks run: those of {@code run}, which {@code bench} has too. */
final class RunOptions {
    private static final String RANKS = "-n";
    private static final String HOSTS = "--host";
    private static final String HOST_FILE = "--hostfile";
    private static final String PER_HOST = "-ppn";
    private static final String FOLDER = "-wdir";
    private static final String MAP_BY = "--map-by";
    private static final String BIND_TO = "--bind-to";
    private static final String REPORT_BINDINGS = "--report-bindings";
    private static final String TAG_OUTPUT = "--tag-output";
    private static final String OUTPUT_FOLDER = "--output-filename";
    private static final String TIMEOUT = "--timeout";
    private static final String STACKS = "--get-stack-traces";
    private static final String DISPLAY = "--display";
    private static final String TRANSPORTS = "--transports";
    private static final String SET = "--set";
    private static final String JAVA_OPTION = "--java-opt";
    private static final String FAULT_TOLERANCE = "--ft";
    private static final String QUIET = "-q";
    private static final String VERBOSE = "-v";

    /** Of use with several machines only. */
    private static final List<String> SEVERAL_HOSTS = List.of("--preflight", "--copy", "--drill");

    /** All of them; -n, -f and -q are names of their own, for commands that use these otherwise. */
    static final List<Flag> FLAGS = List.of(
            Flag.of("N", "How many ranks; else as many as slots, else 1.", RANKS),
            Flag.of("N", "The same.", "-np", "--np"),
            Flag.of("HOST[:SLOTS],...", "Hosts, with how many ranks each takes.", HOSTS, "-H"),
            Flag.of("FILE", "Hosts, one a line: h, h:4 or h slots=4; # begins a comment.", HOST_FILE, "--machinefile"),
            Flag.of("FILE", "The same.", "-f"),
            Flag.of("N", "At most so many ranks on a host.", PER_HOST),
            Flag.of("DIR", "Where ranks run.", FOLDER, "--wdir"),
            Flag.of("slot|node", "Fill hosts one by one, or in turn.", MAP_BY),
            Flag.of("none|core", "Whether each rank has a core of its own.", BIND_TO),
            Flag.plain("Say which rank runs on which core.", REPORT_BINDINGS),
            Flag.plain("Mark each line: [1,RANK]<stdout>: line.", TAG_OUTPUT),
            Flag.of("DIR", "Copy each rank's output to DIR/1/rank.RANK/stdout and stderr.", OUTPUT_FOLDER),
            Flag.of("S", "Stop the job after S seconds, and tell what each rank was doing.", TIMEOUT),
            Flag.plain("With --timeout: the stacks of all threads.", STACKS),
            Flag.plain("Accepted; more ranks than cores are always allowed.", "--oversubscribe"),
            Flag.of("map", "Say where each rank runs.", DISPLAY),
            Flag.of("LIST", "Use only these, such as self,shm,tcp; ^tcp: all but that.", TRANSPORTS),
            Flag.of("KEY=VALUE", "Set an option; info --config lists them.", SET),
            Flag.of("OPT", "An option for the ranks' JVMs.", JAVA_OPTION),
            Flag.of("abort|continue", "What the first failure does to the job.", FAULT_TOLERANCE),
            Flag.plain("With several hosts: check them first.", SEVERAL_HOSTS.get(0)),
            Flag.plain("With several hosts: copy the program.", SEVERAL_HOSTS.get(1)),
            Flag.of("INTERVAL", "With several hosts: cut links.", SEVERAL_HOSTS.get(2)),
            Flag.plain("Say nothing but of failures.", QUIET),
            Flag.plain("Say what happens.", VERBOSE));

    private final Arguments arguments;
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final Hosts hosts;
    private int defaultRanks = 1;

    RunOptions(final Arguments arguments) {
        this.arguments = arguments;
        for (final String option : SEVERAL_HOSTS) {
            if (arguments.has(option)) {
                throw new UsageException(option + " is for jobs on several hosts, which are not supported yet");
            }
        }
        choice(FAULT_TOLERANCE, "abort", "abort");
        choice(DISPLAY, "map", "map");
        choice(MAP_BY, "slot", "slot", "node");
        final String file = first(HOST_FILE, "-f");
        this.hosts = file != null ? Hosts.ofFile(Path.of(file)) : Hosts.of(arguments.all(HOSTS));
    }

    /** Returns all flags but those of some names. */
    static List<Flag> without(final String... names) {
        return FLAGS.stream()
                .filter(flag -> !List.of(names).contains(flag.name()))
                .toList();
    }

    /** Says how many ranks there are if the user does not. */
    void defaultRanks(final int ranks) {
        defaultRanks = ranks;
    }

    int ranks() {
        final String text = first(RANKS, "-np");
        final int result = text == null ? hosts.slots(defaultRanks) : number("-n", text);
        final String perHost = arguments.value(PER_HOST);
        if (perHost != null && number(PER_HOST, perHost) < result) {
            throw new UsageException(result + " ranks do not fit on 1 host with " + PER_HOST + " " + perHost);
        }
        return result;
    }

    /** Returns what {@code --set} and {@code --transports} say, by key, as far as keys are known. */
    Map<String, String> settings() {
        return settings;
    }

    List<String> javaOptions() {
        return arguments.all(JAVA_OPTION);
    }

    boolean isBoundToCore() {
        return "core".equals(arguments.value(BIND_TO));
    }

    /** Whether ranks run elsewhere than where the command was typed. */
    boolean hasFolder() {
        return arguments.has(FOLDER);
    }

    /** Returns the options in force; says what is wrong with those of the command line. */
    Options options() {
        for (final String setting : arguments.all(SET)) {
            final int equals = setting.indexOf('=');
            if (equals < 1) {
                throw new UsageException(SET + " " + setting + ": it takes KEY=VALUE");
            }
            settings.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        if (arguments.has(TRANSPORTS)) {
            settings.put(Options.TRANSPORTS, arguments.value(TRANSPORTS));
        }
        final Options options;
        try {
            options = Options.load(settings);
            TransportList.parse(options.text(Options.TRANSPORTS)).check(options.transports());
        } catch (final IllegalArgumentException e) {
            throw new UsageException(e.getMessage());
        }
        // Ranks warn of all others; of these they never hear.
        settings.keySet().removeIf(key -> !options.isKnown(key));
        options.warnings().stream()
                .filter(warning -> warning.contains(SET))
                .forEach(warning -> System.err.println("parley: " + warning));
        return options;
    }

    /**
     * Puts a job together.
     *
     * @param program what ranks run
     * @param environment what they get besides the launcher's environment
     * @param options the options in force
     * @param binds whether ranks are bound to cores where the user says nothing of it
     */
    JobSpec spec(
            final JobSpec.Program program,
            final Map<String, String> environment,
            final Options options,
            final boolean binds) {
        final String output = arguments.value(OUTPUT_FOLDER);
        return new JobSpec(
                ranks(),
                program,
                environment,
                folder(),
                options,
                timeoutNanos(),
                arguments.has(STACKS),
                arguments.has(TAG_OUTPUT),
                output == null ? null : Path.of(output).toAbsolutePath(),
                choice(BIND_TO, binds ? "core" : "none", "none", "core").equals("core"),
                arguments.has(REPORT_BINDINGS),
                arguments.has(DISPLAY),
                arguments.has(VERBOSE),
                arguments.has(QUIET));
    }

    private Path folder() {
        final String text = arguments.value(FOLDER);
        final Path result = Path.of(text == null ? "" : text).toAbsolutePath();
        if (!Files.isDirectory(result)) {
            throw new UsageException(FOLDER + " " + text + ": there is no such folder");
        }
        return result;
    }

    private long timeoutNanos() {
        final String text = arguments.value(TIMEOUT);
        if (text == null) {
            return 0;
        }
        try {
            return Options.time(text);
        } catch (final IllegalArgumentException e) {
            throw new UsageException(TIMEOUT + ": " + e.getMessage());
        }
    }

    private String choice(final String option, final String otherwise, final String... allowed) {
        final String text = arguments.value(option);
        if (text != null && !List.of(allowed).contains(text)) {
            throw new UsageException(option + " " + text + ": it can be " + String.join(" or ", allowed) + " so far");
        }
        return text == null ? otherwise : text;
    }

    private String first(final String option, final String alias) {
        final String text = arguments.value(option);
        return text == null ? arguments.value(alias) : text;
    }

    private static int number(final String option, final String text) {
        try {
            final int number = Integer.parseInt(text.strip());
            if (number >= 1) {
                return number;
            }
        } catch (final NumberFormatException e) {
            // Said below.
        }
        throw new UsageException(option + " " + text + ": it takes a whole number from 1 on");
    }
}
