package org.parley.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.parley.transport.Option;
import org.parley.transport.Option.Kind;
import org.parley.transport.Reason;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;

/**
 * The options in force, each with its source. From low to high: built in, {@code
 * /etc/parley.properties}, {@code ~/.config/parley/parley.properties}, {@code ./parley.properties},
 * {@code PARLEY_VERBS_QUEUE_DEPTH}, {@code -Dparley.verbs.queue.depth}, {@code --set}. Immutable;
 * any thread.
 */
public final class Options implements TransportContext.OptionValues {
    /** Transports to use or, with {@code ^}, not to use. */
    public static final String TRANSPORTS = "transports";

    /** Above how many ranks one queue pair for all peers is better than one for each. */
    public static final String UD_RANKS = "ud.ranks";

    /** Eager bytes that may lie unexpected at a peer. */
    public static final String EAGER_WINDOW = "eager.window";

    /** Bytes of buffered sends under way. */
    public static final String BUFFERED_LIMIT = "buffered.limit";

    /** Reports of requests that were dropped. */
    public static final String DEBUG = "debug";

    /** How long joining a job may take. */
    public static final String WIREUP_TIMEOUT = "wireup.timeout";

    /** After how long without a sign a rank is taken for dead. */
    public static final String SILENCE_TIMEOUT = "silence.timeout";

    /** After how long it is told that bytes do not move. */
    public static final String STALL_WARNING = "stall.warning";

    /** What leads to other hosts. */
    public static final String LAUNCH_SSH = "launch.ssh";

    /** Where Parley is on other hosts. */
    public static final String LAUNCH_HOME = "launch.home";

    /** Where the JDK is on other hosts. */
    public static final String LAUNCH_JAVA = "launch.java";

    /** How many agents one process starts. */
    public static final String LAUNCH_FANOUT = "launch.fanout";

    /** How long the start on other hosts may take. */
    public static final String LAUNCH_TIMEOUT = "launch.timeout";

    /** Checks that cost time. */
    public static final String CHECK = "check";

    /** What a rank's failure does to the job. */
    public static final String FAULT_TOLERANCE = "ft";

    /** That the other ranks go on. */
    public static final String CONTINUE = "continue";

    private static final List<Option> OWN = List.of(
            new Option(
                    TRANSPORTS,
                    Kind.TEXT,
                    "",
                    "Transports to use (shm,tcp), or not to use (^tcp); empty: all. Which"
                            + " of them a pair of ranks uses follows from where they are."),
            new Option(
                    UD_RANKS,
                    Kind.NUMBER,
                    "256",
                    "Jobs of more ranks than this use RDMA's datagrams (ud) rather than a connection per peer (rc),"
                            + " which takes 4 MiB each."),
            new Option(
                            EAGER_WINDOW,
                            Kind.SIZE,
                            "4m",
                            "Bytes of small messages that a peer may hold for receives that are not"
                                    + " posted; past it, data waits at the sender.")
                    .within("", "2g"),
            new Option(BUFFERED_LIMIT, Kind.SIZE, "64m", "Bytes that buffered sends (bsend) may occupy."),
            new Option(
                    DEBUG,
                    Kind.FLAG,
                    "false",
                    "Report requests that the program dropped, or left behind, before they completed, with"
                            + " the place that made them."),
            new Option(WIREUP_TIMEOUT, Kind.TIME, "60s", "How long ranks wait for each other at the start."),
            new Option(
                    SILENCE_TIMEOUT,
                    Kind.TIME,
                    "30s",
                    "After how long without a sign of life a rank is taken for dead; 0s:"
                            + " never, for a rank that stands in a debugger."),
            new Option(
                    STALL_WARNING,
                    Kind.TIME,
                    "10s",
                    "After how long it is told that bytes for a peer, or from it, wait and do not move; 0s: never."),
            new Option(
                    LAUNCH_SSH,
                    Kind.TEXT,
                    "ssh",
                    "What leads to other hosts: a program that takes a host and a command as ssh does,"
                            + " with arguments if need be (ssh -p 2222 -F file)."),
            new Option(
                    LAUNCH_HOME,
                    Kind.TEXT,
                    "",
                    "The folder of Parley's distribution on other hosts; empty: the same path as here."),
            new Option(LAUNCH_JAVA, Kind.TEXT, "", "The JDK's folder on other hosts; empty: the same path as here."),
            new Option(
                            LAUNCH_FANOUT,
                            Kind.NUMBER,
                            "32",
                            "How many hosts one process starts; with more, these start others.")
                    .within("1", ""),
            new Option(
                    LAUNCH_TIMEOUT,
                    Kind.TIME,
                    "30s",
                    "How long it may take until Parley runs on all hosts, before ranks are started."),
            new Option(
                    CHECK,
                    Kind.FLAG,
                    "false",
                    "Check what each message contains, that ranks agree on collectives, that buffers in use stay as they"
                            + " are, that requests complete, and the bounds of every access to memory; tell of"
                            + " deadlocks. To find faults of a program, or of the library; slower."),
            new Option(
                            FAULT_TOLERANCE,
                            Kind.TEXT,
                            "abort",
                            "What a rank's failure does to the job: abort ends it; with continue the other ranks go on,"
                                    + " and calls that need the failed one raise PeerFailedException.")
                    .oneOf("abort", CONTINUE));

    private static final List<String> FIXED_NAMES = List.of(
            "PARLEY_RANK",
            "PARLEY_SIZE",
            "PARLEY_LOCAL_RANK",
            "PARLEY_LOCAL_SIZE",
            "PARLEY_JOB",
            "PARLEY_RENDEZVOUS",
            "PARLEY_TOKEN_FILE",
            "PARLEY_HOME");

    private static final String PROPERTY = "parley.";
    private static final String VARIABLE = "PARLEY_";
    private static final List<String> FIXED_PROPERTIES = List.of("parley.home", "parley.cds");

    /** One option in force. */
    public record Setting(Option option, String value, String source) {

        /** Returns what users call it. */
        public String key() {
            return option.key();
        }

        /** Returns the built-in value. */
        public String standard() {
            return option.standard();
        }

        /** Returns what it does. */
        public String help() {
            return option.help();
        }
    }

    private final Map<String, Setting> settings;
    private final List<String> transports;
    private final List<String> warnings;

    private Options(final Map<String, Setting> settings, final List<String> transports, final List<String> warnings) {
        this.settings = Collections.unmodifiableMap(settings);
        this.transports = List.copyOf(transports);
        this.warnings = List.copyOf(warnings);
    }

    /**
     * Reads the options from everywhere.
     *
     * @param commandLine what {@code --set} gave, by key
     * @throws IllegalArgumentException if a value does not parse, naming key, value and source
     */
    public static Options load(final Map<String, String> commandLine) {
        final Loader loader = new Loader();
        loader.file(Path.of("/etc/parley.properties"));
        loader.file(Path.of(System.getProperty("user.home"), ".config/parley/parley.properties"));
        loader.file(Path.of("parley.properties"));
        System.getenv().forEach((name, value) -> {
            if (name.startsWith(VARIABLE) && !isFixed(name)) {
                loader.set(keyOfVariable(name), value, "environment " + name);
            }
        });
        for (final String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith(PROPERTY) && !FIXED_PROPERTIES.contains(name)) {
                loader.set(name.substring(PROPERTY.length()), System.getProperty(name), "system property -D" + name);
            }
        }
        commandLine.forEach((key, value) -> loader.set(key, value, "command line --set"));
        return loader.finish();
    }

    /** Returns the name of the environment variable that sets a key. */
    public static String variableOf(final String key) {
        return VARIABLE + key.toUpperCase(Locale.ROOT).replace('.', '_');
    }

    /**
     * Whether a variable is one of those that tell a rank its place, not an option.
     *
     * @param name of the variable
     */
    public static boolean isFixed(final String name) {
        return FIXED_NAMES.contains(name);
    }

    private static String keyOfVariable(final String name) {
        return name.substring(VARIABLE.length()).toLowerCase(Locale.ROOT).replace('_', '.');
    }

    /** Returns all options in force, by key. */
    public Collection<Setting> settings() {
        return settings.values();
    }

    /**
     * Whether a key is one of an option.
     *
     * @param key what a user wrote
     */
    public boolean isKnown(final String key) {
        return settings.containsKey(key);
    }

    /**
     * Reads a time in the form that options have.
     *
     * @param text such as {@code 30s}; seconds without a unit
     * @return nanoseconds
     * @throws IllegalArgumentException naming the text and the form it should have
     */
    public static long time(final String text) {
        return Values.parse(Kind.TIME, text);
    }

    /** Returns the names of all transports that this JVM can load. */
    public List<String> transports() {
        return transports;
    }

    /** Returns what was wrong but does no harm: unknown keys, each with the nearest known one. */
    public List<String> warnings() {
        return warnings;
    }

    /** Returns the settings that are not built in, as {@code key=value}, one per line, sorted. */
    public String fingerprint() {
        final StringBuilder text = new StringBuilder();
        for (final Setting setting : settings.values()) {
            if (!setting.value().equals(setting.option().standard())) {
                text.append(setting.option().key())
                        .append('=')
                        .append(setting.value())
                        .append('\n');
            }
        }
        return text.toString();
    }

    @Override
    public String text(final String key) {
        return setting(key).value();
    }

    @Override
    public long number(final String key) {
        final Setting setting = setting(key);
        return Values.parse(setting.option().kind(), setting.value());
    }

    @Override
    public boolean flag(final String key) {
        return number(key) != 0;
    }

    private Setting setting(final String key) {
        final Setting setting = settings.get(key);
        if (setting == null) {
            throw new IllegalArgumentException("no option has the key " + key);
        }
        return setting;
    }

    private static final class Loader {
        private final Map<String, Setting> settings = new TreeMap<>();
        private final List<String> transports = new ArrayList<>();
        private final List<String> warnings = new ArrayList<>();

        Loader() {
            final Map<String, Option> known = new LinkedHashMap<>();
            OWN.forEach(option -> known.put(option.key(), option));
            for (final Transport transport : ServiceLoader.load(Transport.class, Transport.class.getClassLoader())) {
                transports.add(transport.name());
                transport.options().forEach(option -> known.put(option.key(), option));
            }
            known.forEach((key, option) -> settings.put(key, new Setting(option, option.standard(), "built in")));
        }

        void file(final Path path) {
            if (!Files.exists(path)) {
                return;
            }
            if (!Files.isRegularFile(path)) {
                // A pipe would be waited for.
                throw unreadable(path, "it is no regular file", null);
            }
            final Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(path)) {
                properties.load(reader);
            } catch (final IOException e) {
                throw unreadable(path, Reason.of(e), e);
            } catch (final IllegalArgumentException e) {
                throw unreadable(path, e.getMessage(), e);
            }
            for (final String key : properties.stringPropertyNames()) {
                set(key, properties.getProperty(key), path.toString());
            }
        }

        private static IllegalArgumentException unreadable(final Path path, final String why, final Exception cause) {
            return new IllegalArgumentException("cannot read options from " + path + ": " + why, cause);
        }

        void set(final String key, final String value, final String source) {
            final Setting known = settings.get(key);
            if (known == null) {
                warnings.add("unknown option "
                        + key
                        + " ("
                        + source
                        + "); the nearest known one is "
                        + Values.nearest(key, settings.keySet()));
                return;
            }
            try {
                Values.check(known.option(), value);
            } catch (final IllegalArgumentException e) {
                throw new IllegalArgumentException("option " + key + " (" + source + "): " + e.getMessage(), e);
            }
            settings.put(key, new Setting(known.option(), value.strip(), source));
        }

        Options finish() {
            return new Options(settings, transports, warnings);
        }
    }
}
