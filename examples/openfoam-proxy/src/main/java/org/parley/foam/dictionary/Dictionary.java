package org.parley.foam.dictionary;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.parley.foam.dictionary.Token.Kind;

/**
 * Entries by keyword, as OpenFOAM reads them: a later entry replaces an earlier one, dictionaries of one name are
 * merged, keywords in quotes are regular expressions that match where no plain keyword does, the last first. Getters
 * name the file, the line and the word where something is missing or wrong.
 */
public final class Dictionary {
    private record Rule(Pattern pattern, Entry entry) {}

    private final String name;
    private final Dictionary parent;
    private final Path file;
    private final int line;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final List<Rule> rules = new ArrayList<>();

    Dictionary(final String name, final Dictionary parent, final Path file, final int line) {
        this.name = name;
        this.parent = parent;
        this.file = file;
        this.line = line;
    }

    /**
     * An empty dictionary, to be written.
     *
     * @param name of it.
     */
    public Dictionary(final String name) {
        this(name, null, null, 0);
    }

    /**
     * Reads a file.
     *
     * @param file which.
     * @param caseFolder what {@code $FOAM_CASE} stands for in it.
     * @return its entries; the header is entry {@code FoamFile}.
     * @throws FoamException if there is none or something in it is wrong.
     */
    public static Dictionary read(final Path file, final Path caseFolder) {
        return parse(Lexer.of(file), file, caseFolder);
    }

    /**
     * Reads a text.
     *
     * @param text the entries.
     * @return a dictionary of them.
     */
    public static Dictionary of(final String text) {
        return parse(Lexer.of(text), null, null);
    }

    private static Dictionary parse(final Lexer lexer, final Path file, final Path caseFolder) {
        final Dictionary dictionary =
                new Dictionary(file == null ? "(text)" : file.getFileName().toString(), null, file, 0);
        new DictionaryParser(caseFolder, lexer::next).readEntries(dictionary, null);
        final Dictionary header = dictionary.own("FoamFile");
        if (header != null) {
            checkFormat(header);
        }
        return dictionary;
    }

    /**
     * Reads the header at the begin of a file that is no dictionary.
     *
     * @param lexer at the begin; then behind the header.
     * @return the header's entries.
     */
    public static Dictionary readHeader(final Lexer lexer) {
        final Token name = lexer.next();
        if (!name.isNamed("FoamFile")) {
            throw name.error("expected the header 'FoamFile { ... }', found " + name);
        }
        final Dictionary header = readBraces(lexer, name);
        checkFormat(header);
        return header;
    }

    /**
     * Reads a dictionary in braces.
     *
     * @param lexer at the opening brace; then behind the closing one.
     * @param name the token before.
     * @return the dictionary.
     */
    public static Dictionary readBraces(final Lexer lexer, final Token name) {
        final Token opening = lexer.next();
        if (!opening.is('{')) {
            throw opening.error("expected '{' after " + name + ", found " + opening);
        }
        final Dictionary dictionary = new Dictionary(name.text(), null, name.file(), name.line());
        new DictionaryParser(null, lexer::next).readEntries(dictionary, opening);
        return dictionary;
    }

    private static void checkFormat(final Dictionary header) {
        if (!header.word("format", "ascii").equals("ascii")) {
            throw header.error(
                    "format",
                    "format '" + header.word("format")
                            + "' is not supported, only ascii is (foamFormatConvert writes it)");
        }
    }

    /**
     * The name, with those of the dictionaries around it.
     *
     * @return as {@code solvers.p}.
     */
    public String name() {
        return name;
    }

    /**
     * Whether there is an entry, by its name or by a pattern.
     *
     * @param keyword which.
     * @return whether.
     */
    public boolean has(final String keyword) {
        return lookup(keyword) != null;
    }

    /**
     * Whether an entry is a dictionary.
     *
     * @param keyword which.
     * @return whether; false if there is none.
     */
    public boolean isDictionary(final String keyword) {
        final Entry entry = lookup(keyword);
        return entry != null && entry.dictionary() != null;
    }

    /**
     * The keywords in their order, without patterns.
     *
     * @return a view.
     */
    public Set<String> keywords() {
        return entries.keySet();
    }

    /**
     * The value of an entry, token by token.
     *
     * @param keyword which.
     * @return a cursor at its begin.
     */
    public Tokens tokens(final String keyword) {
        final Entry entry = required(keyword);
        if (entry.tokens() == null) {
            throw new FoamException(entry.file(), entry.line(), "'" + keyword + "' is a dictionary, not a value");
        }
        return new Tokens(entry);
    }

    /**
     * A dictionary in this one.
     *
     * @param keyword which.
     * @return the dictionary.
     */
    public Dictionary dictionary(final String keyword) {
        final Entry entry = required(keyword);
        if (entry.dictionary() == null) {
            throw new FoamException(
                    entry.file(), entry.line(), "'" + keyword + "' is a value, expected a dictionary '{ ... }'");
        }
        return entry.dictionary();
    }

    /**
     * A dictionary in this one, or an empty one.
     *
     * @param keyword which.
     * @return the dictionary.
     */
    public Dictionary dictionaryOrEmpty(final String keyword) {
        return has(keyword) ? dictionary(keyword) : new Dictionary(path(keyword), this, file, line);
    }

    /**
     * A word.
     *
     * @param keyword which.
     * @return its text.
     */
    public String word(final String keyword) {
        final Tokens tokens = tokens(keyword);
        final String word = tokens.text();
        tokens.expectEnd();
        return word;
    }

    /**
     * A word, or a default.
     *
     * @param keyword which.
     * @param absent what it is where there is no entry.
     * @return its text.
     */
    public String word(final String keyword, final String absent) {
        return has(keyword) ? word(keyword) : absent;
    }

    /**
     * A number; a name and dimensions before it are passed over, as in {@code nu nu [0 2 -1 0 0 0 0] 0.01}.
     *
     * @param keyword which.
     * @return its value.
     */
    public double number(final String keyword) {
        final Tokens tokens = tokens(keyword);
        if (tokens.peek().kind() == Kind.WORD && !tokens.atLast()) {
            tokens.next();
        }
        if (tokens.peek().is('[')) {
            tokens.dimensions();
        }
        final double number = tokens.number();
        tokens.expectEnd();
        return number;
    }

    /**
     * A number, or a default.
     *
     * @param keyword which.
     * @param absent what it is where there is no entry.
     * @return its value.
     */
    public double number(final String keyword, final double absent) {
        return has(keyword) ? number(keyword) : absent;
    }

    /**
     * A whole number.
     *
     * @param keyword which.
     * @return its value.
     */
    public int integer(final String keyword) {
        final Tokens tokens = tokens(keyword);
        final int number = tokens.integer();
        tokens.expectEnd();
        return number;
    }

    /**
     * A whole number, or a default.
     *
     * @param keyword which.
     * @param absent what it is where there is no entry.
     * @return its value.
     */
    public int integer(final String keyword, final int absent) {
        return has(keyword) ? integer(keyword) : absent;
    }

    /**
     * A switch: yes, on, true, no, off, false (and their first letters).
     *
     * @param keyword which.
     * @param absent what it is where there is no entry.
     * @return its value.
     */
    public boolean flag(final String keyword, final boolean absent) {
        if (!has(keyword)) {
            return absent;
        }
        final Token token = tokens(keyword).peek();
        return switch (token.text()) {
            case "yes", "on", "true", "y", "t", "1" -> true;
            case "no", "off", "false", "n", "f", "none", "0" -> false;
            default -> throw token.error("entry '" + keyword + "': expected yes or no, found " + token);
        };
    }

    /**
     * A vector.
     *
     * @param keyword which.
     * @return its three components.
     */
    public double[] vector(final String keyword) {
        final Tokens tokens = tokens(keyword);
        final double[] vector = tokens.vector();
        tokens.expectEnd();
        return vector;
    }

    /**
     * A field: {@code uniform v}, or {@code nonuniform List<...> N(...)} with one value for each.
     *
     * @param keyword which.
     * @param components of a value: 1 of a scalar, 3 of a vector.
     * @param count how many values.
     * @return the components of all, one after the other.
     */
    public double[] field(final String keyword, final int components, final int count) {
        final Tokens tokens = tokens(keyword);
        final double[] field;
        if (tokens.accept("nonuniform")) {
            final Token begin = tokens.peek();
            field = tokens.numbers(components);
            if (field.length != count * components) {
                throw begin.error("entry '" + keyword + "' has " + field.length / components
                        + " values, the mesh needs " + count);
            }
        } else {
            tokens.accept("uniform");
            if (!tokens.peek().is('(') && tokens.peek().kind() != Kind.NUMBER) {
                throw tokens.unexpected("'uniform' or 'nonuniform'");
            }
            final double[] one = components == 1 ? new double[] {tokens.number()} : tokens.vector();
            field = new double[count * components];
            for (int i = 0; i < field.length; i++) {
                field[i] = one[i % components];
            }
        }
        tokens.expectEnd();
        return field;
    }

    /**
     * Sets an entry.
     *
     * @param keyword which.
     * @param value its text, without the {@code ;}.
     */
    public void put(final String keyword, final String value) {
        final Dictionary one = of("value " + value + ";");
        put(new Entry(keyword, false, one.lookup("value").tokens(), null, file, line));
    }

    /**
     * Sets an entry to a field, which is written as uniform where all its values are equal.
     *
     * @param keyword which.
     * @param components of a value: 1 or 3.
     * @param values the components of all; not copied.
     */
    public void putField(final String keyword, final int components, final double[] values) {
        final String type = components == 1 ? "List<scalar>" : "List<vector>";
        final List<Token> tokens = List.of(
                new Token(Kind.WORD, "nonuniform", 0, null, file, line),
                new Token(Kind.LIST, type, values.length / components, values, file, line));
        put(new Entry(keyword, false, tokens, null, file, line));
    }

    /**
     * Sets an entry to a dictionary.
     *
     * @param keyword which.
     * @param dictionary its value.
     */
    public void put(final String keyword, final Dictionary dictionary) {
        put(new Entry(keyword, false, null, dictionary, file, line));
    }

    /**
     * Sets an entry to that of another dictionary.
     *
     * @param keyword which; has to be there.
     * @param from whence.
     */
    public void take(final String keyword, final Dictionary from) {
        final Entry entry = from.required(keyword);
        mergeEntry(new Entry(keyword, false, entry.tokens(), entry.dictionary(), entry.file(), entry.line()));
    }

    /**
     * A copy that can be changed without this.
     *
     * @return the copy.
     */
    public Dictionary copy() {
        final Dictionary copy = new Dictionary(name, parent, file, line);
        copy.merge(this);
        return copy;
    }

    /**
     * Removes an entry.
     *
     * @param keyword which.
     */
    public void remove(final String keyword) {
        entries.remove(keyword);
    }

    /**
     * An error at this dictionary or at one of its entries.
     *
     * @param keyword the entry; may be absent.
     * @param message what is wrong.
     * @return the exception to throw.
     */
    public FoamException error(final String keyword, final String message) {
        final Entry entry = lookup(keyword);
        return entry == null
                ? new FoamException(file, line, message)
                : new FoamException(entry.file(), entry.line(), message);
    }

    void put(final Entry entry) {
        if (!entry.pattern()) {
            entries.put(entry.keyword(), entry);
            return;
        }
        try {
            rules.add(new Rule(Pattern.compile(entry.keyword()), entry));
        } catch (final PatternSyntaxException e) {
            throw new FoamException(
                    entry.file(),
                    entry.line(),
                    "keyword \"" + entry.keyword() + "\" is no regular expression: " + e.getDescription());
        }
    }

    /** Takes all entries of another; dictionaries are copied, so that later changes stay here. */
    void merge(final Dictionary from) {
        for (final Entry entry : List.copyOf(from.entries.values())) {
            mergeEntry(entry);
        }
        for (final Rule rule : List.copyOf(from.rules)) {
            mergeEntry(rule.entry);
        }
    }

    private void mergeEntry(final Entry entry) {
        if (entry.dictionary() == null) {
            put(entry);
            return;
        }
        final Dictionary old = entry.pattern() ? null : own(entry.keyword());
        final Dictionary into =
                old != null ? old : new Dictionary(path(entry.keyword()), this, entry.file(), entry.line());
        into.merge(entry.dictionary());
        put(new Entry(entry.keyword(), entry.pattern(), null, into, entry.file(), entry.line()));
    }

    /** The dictionary of just this keyword; null if there is none. */
    Dictionary own(final String keyword) {
        final Entry entry = entries.get(keyword);
        return entry == null ? null : entry.dictionary();
    }

    String path(final String keyword) {
        return parent == null ? keyword : name + "." + keyword;
    }

    /** The entry of a macro: {@code x}, {@code :x.y} from the top, {@code ..x} from the dictionary around; null if none. */
    Entry find(final String variable) {
        Dictionary scope = this;
        String rest = variable;
        if (rest.startsWith(":")) {
            while (scope.parent != null) {
                scope = scope.parent;
            }
            return scope.descend(rest.substring(1));
        }
        if (rest.startsWith(".")) {
            for (rest = rest.substring(1); rest.startsWith("."); rest = rest.substring(1)) {
                scope = scope.parent;
                if (scope == null) {
                    return null;
                }
            }
            return scope.descend(rest);
        }
        for (; scope != null; scope = scope.parent) {
            final Entry found = scope.descend(rest);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private Entry descend(final String path) {
        final Entry whole = lookup(path);
        final int dot = path.indexOf('.');
        if (whole != null || dot < 0) {
            return whole;
        }
        final Entry first = lookup(path.substring(0, dot));
        return first == null || first.dictionary() == null
                ? null
                : first.dictionary().descend(path.substring(dot + 1));
    }

    private Entry required(final String keyword) {
        final Entry entry = lookup(keyword);
        if (entry == null) {
            throw new FoamException(
                    file,
                    line,
                    "entry '" + keyword + "' is missing" + (line > 0 ? " in dictionary '" + name + "'" : ""));
        }
        return entry;
    }

    private Entry lookup(final String keyword) {
        final Entry entry = entries.get(keyword);
        if (entry != null) {
            return entry;
        }
        for (int i = rules.size() - 1; i >= 0; i--) {
            if (rules.get(i).pattern.matcher(keyword).matches()) {
                return rules.get(i).entry;
            }
        }
        return null;
    }

    /** All entries, the patterns last. */
    List<Entry> all() {
        final List<Entry> all = new ArrayList<>(entries.values());
        rules.forEach(rule -> all.add(rule.entry));
        return all;
    }
}
