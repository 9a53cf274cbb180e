package org.parley.launcher;

import java.util.ArrayList;
import java.util.List;
import org.parley.config.Values;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Help, completion, and all command lines that are not plainly right. */
final class Picocli {
    private static final String HELP = "--help";
    private static final String MAIN = "parley";

    private final CommandLine main;
    private final List<Command> commands;

    Picocli(final List<Command> commands) {
        this.commands = commands;
        final CommandSpec spec = CommandSpec.create().name(MAIN);
        spec.usageMessage()
                .description("MPI-style messaging for Java over shared memory, TCP and RDMA.")
                .synopsisSubcommandLabel("COMMAND")
                .footer("", "parley COMMAND --help tells a command's options.");
        spec.addOption(help());
        spec.addOption(OptionSpec.builder("-V", "--version")
                .description("Print the version.")
                .build());
        main = new CommandLine(spec);
        for (final Command command : commands) {
            main.addSubcommand(command.name(), line(command));
        }
    }

    private static OptionSpec help() {
        return OptionSpec.builder("-h", HELP)
                .usageHelp(true)
                .description("Show this help.")
                .build();
    }

    private static CommandLine line(final Command command) {
        final CommandSpec spec = CommandSpec.create();
        spec.usageMessage()
                .customSynopsis(MAIN + " " + command.name() + " [OPTIONS] " + command.operands())
                .description(command.summary())
                .sortOptions(false)
                .width(100);
        for (final Flag flag : command.flags()) {
            final OptionSpec.Builder option =
                    OptionSpec.builder(flag.names().toArray(new String[0])).description(flag.help());
            if (flag.hasValue()) {
                option.paramLabel(flag.parameter())
                        .type(List.class)
                        .auxiliaryTypes(String.class)
                        .arity("1");
            }
            spec.addOption(option.build());
        }
        if (!command.passesUnknown()) {
            spec.addOption(help());
        }
        if (!command.operands().isEmpty()) {
            spec.addPositional(PositionalParamSpec.builder()
                    .paramLabel(command.operands())
                    .hidden(true)
                    .type(List.class)
                    .auxiliaryTypes(String.class)
                    .arity("0..*")
                    .build());
        }
        final CommandLine line = new CommandLine(spec);
        line.setOverwrittenOptionsAllowed(true);
        line.setStopAtPositional(command.programFollows());
        line.setUnmatchedArgumentsAllowed(command.passesUnknown());
        return line;
    }

    /** Returns the words that a shell is to be given for completion. */
    String completion() {
        return AutoComplete.bash(MAIN, main);
    }

    /** Returns the help of a command, or of parley itself. */
    String help(final Command command) {
        return (command == null ? main : main.getSubcommands().get(command.name())).getUsageMessage();
    }

    /**
     * Reads a command line.
     *
     * @param line all of it, with the command
     * @return what it says of the command, or null if it asks for help
     * @throws UsageException if it is wrong
     */
    Arguments read(final List<String> line) {
        final ParseResult result;
        try {
            result = main.parseArgs(line.toArray(new String[0]));
        } catch (final ParameterException e) {
            throw new UsageException(message(e));
        }
        final ParseResult sub = result.subcommand();
        if (sub == null || sub.isUsageHelpRequested()) {
            return null;
        }
        final Arguments arguments = new Arguments();
        for (final Flag flag : commandOf(sub).flags()) {
            if (sub.hasMatchedOption(flag.name())) {
                final List<String> values =
                        new ArrayList<>(sub.matchedOption(flag.name()).originalStringValues());
                if (values.isEmpty() || !flag.hasValue()) {
                    values.clear();
                    values.add("");
                }
                values.forEach(value -> arguments.add(flag.key(), value));
            }
        }
        sub.matchedPositionals().forEach(p -> arguments.addRest(p.originalStringValues()));
        arguments.addRest(sub.unmatched());
        return arguments;
    }

    private Command commandOf(final ParseResult sub) {
        final String name = sub.commandSpec().name();
        return commands.stream().filter(c -> c.name().equals(name)).findFirst().orElseThrow();
    }

    private static String message(final ParameterException e) {
        final CommandLine line = e.getCommandLine();
        final String name = line.getCommandSpec().qualifiedName();
        if (!(e instanceof UnmatchedArgumentException unmatched)) {
            // By the name that users know, where picocli takes the longest.
            final String text = e instanceof MissingParameterException missing
                            && missing.getMissing().get(0) instanceof OptionSpec option
                    ? e.getMessage().replace("'" + option.longestName() + "'", "'" + option.names()[0] + "'")
                    : e.getMessage();
            return name + ": " + Character.toLowerCase(text.charAt(0)) + text.substring(1);
        }
        final String wrong = unmatched.getUnmatched().get(0);
        final List<String> known = new ArrayList<>();
        if (wrong.startsWith("-")) {
            line.getCommandSpec().options().forEach(o -> known.addAll(List.of(o.names())));
            return name + ": there is no option " + wrong + nearest(wrong, known, name);
        }
        known.addAll(line.getSubcommands().keySet());
        return known.isEmpty()
                ? name + ": " + wrong + " is one word too many"
                : name + ": there is no command " + wrong + nearest(wrong, known, name);
    }

    private static String nearest(final String wrong, final List<String> known, final String command) {
        final String nearest = Values.nearest(wrong, known);
        return Values.distance(wrong, nearest) > Math.max(2, wrong.length() / 2)
                ? "; " + command + " --help lists all"
                : "; the nearest is " + nearest;
    }
}
