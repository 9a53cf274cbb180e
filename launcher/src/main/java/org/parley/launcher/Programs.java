package org.parley.launcher;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.parley.config.Options;
import org.parley.transport.Reason;

/** Puts together the command line of a rank, and finds what a user got wrong before it is run. */
final class Programs {
    /** What Agrona and JNA need, on every JDK from 17 on. */
    private static final List<String> FLAGS =
            List.of("--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED");

    /**
     * The JVM's own choice on two cores or more is G1, whose barriers at each store of a reference halve
     * the rate of small messages; a JVM with one core of its own chooses well by itself.
     */
    private static final String COLLECTOR = "-XX:+UseParallelGC";

    /** Benchmarks keep nothing on the heap. */
    private static final String SMALL_COLLECTOR = "-XX:+UseSerialGC";

    private static final String BOUNDS = "agrona.disable.bounds.checks";
    private static final List<String> JVM_VARIABLES = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    private final RunOptions run;
    private final Options options;
    private final Library library = new Library();

    Programs(final RunOptions run, final Options options) {
        this.run = run;
        this.options = options;
    }

    /** Any program. */
    JobSpec.Program exec(final List<String> command) {
        if (Tools.find(command.get(0)) == null) {
            throw new UsageException(
                    command.get(0).indexOf('/') >= 0 && Files.exists(Path.of(command.get(0)))
                            ? command.get(0) + " is no program: it cannot be executed"
                            : "there is no program \"" + command.get(0) + "\"");
        }
        final List<String> absolute = new ArrayList<>(command);
        if (command.get(0).indexOf('/') >= 0) {
            absolute.set(0, Path.of(command.get(0)).toAbsolutePath().toString());
        }
        return new JobSpec.Program(absolute, false, List.of(), false);
    }

    /**
     * A class, or a jar that names its main class, and arguments.
     *
     * @param classPath the user's, or null
     */
    JobSpec.Program java(final String classPath, final List<String> program) {
        final String first = program.get(0);
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        if (!options.flag(Options.CHECK) && !isSetByUser(BOUNDS)) {
            command.add("-D" + BOUNDS + "=true");
        }
        run.settings().forEach((key, value) -> command.add("-Dparley." + key + "=" + value));
        final String users;
        final String main;
        if (first.endsWith(".jar")) {
            users = classPath == null ? first : first + File.pathSeparator + classPath;
            main = readManifest(first, command);
        } else {
            main = first;
            users = users(classPath, main);
        }
        command.addAll(library.archive(main));
        if (!isCollectorChosen()) {
            command.add(Library.isOurs(first) ? SMALL_COLLECTOR : COLLECTOR);
        }
        command.addAll(run.javaOptions());
        command.add("-cp");
        final String ofUser = absolute(users);
        command.add(library.classPath(ofUser, main));
        command.add(main);
        command.addAll(program.subList(1, program.size()));
        final List<String> entries = ofUser.isEmpty() ? List.of() : List.of(ofUser.split(File.pathSeparator));
        return new JobSpec.Program(command, true, entries, false);
    }

    private static String users(final String classPath, final String main) {
        if (Library.isOurs(main)) {
            return classPath == null ? "" : classPath;
        }
        final String path = classPath == null ? System.getenv().getOrDefault("CLASSPATH", ".") : classPath;
        checkExists(main, path);
        return path;
    }

    private boolean isCollectorChosen() {
        return run.isBoundToCore()
                || Stream.concat(
                                run.javaOptions().stream(),
                                JVM_VARIABLES.stream()
                                        .map(name -> System.getenv().getOrDefault(name, "")))
                        .anyMatch(text -> text.matches("(?s).*-XX:\\+Use\\w*GC.*"));
    }

    private boolean isSetByUser(final String property) {
        if (run.javaOptions().stream().anyMatch(option -> option.contains(property))) {
            return true;
        }
        return JVM_VARIABLES.stream()
                .anyMatch(name -> System.getenv().getOrDefault(name, "").contains(property));
    }

    /** Ranks may run elsewhere; the class path means what it means where it was typed. */
    private String absolute(final String path) {
        if (!run.isElsewhere() || path.isEmpty()) {
            return path;
        }
        final List<String> entries = new ArrayList<>();
        for (final String entry : path.split(File.pathSeparator)) {
            entries.add(Path.of(entry).toAbsolutePath().normalize().toString());
        }
        return String.join(File.pathSeparator, entries);
    }

    /** Returns a jar's main class; what else its manifest asks of a JVM becomes options. */
    private static String readManifest(final String jar, final List<String> command) {
        final Attributes attributes;
        final String main;
        try (JarFile file = new JarFile(jar)) {
            final Manifest manifest = file.getManifest();
            attributes = manifest == null ? new Attributes() : manifest.getMainAttributes();
            main = attributes
                    .getOrDefault(Attributes.Name.MAIN_CLASS, "")
                    .toString()
                    .strip();
            if (main.isEmpty()) {
                throw new UsageException(jar + " names no main class: write -cp " + jar + " and the class");
            }
            if (file.getEntry(fileOf(main)) == null && !attributes.containsKey(Attributes.Name.CLASS_PATH)) {
                throw new UsageException(jar + " names " + main + " as its main class, but does not hold it");
            }
        } catch (final IOException e) {
            throw new UsageException("cannot read " + jar + ": " + Reason.of(e));
        }
        for (final String option : List.of("Add-Opens", "Add-Exports")) {
            final String packages = attributes.getValue(option);
            for (final String name : packages == null ? new String[0] : packages.split("\\s+")) {
                command.add("--" + option.toLowerCase(Locale.ROOT));
                command.add(name + "=ALL-UNNAMED");
            }
        }
        return main;
    }

    private static String fileOf(final String className) {
        return className.replace('.', '/') + ".class";
    }

    /** Otherwise every rank would say so, each in three lines. */
    private static void checkExists(final String main, final String path) {
        final String file = fileOf(main);
        final List<String> missing = new ArrayList<>();
        final List<String> closed = new ArrayList<>();
        for (final String entry : path.split(File.pathSeparator)) {
            final Path place = Path.of(entry.isEmpty() ? "." : entry);
            if (entry.endsWith("*")) {
                // The JVM looks into all jars of the folder; so many are not opened here.
                return;
            } else if (!Files.exists(place)) {
                missing.add(entry);
            } else if (!Files.isReadable(place)) {
                closed.add(entry);
            } else if (Files.isDirectory(place) ? Files.exists(place.resolve(file)) : has(place, file)) {
                return;
            }
        }
        String hint = "";
        if (main.endsWith(".java") || main.endsWith(".class")) {
            hint = "; name the class, as in " + main.substring(0, main.lastIndexOf('.'));
        } else if (!missing.isEmpty()) {
            hint = "; of that, " + String.join(", ", missing) + " does not exist";
        } else if (!closed.isEmpty()) {
            hint = "; of that, you may not read " + String.join(", ", closed);
        }
        throw new UsageException("there is no class " + main + " in " + (path.isEmpty() ? "this folder" : path) + hint);
    }

    private static boolean has(final Path jar, final String file) {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            // A class path in the manifest may lead on to it.
            return zip.getEntry(file) != null || hasClassPath(jar);
        } catch (final IOException e) {
            throw new UsageException("cannot read " + jar + " of the class path: " + Reason.of(e));
        }
    }

    private static boolean hasClassPath(final Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.getManifest() != null
                    && file.getManifest().getMainAttributes().containsKey(Attributes.Name.CLASS_PATH);
        }
    }
}
