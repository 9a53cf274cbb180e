package org.parley.launcher;

import java.nio.file.InvalidPathException;
import java.util.List;
import java.util.concurrent.Callable;
import org.parley.ParleyException;

/** The parley command. */
public final class Main {
    static final int USAGE = 2;

    private Main() {}

    /**
     * Runs one command and exits with its code.
     *
     * @param args the command line
     */
    public static void main(final String[] args) {
        final int code = run(List.of(args));
        if (code == 0 && System.out.checkError()) {
            System.err.println("parley: cannot write to the standard output");
            System.exit(1);
        }
        System.exit(code);
    }

    /**
     * Runs one command.
     *
     * @return its exit code
     */
    static int run(final List<String> line) {
        try {
            return execute(line);
        } catch (final UsageException e) {
            System.err.println(Failures.clean(e.getMessage()));
            return USAGE;
        }
    }

    private static int execute(final List<String> line) {
        final String first = line.isEmpty() ? "" : line.get(0);
        if (first.equals("--version") || first.equals("-V")) {
            System.out.println("parley " + version());
            return 0;
        }
        final Command command = command(first);
        if (command != null) {
            final Arguments plain = Arguments.readPlain(command, line.subList(1, line.size()));
            if (plain != null) {
                return run(command, () -> command.run(plain));
            }
        }
        final Picocli picocli = new Picocli(commands());
        if (line.isEmpty()) {
            System.err.print(picocli.help(null));
            return USAGE;
        }
        final Arguments arguments = picocli.read(line);
        if (arguments == null) {
            System.out.print(picocli.help(command));
            return 0;
        }
        return run(command, () -> command.run(arguments));
    }

    private static int run(final Command command, final Callable<Integer> what) {
        try {
            return what.call();
        } catch (final UsageException e) {
            throw new UsageException("parley " + command.name() + ": " + e.getMessage());
        } catch (final InvalidPathException e) {
            throw new UsageException("parley " + command.name() + ": \"" + e.getInput()
                    + "\" cannot be the name of a file in this locale: set LC_ALL=C.UTF-8");
        } catch (final Throwable e) {
            // Of a machine that is short of something; who reads it is no programmer of ours.
            System.err.println("parley " + command.name() + ": " + (e instanceof ParleyException ? e.getMessage() : e));
            return 1;
        }
    }

    /** Returns a command by name, or null; only the class of that one is loaded. */
    private static Command command(final String name) {
        return switch (name) {
            case "run" -> new RunCommand();
            case "bench" -> BenchCommand.bench();
            case "perf" -> BenchCommand.perf();
            case "info" -> new InfoCommand();
            case "doctor" -> new DoctorCommand();
            case "top" -> new TopCommand();
            case "clean" -> new CleanCommand();
            case "agent" -> new AgentCommand();
            case "generate-completion" -> new CompletionCommand();
            default -> null;
        };
    }

    static List<Command> commands() {
        return List.of(
                command("run"),
                command("bench"),
                command("perf"),
                command("info"),
                command("doctor"),
                command("top"),
                command("clean"),
                command("generate-completion"));
    }

    /** Returns where this Parley is, or an empty text if it is no distribution. */
    static String home() {
        return System.getProperty("parley.home", "");
    }

    /** Returns this build's version. */
    static String version() {
        final String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "(unpacked classes)" : version;
    }
}
