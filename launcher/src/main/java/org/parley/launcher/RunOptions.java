package org.parley.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.parley.config.Options;
import org.parley.engine.TransportList;
import org.parley.transport.Reason;

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

    private static final String PREFLIGHT = "--preflight";
    private static final String COPY = "--copy";
    private static final String DRILL = "--drill";

    /** All of them; some commands use -n, -f and -q otherwise. */
    static final List<Flag> FLAGS = List.of(
            Flag.of("N", "How many ranks; else as many as slots, else 1.", RANKS, "-np", "--np"),
            Flag.of("HOST[:SLOTS],...", "Hosts, with how many ranks each takes.", HOSTS, "-H"),
            Flag.of(
                    "FILE",
                    "Hosts, one a line: h, h:4 or h slots=4; # begins a comment.",
                    HOST_FILE,
                    "--machinefile",
                    "-f"),
            Flag.of("N", "At most so many ranks on a host.", PER_HOST),
            Flag.of("DIR", "Where ranks run.", FOLDER, "--wdir"),
            Flag.of("slot|node", "Fill hosts one by one, or in turn.", MAP_BY),
            Flag.of("none|core", "Whether each rank has a core of its own.", BIND_TO),
            Flag.plain("Say which rank runs on which core.", REPORT_BINDINGS),
            Flag.plain("Mark each line: [1,RANK]<stdout>: line.", TAG_OUTPUT),
            Flag.of("DIR", "Copy each rank's output to DIR/1/rank.RANK/stdout and stderr.", OUTPUT_FOLDER),
            Flag.of("S", "Stop the job after S seconds, and tell what each rank was doing; 0: never.", TIMEOUT),
            Flag.plain("With --timeout: the stacks of all threads.", STACKS),
            Flag.plain("Accepted; more ranks than cores are always allowed.", "--oversubscribe"),
            Flag.of("map", "Say where each rank runs.", DISPLAY),
            Flag.of("LIST", "Use only these, such as self,shm,tcp; ^tcp: all but that.", TRANSPORTS),
            Flag.of("KEY=VALUE", "Set an option; info --config lists them.", SET),
            Flag.of("OPT", "An option for the ranks' JVMs.", JAVA_OPTION),
            Flag.of(
                    "abort|continue",
                    "What a rank's failure does: end the job, or let the others go on.",
                    FAULT_TOLERANCE),
            Flag.plain(
                    "Only examine the hosts: ssh, Java, Parley, folder, and whether they reach each other.", PREFLIGHT),
            Flag.plain("Copy the program's class path to the other hosts, for this job.", COPY),
            Flag.of(
                    "INTERVAL",
                    "Break a link between ranks at random about every INTERVAL (30s), and tell what came of it.",
                    DRILL),
            Flag.plain("Say nothing but of failures.", QUIET),
            Flag.plain("Say what happens.", VERBOSE));

    /** A link that breaks sooner than it is made again carries nothing. */
    private static final String LEAST_DRILL = "50ms";

    /** Far more than any job has: what is above is a slip of the fingers, which no machine survives. */
    static final int MOST_RANKS = 1_000_000;

    private final Arguments arguments;
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final Hosts hosts;
    private Hosts.Layout layout;
    private int defaultRanks = 1;
    private String transports;

    RunOptions(final Arguments arguments) {
        this.arguments = arguments;
        for (final String setting : arguments.all(SET)) {
            final int equals = setting.indexOf('=');
            if (equals < 1) {
                throw new UsageException(SET + " " + setting + ": it takes KEY=VALUE");
            }
            settings.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        // What has an option of its own is said by that.
        if (arguments.has(DRILL)) {
            settings.put(JobSpec.DRILL, drillInterval());
        }
        if (arguments.has(FAULT_TOLERANCE)) {
            settings.put(Options.FAULT_TOLERANCE, choice(FAULT_TOLERANCE, "abort", "abort", Options.CONTINUE));
        }
        choice(DISPLAY, "map", "map");
        choice(MAP_BY, "slot", "slot", "node");
        if (arguments.all(JAVA_OPTION).contains("")) {
            throw new UsageException(JAVA_OPTION + " is empty: it takes an option of java");
        }
        for (final String option : List.of(RANKS, PER_HOST)) {
            if (arguments.has(option)) {
                number(option, arguments.value(option));
            }
        }
        final String file = arguments.value(HOST_FILE);
        final Hosts named = Hosts.of(arguments.all(HOSTS));
        this.hosts = file != null ? Hosts.ofFile(Path.of(file)).only(named) : named;
    }

    /** Returns all flags, without some names. */
    static List<Flag> without(final String... names) {
        return FLAGS.stream()
                .map(flag -> flag.without(List.of(names)))
                .filter(flag -> !flag.names().isEmpty())
                .toList();
    }

    /** Says how many ranks there are if the user does not. */
    void defaultRanks(final int ranks) {
        defaultRanks = ranks;
    }

    /** Whether the user names the transports. */
    boolean namesTransports() {
        return arguments.has(TRANSPORTS);
    }

    /** Says which transports there are; null: leaves that to the user. */
    void transports(final String list) {
        transports = list;
    }

    /** Returns which ranks run on which hosts. */
    Hosts.Layout layout() {
        if (layout == null) {
            final String ranks = arguments.value(RANKS);
            final String perHost = arguments.value(PER_HOST);
            layout = hosts.place(
                    ranks == null ? 0 : number(RANKS, ranks),
                    defaultRanks,
                    perHost == null ? 0 : number(PER_HOST, perHost),
                    choice(MAP_BY, "slot", "slot", "node").equals("node"));
        }
        return layout;
    }

    /** Whether the user says which hosts there are. */
    boolean namesHosts() {
        return arguments.has(HOSTS) || arguments.has(HOST_FILE);
    }

    /** Whether hosts are to be examined, not used. */
    boolean isPreflight() {
        return arguments.has(PREFLIGHT);
    }

    /** Whether the program is to be copied to other hosts. */
    boolean copies() {
        return arguments.has(COPY);
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
    boolean isElsewhere() {
        return arguments.has(FOLDER) || !layout().remote().isEmpty();
    }

    /** Returns the options in force; says what is wrong with those of the command line. */
    Options options() {
        if (arguments.has(TRANSPORTS)) {
            if (arguments.value(TRANSPORTS).replaceAll("[\\s,^]", "").isEmpty()) {
                throw new UsageException(
                        TRANSPORTS + " names none: it takes a list such as shm,tcp, or ^tcp to exclude");
            }
            settings.put(Options.TRANSPORTS, arguments.value(TRANSPORTS));
        }
        if (transports != null) {
            settings.put(Options.TRANSPORTS, transports);
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
                .forEach(warning -> System.err.println("parley: " + Failures.clean(warning)));
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
        return new JobSpec(
                layout(),
                program,
                environment,
                folder(),
                arguments.has(FOLDER),
                copies(),
                options,
                timeoutNanos(),
                arguments.has(STACKS),
                arguments.has(TAG_OUTPUT),
                outputFolder(),
                choice(BIND_TO, binds ? "core" : "none", "none", "core").equals("core"),
                arguments.has(REPORT_BINDINGS),
                arguments.has(DISPLAY),
                arguments.has(VERBOSE),
                arguments.has(QUIET));
    }

    private Path folder() {
        final String text = arguments.value(FOLDER);
        if (text != null && text.isBlank()) {
            throw new UsageException(FOLDER + " is empty: it takes a folder");
        }
        final Path result = Path.of(text == null ? "" : text).toAbsolutePath();
        if (!Files.isDirectory(result)) {
            throw new UsageException((text == null ? "the working directory " + result : FOLDER + " " + text)
                    + ": there is no such folder");
        }
        return result;
    }

    /** Makes it, so that a folder that cannot be is known before anything runs. */
    private Path outputFolder() {
        final String text = arguments.value(OUTPUT_FOLDER);
        if (text == null) {
            return null;
        }
        final Path folder = Path.of(text).toAbsolutePath();
        try {
            if (!text.isBlank() && Files.isWritable(Files.createDirectories(folder))) {
                return folder;
            }
        } catch (final IOException e) {
            throw new UsageException(OUTPUT_FOLDER + " " + text + ": it cannot be made: " + Reason.of(e));
        }
        throw new UsageException(OUTPUT_FOLDER + " " + text + ": it takes a folder that can be written to");
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

    private String drillInterval() {
        final String text = arguments.value(DRILL);
        try {
            if (Options.time(text) >= Options.time(LEAST_DRILL)) {
                return text.matches("\\d+") ? text + "s" : text;
            }
        } catch (final IllegalArgumentException e) {
            throw new UsageException(DRILL + ": " + e.getMessage());
        }
        throw new UsageException(DRILL + " " + text + ": it takes a time from " + LEAST_DRILL + " on, such as 30s");
    }

    private String choice(final String option, final String otherwise, final String... allowed) {
        final String text = arguments.value(option);
        if (text != null && !List.of(allowed).contains(text)) {
            throw new UsageException(option + " " + text + ": it can be " + String.join(" or ", allowed));
        }
        return text == null ? otherwise : text;
    }

    private static int number(final String option, final String text) {
        try {
            final int number = Integer.parseInt(text.strip());
            if (number >= 1 && number <= MOST_RANKS) {
                return number;
            }
        } catch (final NumberFormatException e) {
            // Said below.
        }
        throw new UsageException(option + " " + text + ": it takes a whole number from 1 to " + MOST_RANKS);
    }
}
