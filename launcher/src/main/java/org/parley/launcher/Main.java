package org.parley.launcher;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.parley.config.Values;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The parley command. */
@Command(
        name = "parley",
        description = "MPI-style messaging for Java.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND")
public final class Main {
    static final int USAGE = 2;

    Main() {}

    /**
     * Runs one command and exits with its code.
     *
     * @param args the command line
     */
    public static void main(final String[] args) {
        System.exit(run(args));
    }

    /**
     * Runs one command.
     *
     * @return its exit code
     */
    static int run(final String... args) {
        final CommandLine main = new CommandLine(new Main());
        addCommands(main, args.length == 0 ? "" : args[0]);
        main.setParameterExceptionHandler(Main::usageError);
        main.setExecutionExceptionHandler(Main::executionError);
        if (args.length == 0) {
            main.usage(main.getErr());
            return USAGE;
        }
        return main.execute(args);
    }

    /** Only the command that is asked for, where that is one: picocli reads each by reflection. */
    private static void addCommands(final CommandLine main, final String wanted) {
        switch (wanted) {
            case "run" -> add(main, new RunCommand());
            case "bench" -> add(main, new BenchCommand());
            default -> {
                add(main, new RunCommand());
                add(main, new BenchCommand());
            }
        }
    }

    private static void add(final CommandLine main, final Object command) {
        final CommandLine line = new CommandLine(command);
        // What stands behind the program is the program's.
        line.setStopAtPositional(command instanceof RunCommand);
        line.setUnmatchedArgumentsAllowed(command instanceof BenchCommand);
        main.addSubcommand(line);
    }

    private static int usageError(final ParameterException e, final String[] args) {
        final CommandLine command = e.getCommandLine();
        final PrintWriter err = command.getErr();
        err.println(command.getCommandSpec().qualifiedName() + ": " + message(e));
        err.flush();
        return USAGE;
    }

    private static String message(final ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched) {
            final String wrong = unmatched.getUnmatched().get(0);
            final List<String> known = new ArrayList<>();
            final boolean isOption = wrong.startsWith("-");
            if (isOption) {
                e.getCommandLine().getCommandSpec().options().forEach(option -> known.addAll(List.of(option.names())));
            } else {
                known.addAll(e.getCommandLine().getSubcommands().keySet());
            }
            final String kind = isOption ? "option" : "command";
            return "there is no "
                    + kind
                    + " "
                    + wrong
                    + (known.isEmpty() ? "" : "; the nearest is " + Values.nearest(wrong, known));
        }
        return e.getMessage();
    }

    private static int executionError(
            final Exception e, final CommandLine command, final CommandLine.ParseResult result) {
        final PrintWriter err = command.getErr();
        err.println(command.getCommandSpec().qualifiedName() + ": " + e.getMessage());
        err.flush();
        return e instanceof UsageException ? USAGE : 1;
    }

    /** What --version prints. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            final String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"parley " + (version == null ? "(unpacked classes)" : version)};
        }
    }
}
