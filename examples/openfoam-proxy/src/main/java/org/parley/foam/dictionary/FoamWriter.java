package org.parley.foam.dictionary;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.parley.foam.dictionary.Token.Kind;

/** Writes OpenFOAM's ascii format: a header, then entries and lists, indented as OpenFOAM does. */
public final class FoamWriter implements Closeable {
    private static final int INDENT = 4;
    private static final int HEADER = 12;
    private static final int KEYWORD = 16;
    private static final int SHORT = 10;

    private final Path file;
    private final Path part;
    private final int precision;
    private final BufferedWriter out;
    private final StringBuilder line = new StringBuilder();
    private int level;
    private boolean failed;

    private FoamWriter(final Path file, final Path part, final int precision, final BufferedWriter out) {
        this.file = file;
        this.part = part;
        this.precision = precision;
        this.out = out;
    }

    /**
     * Creates a file, and the folders that it is in. It has its name once it is closed: nobody sees half of it.
     *
     * @param file which.
     * @param precision significant digits of its numbers.
     * @return a writer of it.
     */
    public static FoamWriter create(final Path file, final int precision) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            final Path part = file.resolveSibling(file.getFileName() + ".part");
            return new FoamWriter(file, part, precision, Files.newBufferedWriter(part, StandardCharsets.UTF_8));
        } catch (final IOException e) {
            throw new FoamException(file, 0, "cannot be written: " + e);
        }
    }

    /**
     * Writes the header.
     *
     * @param type the class of the object.
     * @param location its folder.
     * @param object its name.
     */
    public void header(final String type, final String location, final String object) {
        header(type, location, object, null);
    }

    /**
     * Writes the header with a note.
     *
     * @param type the class of the object.
     * @param location its folder.
     * @param object its name.
     * @param note counts, for readers that want them before the lists; may be null.
     */
    public void header(final String type, final String location, final String object, final String note) {
        line("FoamFile");
        line("{");
        level++;
        headerEntry("version", "2.0");
        headerEntry("format", "ascii");
        headerEntry("class", type);
        if (note != null) {
            headerEntry("note", '"' + note + '"');
        }
        headerEntry("location", '"' + location + '"');
        headerEntry("object", object);
        level--;
        line("}");
        line("// * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * //");
        line("");
    }

    private void headerEntry(final String keyword, final String value) {
        indent();
        line.append(keyword)
                .append(" ".repeat(HEADER - keyword.length()))
                .append(value)
                .append(';');
        flushLine();
    }

    /** Writes the line that ends a file. */
    public void footer() {
        line("");
        line("// ************************************************************************* //");
    }

    /**
     * Writes a line as it is, indented.
     *
     * @param text of it.
     */
    public void line(final String text) {
        if (!text.isEmpty()) {
            indent();
        }
        line.append(text);
        flushLine();
    }

    /**
     * Opens a dictionary.
     *
     * @param keyword its name.
     */
    public void open(final String keyword) {
        line(keyword);
        line("{");
        level++;
    }

    /**
     * Opens a list.
     *
     * @param count of its elements.
     */
    public void openList(final int count) {
        line(Integer.toString(count));
        line("(");
        level++;
    }

    /**
     * Closes a dictionary or a list.
     *
     * @param sign <code>}</code> or {@code )}.
     */
    public void close(final String sign) {
        level--;
        line(sign);
    }

    /**
     * Writes an entry.
     *
     * @param keyword its name.
     * @param value its text.
     */
    public void entry(final String keyword, final String value) {
        keyword(keyword);
        line.append(value).append(';');
        flushLine();
    }

    /**
     * Writes the dimensions of a field.
     *
     * @param exponents seven.
     */
    public void dimensions(final double[] exponents) {
        keyword("dimensions");
        line.append('[');
        for (int i = 0; i < exponents.length; i++) {
            line.append(i == 0 ? "" : " ");
            Numbers.append(line, exponents[i], precision);
        }
        line.append("];");
        flushLine();
    }

    /**
     * Writes a field, as uniform where all its values are equal.
     *
     * @param keyword its name.
     * @param components of a value: 1 or 3.
     * @param values the components of all.
     */
    public void field(final String keyword, final int components, final double[] values) {
        keyword(keyword);
        value(components, values);
        line.append(';');
        flushLine();
    }

    /**
     * Writes the entries of a dictionary that is a file, each with an empty line behind it.
     *
     * @param dictionary which.
     */
    public void topEntries(final Dictionary dictionary) {
        for (final Entry entry : dictionary.all()) {
            entry(entry);
            line("");
        }
    }

    /**
     * Writes all entries of a dictionary.
     *
     * @param dictionary which.
     */
    public void entries(final Dictionary dictionary) {
        dictionary.all().forEach(this::entry);
    }

    private void entry(final Entry entry) {
        final String keyword = entry.pattern() ? '"' + entry.keyword() + '"' : entry.keyword();
        if (entry.dictionary() != null) {
            open(keyword);
            entries(entry.dictionary());
            close("}");
            return;
        }
        keyword(keyword);
        tokens(entry.tokens());
        line.append(';');
        flushLine();
    }

    /**
     * Writes a list of whole numbers.
     *
     * @param numbers which.
     */
    public void list(final int[] numbers) {
        if (numbers.length <= SHORT) {
            line.append(numbers.length).append('(');
            for (int i = 0; i < numbers.length; i++) {
                line.append(i == 0 ? "" : " ").append(numbers[i]);
            }
            line.append(')');
            flushLine();
            return;
        }
        line("");
        line.append(numbers.length);
        flushLine();
        line.append('(');
        flushLine();
        for (final int number : numbers) {
            line.append(number);
            flushLine();
        }
        line.append(')');
        flushLine();
        line("");
    }

    /**
     * Writes a list of points, one a line.
     *
     * @param points x, y, z of each.
     */
    public void points(final double[] points) {
        line("");
        line.append(points.length / 3);
        flushLine();
        line.append('(');
        flushLine();
        for (int i = 0; i < points.length; i += 3) {
            element(points, i, 3);
            flushLine();
        }
        line.append(')');
        flushLine();
    }

    /**
     * Writes a list of faces, one a line.
     *
     * @param starts where each begins in {@code vertices}, and where the last one ends.
     * @param vertices the points of all.
     */
    public void faces(final int[] starts, final int[] vertices) {
        line("");
        line.append(starts.length - 1);
        flushLine();
        line.append('(');
        flushLine();
        for (int face = 0; face < starts.length - 1; face++) {
            line.append(starts[face + 1] - starts[face]).append('(');
            for (int i = starts[face]; i < starts[face + 1]; i++) {
                line.append(i == starts[face] ? "" : " ").append(vertices[i]);
            }
            line.append(')');
            flushLine();
        }
        line.append(')');
        flushLine();
    }

    private void tokens(final List<Token> tokens) {
        Token before = null;
        for (final Token token : tokens) {
            if (token.kind() == Kind.LIST) {
                // After "nonuniform", which a uniform field does not have.
                final int components = token.number() == 0 ? 1 : (int) (token.values().length / token.number());
                if (before != null && before.isNamed("nonuniform")) {
                    line.setLength(line.length() - "nonuniform".length());
                    value(components, token.values());
                } else {
                    listed(token.text(), components, token.values());
                }
                before = token;
                continue;
            }
            final boolean tight = before == null
                    || before.is('(')
                    || before.is('[')
                    || token.is(')')
                    || token.is(']')
                    || token.is('(') && before.kind() == Kind.NUMBER && line.charAt(line.length() - 1) != ' ';
            line.append(tight ? "" : " ");
            switch (token.kind()) {
                case NUMBER -> line.append(token.text());
                case STRING ->
                    line.append('"').append(token.text().replace("\"", "\\\"")).append('"');
                default -> line.append(token.text());
            }
            before = token;
        }
    }

    private void value(final int components, final double[] values) {
        if (values.length == 0) {
            line.append("nonuniform 0()");
            return;
        }
        boolean uniform = true;
        for (int i = components; uniform && i < values.length; i++) {
            uniform = values[i] == values[i - components];
        }
        if (uniform) {
            line.append("uniform ");
            element(values, 0, components);
        } else {
            line.append("nonuniform ");
            listed(components == 1 ? "List<scalar>" : "List<vector>", components, values);
        }
    }

    private void listed(final String type, final int components, final double[] values) {
        final int count = values.length / components;
        line.append(type).append(' ');
        if (count <= SHORT) {
            line.append(count).append('(');
            for (int i = 0; i < count; i++) {
                line.append(i == 0 ? "" : " ");
                element(values, components * i, components);
            }
            line.append(')');
            return;
        }
        flushLine();
        line.append(count);
        flushLine();
        line.append('(');
        flushLine();
        for (int i = 0; i < values.length; i += components) {
            element(values, i, components);
            flushLine();
        }
        line.append(')');
        flushLine();
    }

    private void element(final double[] values, final int at, final int components) {
        if (components == 1) {
            Numbers.append(line, values[at], precision);
            return;
        }
        line.append('(');
        for (int i = 0; i < components; i++) {
            line.append(i == 0 ? "" : " ");
            Numbers.append(line, values[at + i], precision);
        }
        line.append(')');
    }

    private void keyword(final String keyword) {
        indent();
        line.append(keyword).append(" ".repeat(Math.max(1, KEYWORD - keyword.length())));
    }

    private void indent() {
        line.append(" ".repeat(INDENT * level));
    }

    private void flushLine() {
        try {
            out.append(line.append('\n'));
        } catch (final IOException e) {
            failed = true;
            throw new FoamException(file, 0, "cannot be written: " + e);
        }
        line.setLength(0);
    }

    @Override
    public void close() {
        try {
            out.close();
            if (!failed) {
                Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (final IOException e) {
            throw new FoamException(file, 0, "cannot be written: " + e);
        }
    }
}
