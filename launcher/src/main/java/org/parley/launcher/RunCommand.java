package org.parley.launcher;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.parley.config.Options;

/** {@code parley run}: starts the ranks of a job and stays with them until the last has ended. */
final class RunCommand implements Command {
    private static final String CLASS_PATH = "-cp";
    private static final String VARIABLE = "-x";
    private static final String EXEC = "--exec";

    @Override
    public String name() {
        return "run";
    }

    @Override
    public String summary() {
        return "Run a program as several ranks. The exit code is that of the first rank that fails,"
                + " with --ft continue of the first that did not and does not end with 0; 128 + signal; 124 after --timeout; 130 after Ctrl-C; 2 if the command line is"
                + " wrong.";
    }

    @Override
    public String operands() {
        return "(Main-Class | app.jar) [ARGS]";
    }

    @Override
    public List<Flag> flags() {
        final List<Flag> flags = new ArrayList<>(RunOptions.FLAGS);
        flags.add(Flag.of(
                "PATH",
                "Where the program's classes are; else CLASSPATH, else this folder.",
                CLASS_PATH,
                "-classpath",
                "--class-path"));
        flags.add(Flag.of(
                "VAR[=VALUE]", "Give ranks a variable of the environment, this one's or another value.", VARIABLE));
        flags.add(Flag.plain("What follows is any program with its arguments, not a Java class.", EXEC));
        return flags;
    }

    @Override
    public boolean programFollows() {
        return true;
    }

    @Override
    public int run(final Arguments arguments) {
        final List<String> program = arguments.rest();
        final boolean isExec = arguments.has(EXEC);
        final RunOptions run = new RunOptions(arguments);
        final Options options = run.options();
        if (run.isPreflight()) {
            if (!run.namesHosts()) {
                throw new UsageException("--preflight examines hosts, and none is named: -H or --hostfile does that");
            }
            final JobSpec.Program none = new JobSpec.Program(List.of(), false, List.of(), false);
            return new Preflight(run.spec(none, Map.of(), options, false)).run();
        }
        if (program.isEmpty() || program.get(0).isBlank()) {
            throw new UsageException(
                    isExec
                            ? "name the program behind --exec"
                            : "name the class or the jar to run, or any program with --exec");
        }
        if (isExec && run.copies()) {
            throw new UsageException("--copy copies the class path of a Java program, and --exec has none");
        }
        final Programs programs = new Programs(run, options);
        final JobSpec.Program ranks =
                isExec ? programs.exec(program) : programs.java(arguments.value(CLASS_PATH), program);
        final Map<String, String> environment = environment(arguments.all(VARIABLE));
        if (isExec) {
            run.settings().forEach((key, value) -> environment.put(Options.variableOf(key), value));
        }
        return new Job(run.spec(ranks, environment, options, false)).run();
    }

    private static Map<String, String> environment(final List<String> variables) {
        final Map<String, String> result = new LinkedHashMap<>();
        for (final String variable : variables) {
            final int equals = variable.indexOf('=');
            final String name = equals < 0 ? variable : variable.substring(0, equals);
            final String value = equals < 0 ? System.getenv(name) : variable.substring(equals + 1);
            if (name.isEmpty()) {
                throw new UsageException(VARIABLE + " " + variable + ": a variable has a name");
            }
            if (Options.isFixed(name)) {
                throw new UsageException(VARIABLE + " " + name + ": the launcher gives each rank its own");
            }
            if (value == null) {
                throw new UsageException(VARIABLE + " " + name + ": there is no such variable here; give it a value:"
                        + " -x " + name + "=...");
            }
            result.put(name, value);
        }
        return result;
    }
}
