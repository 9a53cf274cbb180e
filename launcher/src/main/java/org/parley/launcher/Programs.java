package org.parley.launcher;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.parley.config.Options;

/** Puts together the command line of a rank, and finds what a user got wrong before it is run. */
final class Programs {
    private static final List<String> FLAGS =
            List.of("--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED");
    private static final String BOUNDS = "agrona.disable.bounds.checks";
    private static final List<String> OURS =
            List.of("parley-launcher", "parley-benchmarks", "picocli", "jackson", "HdrHistogram");

    private final RunOptions run;
    private final Options options;

    Programs(final RunOptions run, final Options options) {
        this.run = run;
        this.options = options;
    }

    JobSpec.Program exec(final List<String> command) {
        if (Tools.find(command.get(0)) == null) {
            throw new UsageException("there is no program " + command.get(0));
        }
        return new JobSpec.Program(command, false, false);
    }

    JobSpec.Program java(final String classPath, final List<String> program) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        if (!options.flag(Options.CHECK)) {
            command.add("-D" + BOUNDS + "=true");
        }
        run.settings.forEach((key, value) -> command.add("-Dparley." + key + "=" + value));
        command.addAll(run.javaOptions);
        final String first = program.get(0);
        final String given = classPath != null ? classPath : System.getenv().getOrDefault("CLASSPATH", ".");
        command.add("-cp");
        if (first.endsWith(".jar")) {
            command.add(first + File.pathSeparator + library(false));
            command.add(mainClass(Path.of(first)));
        } else {
            command.add(given + File.pathSeparator + library(first.startsWith("org.parley.")));
            command.add(first);
        }
        command.addAll(program.subList(1, program.size()));
        return new JobSpec.Program(command, true, false);
    }

    private static String mainClass(final Path jar) {
        try (JarFile file = new JarFile(jar.toFile())) {
            final Manifest manifest = file.getManifest();
            final String main =
                    manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
            if (main == null) {
                throw new UsageException(jar + " names no Main-Class: give -cp " + jar + " and the class");
            }
            return main.strip();
        } catch (final IOException e) {
            throw new UsageException("cannot read " + jar + ": " + e.getMessage());
        }
    }

    /** Returns the class path that ranks get from us. */
    private static String library(final boolean all) {
        final String home = System.getProperty("parley.home");
        if (home == null) {
            return System.getProperty("java.class.path");
        }
        final List<String> jars = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(home, "lib"), "*.jar")) {
            for (final Path jar : files) {
                final String name = jar.getFileName().toString();
                if (all || OURS.stream().noneMatch(name::startsWith)) {
                    jars.add(jar.toString());
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot list " + home + "/lib", e);
        }
        // Parley's own first: they are asked for most.
        jars.sort((a, b) -> Boolean.compare(b.contains("parley-"), a.contains("parley-")));
        return String.join(File.pathSeparator, jars);
    }
}
