package org.parley.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Maven project that depends on the one artifact, with the README's dependency, Surefire settings
 * and unit test. Its repository shows it this build's artifacts beside those that the build has
 * downloaded; nothing is installed and nothing fetched.
 */
class ConsumerProjectTest {
    private static final Path MAVEN = Path.of(System.getProperty("maven.home", ""), "bin", "mvn");
    private static final Path DOWNLOADED = Path.of(System.getProperty("maven.repository", ""));
    private static final String VERSION = System.getProperty("test.version");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>([^<]+)</artifactId>");

    @TempDir
    Path folder;

    private Path repository;
    private Path project;

    @BeforeEach
    void makeProject() throws IOException {
        assumeTrue(Files.isExecutable(MAVEN), "there is no " + MAVEN);
        repository = folder.resolve("repository");
        link(DOWNLOADED, repository, "org");
        link(DOWNLOADED.resolve("org"), repository.resolve("org"), "parley");
        for (Path pom : poms()) {
            publish(pom);
        }
        project = Files.createDirectories(folder.resolve("project"));
        Path tests = Files.createDirectories(project.resolve("src/test/java"));
        Files.writeString(tests.resolve("HelloTest.java"), Documents.block("java", "class HelloTest "));
    }

    /** Or JUnit warns of each that it points out of its folder. */
    @AfterEach
    void removeLinks() throws IOException {
        for (Path parent : List.of(repository, repository.resolve("org"))) {
            for (Path entry : entries(parent)) {
                if (Files.isSymbolicLink(entry)) {
                    Files.delete(entry);
                }
            }
        }
    }

    @Test
    void shouldTestWithTheReadmesSettings() throws Exception {
        Command.Result result = build(Documents.block("xml", "maven-surefire-plugin"));

        assertThat(result.code()).as("%s", result).isZero();
        assertThat(project.resolve("target/surefire-reports/HelloTest.txt"))
                .content()
                .contains("Tests run: 1, Failures: 0, Errors: 0, Skipped: 0");
    }

    @Test
    void shouldNameTheOptionThatSurefireMisses() throws Exception {
        Command.Result result = build("");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out())
                .contains("must be started with the option --add-opens java.base/jdk.internal.misc=ALL-UNNAMED ")
                .doesNotContain("org.agrona");
    }

    private Command.Result build(String surefire) throws Exception {
        String plugin = surefire.replace("<plugin>", "")
                .replace("</plugin>", "")
                .replaceFirst("<artifactId>.*</artifactId>", "");
        Files.writeString(project.resolve("pom.xml"), pom(plugin));
        return Command.run(
                project,
                Map.of("MAVEN_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"),
                MAVEN.toString(),
                "--offline",
                "--batch-mode",
                "--quiet",
                "-Dmaven.repo.local=" + repository,
                // The build's repositories may have other names: take what is there.
                "-Daether.enhancedLocalRepository.trackingFilename=none",
                "test");
    }

    private static String pom(String surefire) {
        return """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>com.example</groupId>
                  <artifactId>consumer</artifactId>
                  <version>1</version>
                  <properties>
                    <maven.compiler.release>17</maven.compiler.release>
                    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
                  </properties>
                  <dependencies>
                    %s
                    <dependency>
                      <groupId>org.junit.jupiter</groupId>
                      <artifactId>junit-jupiter</artifactId>
                      <version>%s</version>
                      <scope>test</scope>
                    </dependency>
                  </dependencies>
                  <build>
                    <plugins>
                      <plugin>
                        <artifactId>maven-resources-plugin</artifactId>
                        <version>%s</version>
                      </plugin>
                      <plugin>
                        <artifactId>maven-compiler-plugin</artifactId>
                        <version>%s</version>
                      </plugin>
                      <plugin>
                        <artifactId>maven-surefire-plugin</artifactId>
                        <version>%s</version>
                        %s
                      </plugin>
                    </plugins>
                  </build>
                </project>
                """.formatted(
                        Documents.block("xml", "<dependency>"),
                        versionOf("junit"),
                        versionOf("resources-plugin"),
                        versionOf("compiler-plugin"),
                        versionOf("surefire-plugin"),
                        surefire);
    }

    /** Returns the version that this build uses, so that it has been downloaded. */
    private static String versionOf(String what) {
        Matcher version = Pattern.compile("<" + what + "\\.version>([^<]+)<")
                .matcher(Documents.read(Documents.ROOT.resolve("pom.xml")));
        assertThat(version.find()).as(what).isTrue();
        return version.group(1);
    }

    private static List<Path> poms() throws IOException {
        List<Path> folders = new ArrayList<>(List.of(Documents.ROOT));
        folders.addAll(entries(Documents.ROOT));
        folders.addAll(entries(Documents.ROOT.resolve("transports")));
        return folders.stream()
                .map(module -> module.resolve("pom.xml"))
                .filter(Files::exists)
                .toList();
    }

    /** Puts a module where Maven looks for what was installed. */
    private void publish(Path pom) throws IOException {
        Matcher artifact = ARTIFACT.matcher(Documents.read(pom).replaceFirst("(?s)<parent>.*</parent>", ""));
        assertThat(artifact.find()).as("%s", pom).isTrue();
        String name = artifact.group(1);
        Path place = Files.createDirectories(
                repository.resolve("org/parley").resolve(name).resolve(VERSION));
        String file = name + "-" + VERSION;
        Files.copy(pom, place.resolve(file + ".pom"));
        Path jar = Documents.DIST.resolve("lib").resolve(file + ".jar");
        if (Files.exists(jar)) {
            Files.copy(jar, place.resolve(file + ".jar"));
        }
    }

    /** Makes links to everything in a folder but one entry. */
    private static void link(Path from, Path into, String except) throws IOException {
        Files.createDirectories(into);
        for (Path entry : entries(from)) {
            if (!entry.endsWith(except)) {
                Files.createSymbolicLink(into.resolve(entry.getFileName()), entry);
            }
        }
    }

    private static List<Path> entries(Path parent) throws IOException {
        try (Stream<Path> entries = Files.list(parent)) {
            return entries.toList();
        }
    }
}
