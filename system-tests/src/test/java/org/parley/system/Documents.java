package org.parley.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The documents of the work tree, and what is in their fences. */
final class Documents {
    /** The folder of the distribution under test. */
    static final Path DIST = Path.of(System.getProperty("test.dist"));

    /** The work tree. */
    static final Path ROOT = DIST.resolve("../../..").normalize();

    static final Path README = ROOT.resolve("README.md");

    private static final Pattern FENCE = Pattern.compile("^```(\\w*)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    private Documents() {}

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the README's blocks of a language, in order. */
    static List<String> blocks(String language) {
        List<String> result = new ArrayList<>();
        Matcher fence = FENCE.matcher(read(README));
        while (fence.find()) {
            if (fence.group(1).equals(language)) {
                result.add(fence.group(2));
            }
        }
        return result;
    }

    /** Returns the README's only block of a language that has some text in it. */
    static String block(String language, String text) {
        List<String> found =
                blocks(language).stream().filter(block -> block.contains(text)).toList();
        if (found.size() != 1) {
            throw new AssertionError("README.md has " + found.size() + " blocks of " + language + " with " + text);
        }
        return found.get(0);
    }

    /** Returns the documents for users and developers. */
    static List<Path> all() throws IOException {
        List<Path> result = new ArrayList<>(List.of(README, ROOT.resolve("CONTRIBUTING.md")));
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(result::add);
        }
        return result;
    }
}
