package org.parley.launcher;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The jars that come with the launcher, and the archive of the classes that a rank loads at its
 * start.
 *
 * <p>A rank's class path begins with Parley and what it cannot do without in this very version; such
 * an archive is valid only for class paths that begin as the one it was made with. Then come the
 * user's classes, then what a user may well have in another version.
 */
final class Library {
    private static final String HOME = "parley.home";
    private static final String ARCHIVES = "parley.cds";
    private static final String OUR_PACKAGE = "org.parley.";

    /** The program whose start is archived. */
    private static final String REHEARSAL = "org.parley.wireup.Rehearsal";

    private static final List<String> FIRST =
            List.of("parley-runtime", "parley-transport", "parley-collectives", "agrona", "jna");

    private static final List<String> NEVER_FOR_USERS = List.of("parley-", "picocli", "jackson", "HdrHistogram");

    private static final String OUR_LOGGING = "slf4j-jdk14";
    private static final List<String> LOGGING = List.of("logback", "slf4j-", "log4j-slf4j");

    private final List<Path> jars = new ArrayList<>();

    Library() {
        final String home = System.getProperty(HOME);
        if (home == null) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(home, "lib"), "*.jar")) {
            files.forEach(jars::add);
        } catch (final IOException e) {
            throw new UsageException("cannot list " + home + "/lib: " + e);
        }
        jars.sort(null);
    }

    /** Returns a hash of all jars here, by their names and contents. */
    static String hash() {
        try {
            final MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (final Path jar : new Library().jars) {
                digest.update(jar.getFileName().toString().getBytes(StandardCharsets.UTF_8));
                digest.update(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar)));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (final NoSuchAlgorithmException | IOException e) {
            return "cannot be read: " + e.getMessage();
        }
    }

    /** Whether a class is one of ours. */
    static boolean isOurs(final String className) {
        return className.startsWith(OUR_PACKAGE);
    }

    /**
     * Returns a rank's class path.
     *
     * @param users the user's, may be empty
     * @param main the class that is run
     */
    String classPath(final String users, final String main) {
        if (jars.isEmpty()) {
            // Not the distribution: a test, or a run from an IDE.
            return join(users, System.getProperty("java.class.path"));
        }
        final List<String> first = new ArrayList<>();
        final List<String> last = new ArrayList<>();
        for (final String prefix : FIRST) {
            select(first, prefix);
        }
        if (main.equals(REHEARSAL)) {
            return String.join(File.pathSeparator, first);
        }
        final boolean logs = LOGGING.stream().anyMatch(name -> users.contains(File.separator + name));
        for (final Path jar : jars) {
            final String name = jar.getFileName().toString();
            final boolean hidden = !isOurs(main)
                    && (NEVER_FOR_USERS.stream().anyMatch(name::startsWith) || logs && name.startsWith(OUR_LOGGING));
            if (!hidden && !first.contains(jar.toString())) {
                last.add(jar.toString());
            }
        }
        return join(join(String.join(File.pathSeparator, first), users), String.join(File.pathSeparator, last));
    }

    private void select(final List<String> into, final String prefix) {
        for (final Path jar : jars) {
            if (jar.getFileName().toString().startsWith(prefix)) {
                into.add(jar.toString());
            }
        }
    }

    private static String join(final String first, final String second) {
        return first.isEmpty() || second.isEmpty() ? first + second : first + File.pathSeparator + second;
    }

    /** Returns where the archive of the classes that ranks load is, or is to be; null where there is none. */
    static Path rankArchive() {
        final String folder = System.getProperty(ARCHIVES);
        return folder == null ? null : Path.of(folder, "parley-ranks.jsa");
    }

    /** Returns the JVM options for the archive: to use it, to make it, or none. */
    List<String> archive(final String main) {
        final Path archive = rankArchive();
        if (archive == null || jars.isEmpty()) {
            return List.of();
        }
        if (main.equals(REHEARSAL) && !Files.exists(archive)) {
            return List.of("-XX:ArchiveClassesAtExit=" + archive, "-Xlog:disable");
        }
        // A JVM that cannot use it, because of its other options, is to do without and be silent.
        return Files.exists(archive)
                ? List.of("-XX:SharedArchiveFile=" + archive, "-Xshare:auto", "-Xlog:cds*=off")
                : List.of();
    }
}
