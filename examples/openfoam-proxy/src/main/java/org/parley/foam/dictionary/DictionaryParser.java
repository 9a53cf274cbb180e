package org.parley.foam.dictionary;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import org.parley.foam.dictionary.Token.Kind;

/** Reads entries into a dictionary: macros and instructions are carried out as they come, as OpenFOAM does. */
final class DictionaryParser {
    private static final int DEEPEST = 50;

    private final Path caseFolder;
    private Supplier<Token> source;
    private boolean overwrite;
    private int depth;
    private int includes;

    /**
     * A parser.
     *
     * @param caseFolder what {@code $FOAM_CASE} stands for; null for unknown.
     * @param source of the tokens.
     */
    DictionaryParser(final Path caseFolder, final Supplier<Token> source) {
        this.caseFolder = caseFolder;
        this.source = source;
    }

    /** Reads up to the closing brace; where {@code opening} is null, up to the end of the file. */
    void readEntries(final Dictionary into, final Token opening) {
        while (true) {
            final Token key = source.get();
            switch (key.kind()) {
                case END -> {
                    if (opening != null) {
                        throw opening.error("dictionary '" + into.name() + "' that begins here has no closing '}'");
                    }
                    return;
                }
                case DIRECTIVE -> directive(key, into);
                case VARIABLE -> merge(key, into);
                case WORD, STRING -> entry(key, into);
                default -> {
                    if (key.is('}') && opening != null) {
                        return;
                    }
                    if (!key.is(';')) {
                        throw key.error("expected a keyword, found " + key + " in dictionary '" + into.name() + "'");
                    }
                }
            }
        }
    }

    private void entry(final Token key, final Dictionary into) {
        final boolean pattern = key.kind() == Kind.STRING;
        final Token first = source.get();
        if (first.is('{')) {
            if (++depth > DEEPEST) {
                throw first.error("dictionaries are nested more than " + DEEPEST + " deep");
            }
            final Dictionary old = overwrite || pattern ? null : into.own(key.text());
            final Dictionary dictionary =
                    old != null ? old : new Dictionary(into.path(key.text()), into, key.file(), key.line());
            into.put(new Entry(key.text(), pattern, null, dictionary, key.file(), key.line()));
            readEntries(dictionary, first);
            depth--;
            return;
        }
        final List<Token> value = new ArrayList<>();
        int nested = 0;
        for (Token token = first; nested > 0 || !token.is(';'); token = source.get()) {
            if (token.kind() == Kind.END || nested == 0 && token.is('}')) {
                throw key.error("entry '" + key.text() + "' has no ';' at its end");
            }
            if (token.is('(') || token.is('{') || token.is('[')) {
                nested++;
            } else if (token.is(')') || token.is('}') || token.is(']')) {
                if (--nested < 0) {
                    throw token.error("entry '" + key.text() + "': " + token + " closes nothing");
                }
            }
            if (token.kind() == Kind.DIRECTIVE) {
                insert(token);
                continue;
            }
            if (token.kind() != Kind.VARIABLE) {
                value.add(token);
                continue;
            }
            final Entry found = find(token, into);
            if (found.tokens() != null) {
                value.addAll(found.tokens());
            } else if (value.isEmpty() && source.get().is(';')) {
                final Dictionary copy = new Dictionary(into.path(key.text()), into, key.file(), key.line());
                copy.merge(found.dictionary());
                into.put(new Entry(key.text(), pattern, null, copy, key.file(), key.line()));
                return;
            } else {
                throw token.error("'$" + token.text() + "' is a dictionary and cannot be part of a value");
            }
        }
        into.put(new Entry(key.text(), pattern, value, null, key.file(), key.line()));
    }

    private void merge(final Token variable, final Dictionary into) {
        final Entry found = find(variable, into);
        if (found.dictionary() == null) {
            throw variable.error("'$" + variable.text() + "' stands where a keyword has to, and is no dictionary");
        }
        into.merge(found.dictionary());
    }

    private static Entry find(final Token variable, final Dictionary from) {
        final Entry found = from.find(variable.text());
        if (found == null) {
            throw variable.error("'$" + variable.text() + "' names no entry above it");
        }
        return found;
    }

    private void directive(final Token directive, final Dictionary into) {
        switch (directive.text()) {
            case "include", "includeIfPresent", "sinclude" -> include(directive, into);
            case "inputMode" -> {
                final Token mode = source.get();
                if (!mode.isNamed("merge") && !mode.isNamed("overwrite") && !mode.isNamed("default")) {
                    throw mode.error("#inputMode " + mode + " is not supported: merge and overwrite are");
                }
                overwrite = mode.isNamed("overwrite");
            }
            case "remove" -> {
                Token key = source.get();
                if (!key.is('(')) {
                    into.remove(key.text());
                    return;
                }
                for (key = source.get(); !key.is(')'); key = source.get()) {
                    if (key.kind() != Kind.WORD && key.kind() != Kind.STRING) {
                        throw key.error("expected a keyword to remove, found " + key);
                    }
                    into.remove(key.text());
                }
            }
            default -> throw unsupported(directive);
        }
    }

    private static FoamException unsupported(final Token directive) {
        return directive.error("#" + directive.text() + " is not supported"
                + (directive.text().matches("calc|codeStream|eval") ? ": write the value that it computes" : ""));
    }

    private void include(final Token directive, final Dictionary into) {
        final Path file = included(directive);
        if (file == null) {
            return;
        }
        final Supplier<Token> outer = source;
        source = Lexer.of(file)::next;
        readEntries(into, null);
        source = outer;
        includes--;
    }

    /** In a value: the file's words stand there instead. */
    private void insert(final Token directive) {
        if (!directive.text().equals("include")) {
            throw unsupported(directive);
        }
        final Path file = included(directive);
        final Supplier<Token> outer = source;
        final Supplier<Token> inner = Lexer.of(file)::next;
        source = () -> {
            final Token token = inner.get();
            if (token.kind() != Kind.END) {
                return token;
            }
            source = outer;
            includes--;
            return outer.get();
        };
    }

    /** The file that an include names; null if there is none and there need not be. */
    private Path included(final Token directive) {
        final Token name = source.get();
        if (name.kind() != Kind.STRING && name.kind() != Kind.WORD) {
            throw name.error("expected the name of a file, found " + name);
        }
        String path = name.text();
        if (caseFolder != null) {
            final String root = caseFolder.toAbsolutePath().toString();
            path = path.replaceFirst("^(\\$FOAM_CASE|\\$\\{FOAM_CASE}|<case>)", Matcher.quoteReplacement(root))
                    .replaceFirst("^<(system|constant)>", Matcher.quoteReplacement(root + "/") + "$1");
        }
        if (path.indexOf('$') >= 0 || path.startsWith("~") || path.startsWith("<")) {
            throw name.error("#include " + name + ": of variables only $FOAM_CASE is supported");
        }
        final Path file = name.file().resolveSibling(path);
        if (!Files.isRegularFile(file)) {
            if (!directive.text().equals("include")) {
                return null;
            }
            throw name.error("#include " + name + ": there is no file " + file);
        }
        if (++includes > DEEPEST) {
            throw name.error("#include " + name + ": files include each other more than " + DEEPEST + " deep");
        }
        return file;
    }
}
