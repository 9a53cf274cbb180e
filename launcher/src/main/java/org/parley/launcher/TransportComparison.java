package org.parley.launcher;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.parley.transport.Reason;

/**
 * {@code parley bench --compare rc,ud,tcp,shm}: the same benchmarks over one transport after the other between the
 * same hosts, each a job of its own, and one table of all.
 */
final class TransportComparison {
    private static final String COMPARE = "--compare";
    private static final String FORMAT = "--format";
    private static final String JSON = "json";
    private static final String RC = "rc";
    private static final String TCP = "tcp";
    private static final Set<String> TRANSPORTS = Set.of(RC, "ud", TCP, "shm", "self");
    private static final String EXPECTED =
            "parley bench: of PVRDMA through a physical adapter about a tenth of TCP's latency is"
                    + " expected, and about 80 % of the link's bandwidth";

    private final List<String> transports;
    private final List<String> line;
    private final boolean isJson;

    private TransportComparison(final List<String> transports, final List<String> line, final boolean isJson) {
        this.transports = transports;
        this.line = line;
        this.isJson = isJson;
    }

    /**
     * Looks whether that is what the user wants.
     *
     * @param flags the options that are not in the rest
     * @return null if not
     */
    static TransportComparison of(final Arguments arguments, final List<Flag> flags) {
        final List<String> words = new ArrayList<>();
        List<String> names = List.of();
        String format = "osu";
        final List<String> rest = arguments.rest();
        for (int i = 0; i < rest.size(); i++) {
            final String word = rest.get(i);
            final String value = word.contains("=")
                    ? word.substring(word.indexOf('=') + 1)
                    : i + 1 < rest.size() ? rest.get(i + 1) : "";
            final boolean isCompare = word.equals(COMPARE) || word.startsWith(COMPARE + "=");
            final boolean isFormat = word.equals(FORMAT) || word.startsWith(FORMAT + "=");
            if (!isCompare && !isFormat) {
                words.add(word);
                continue;
            }
            i += word.contains("=") ? 0 : 1;
            if (isCompare) {
                names = Arrays.stream(value.split(",")).map(String::strip).toList();
            } else {
                format = value;
            }
        }
        if (names.stream().noneMatch(TRANSPORTS::contains)) {
            return null;
        }
        if (!TRANSPORTS.containsAll(names) || Set.copyOf(names).size() < Math.max(2, names.size())) {
            throw new UsageException(COMPARE + " " + String.join(",", names)
                    + ": two transports or more (rc, ud, tcp, shm), each once; or buffers and files, but not both");
        }
        if (new RunOptions(arguments).namesTransports()) {
            throw new UsageException(COMPARE + " names the transports: leave --transports away");
        }
        if (!format.equals("osu") && !format.equals(JSON)) {
            throw new UsageException(COMPARE + " of transports prints a table or JSON, no " + format);
        }
        final List<String> line = new ArrayList<>();
        for (final Flag flag : flags) {
            for (final String value : arguments.all(flag.key())) {
                line.add(flag.name());
                if (flag.hasValue()) {
                    line.add(value);
                }
            }
        }
        line.addAll(words);
        return new TransportComparison(names, line, format.equals(JSON));
    }

    /**
     * Runs them.
     *
     * @param table the command of the table, without its arguments
     * @return exit code: that of the first run that failed, if one has
     */
    int run(final List<String> table) {
        if (Main.home().isEmpty()) {
            throw new UsageException(COMPARE + " of transports needs a distribution of Parley");
        }
        try {
            final Path folder = Files.createTempDirectory("parley-compare");
            try {
                return run(folder, new ArrayList<>(table));
            } finally {
                for (final String transport : transports) {
                    Files.deleteIfExists(file(folder, transport));
                }
                Files.deleteIfExists(folder);
            }
        } catch (final IOException e) {
            throw new UsageException("cannot keep results in a file meanwhile: " + Reason.of(e));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    private int run(final Path folder, final List<String> table) throws IOException, InterruptedException {
        int code = 0;
        final List<String> found = new ArrayList<>();
        for (final String transport : transports) {
            System.err.println("parley bench: over " + transport);
            final List<String> command = new ArrayList<>(
                    List.of(Path.of(Main.home(), "bin", "parley").toString(), "bench"));
            command.addAll(List.of("--transports", "self," + transport));
            command.addAll(line);
            command.addAll(List.of(FORMAT, JSON));
            final int ended = start(command, file(folder, transport).toFile());
            if (ended == 0) {
                found.add(file(folder, transport).toString());
            } else if (ended == Main.USAGE) {
                return ended;
            } else {
                System.err.println("parley bench: over " + transport + " it failed: left out");
                code = code == 0 ? ended : code;
            }
        }
        if (found.isEmpty()) {
            return code;
        }
        if (isJson) {
            table.add("--json");
        }
        table.addAll(found);
        final int printed = start(table, null);
        if (transports.contains(TCP) && transports.contains(RC)) {
            System.err.println(EXPECTED);
        }
        return code == 0 ? printed : code;
    }

    private static Path file(final Path folder, final String transport) {
        return folder.resolve(transport + ".json");
    }

    /** Runs a command to its end; its output goes to a file if there is one. */
    private static int start(final List<String> command, final File out) throws IOException, InterruptedException {
        final ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        if (out != null) {
            builder.redirectOutput(out);
        }
        final Process process = builder.start();
        try {
            return process.waitFor();
        } finally {
            process.destroy();
        }
    }
}
