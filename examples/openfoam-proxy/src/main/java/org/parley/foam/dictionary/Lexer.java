package org.parley.foam.dictionary;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.parley.foam.dictionary.Token.Kind;

/** Cuts a file into tokens. Lists of numbers are read at once, without a token per number. */
public final class Lexer {
    private static final int MOST = Integer.MAX_VALUE - 8;
    private static final int PIECE = 1 << 16;
    private static final int MOST_EXPONENT = 10_000;
    private static final String SIGNS = "(){}[];,:=+*/";

    private final Path file;
    private final byte[] text;
    private int position;
    private int line = 1;
    private double value;

    private Lexer(final Path file, final byte[] text) {
        this.file = file;
        this.text = text;
    }

    /**
     * Opens a file.
     *
     * @param file which.
     * @return a lexer at its first token.
     * @throws FoamException if there is no such file, or it cannot be read.
     */
    public static Lexer of(final Path file) {
        try {
            return new Lexer(file, read(file));
        } catch (final NoSuchFileException e) {
            throw new FoamException(file, 0, "there is no such file");
        } catch (final IOException | OutOfMemoryError e) {
            throw new FoamException(file, 0, "cannot be read: " + e);
        }
    }

    /** Piece by piece: a channel keeps a buffer outside the heap as long as the most that it was asked for at once. */
    private static byte[] read(final Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            final long size = Files.size(file);
            if (size > MOST) {
                throw new FoamException(file, 0, "has " + size + " bytes: files of up to 2 GB can be read");
            }
            final byte[] text = new byte[(int) size];
            int at = 0;
            for (int more = 0; more >= 0 && at < text.length; at += Math.max(more, 0)) {
                more = in.read(text, at, Math.min(PIECE, text.length - at));
            }
            return at == text.length ? text : Arrays.copyOf(text, at);
        }
    }

    static Lexer of(final String text) {
        return new Lexer(Path.of("(text)"), text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The next token; after the last one of kind END, for ever.
     *
     * @return the token.
     */
    public Token next() {
        skipBlanks();
        if (position == text.length) {
            return token(Kind.END, "");
        }
        final char c = (char) (text[position] & 0xff);
        if (c == '"') {
            return string();
        }
        if (SIGNS.indexOf(c) >= 0 && !startsNumber()) {
            position++;
            return token(Kind.SIGN, String.valueOf(c));
        }
        if (c == '#' || c == '$') {
            return marked(c);
        }
        if (startsNumber() && number()) {
            return new Token(Kind.NUMBER, textFrom(start), value, null, file, line);
        }
        return word();
    }

    /**
     * The next token, which has to be this sign.
     *
     * @param sign which.
     * @throws FoamException if it is another.
     */
    public void expect(final char sign) {
        final Token token = next();
        if (!token.is(sign)) {
            throw token.error("expected '" + sign + "', found " + token);
        }
    }

    /**
     * The next token, a number.
     *
     * @return its value.
     * @throws FoamException if it is none.
     */
    public double readNumber() {
        skipBlanks();
        if (!startsNumber() || !number()) {
            final Token token = next();
            throw token.error("expected a number, found " + token);
        }
        return value;
    }

    /**
     * The next token, a whole number.
     *
     * @return its value.
     * @throws FoamException if it is none.
     */
    public int readInt() {
        final double number = readNumber();
        if (number != (int) number) {
            throw error("expected a whole number, found '" + textFrom(start) + "'");
        }
        return (int) number;
    }

    /**
     * Whether the next token is this sign; if so, it is taken.
     *
     * @param sign which.
     * @return whether.
     */
    public boolean accept(final char sign) {
        skipBlanks();
        if (position < text.length && text[position] == sign) {
            position++;
            return true;
        }
        return false;
    }

    /**
     * The length of a list that comes next, {@code N(} or {@code N{}: a list of zero elements may lack its parentheses.
     *
     * @return the length.
     * @throws FoamException if it is none, or more than the file can hold.
     */
    public int readCount() {
        final int count = readInt();
        if (count < 0) {
            throw error("a list cannot have " + count + " elements");
        }
        return count;
    }

    /**
     * An error here.
     *
     * @param message what is wrong.
     * @return the exception to throw.
     */
    public FoamException error(final String message) {
        return new FoamException(file, line, message);
    }

    /**
     * The file that this reads.
     *
     * @return its path.
     */
    public Path file() {
        return file;
    }

    /** Where the number or word that was read last begins. */
    private int start;

    /**
     * A list's elements, {@code N(...)}, {@code N{...}} or {@code (...)}, their components one after the other.
     *
     * @param components of an element; more than one stand in parentheses.
     * @return the components of all.
     */
    public double[] readNumbers(final int components) {
        skipBlanks();
        final boolean counted = position < text.length && text[position] != '(';
        final int count = counted ? readCount() : -1;
        if (count > 0 && accept('{')) {
            final double[] one = new double[components];
            element(one, 0, components);
            expect('}');
            final double[] all = allocate(count, components);
            for (int i = 0; i < all.length; i++) {
                all[i] = one[i % components];
            }
            return all;
        }
        if (count == 0 && !accept('(')) {
            return new double[0];
        }
        if (count != 0) {
            expect('(');
        }
        // Each number takes a sign and a blank at least: a false length cannot ask for more memory than the file's.
        double[] all = counted ? listed(count, components) : new double[16 * components];
        int length = 0;
        while (!accept(')')) {
            if (length + components > all.length) {
                if (counted) {
                    throw error("the list has more than the " + count + " elements that it begins with");
                }
                all = Arrays.copyOf(all, all.length * 2);
            }
            element(all, length, components);
            length += components;
        }
        if (counted && length != all.length) {
            throw error("the list has " + length / components + " elements, but begins with " + count);
        }
        return counted ? all : Arrays.copyOf(all, length);
    }

    private double[] listed(final int count, final int components) {
        if ((long) count * components * 2 > text.length - position + 2L) {
            throw error("the file ends before the " + count + " elements of a list that begins here");
        }
        return new double[count * components];
    }

    private double[] allocate(final int count, final int components) {
        if ((long) count * components > Integer.MAX_VALUE - 8) {
            throw error("a list of " + count + " elements is too long");
        }
        return new double[count * components];
    }

    private void element(final double[] into, final int at, final int components) {
        if (components == 1) {
            into[at] = readNumber();
            return;
        }
        expect('(');
        for (int i = 0; i < components; i++) {
            into[at + i] = readNumber();
        }
        expect(')');
    }

    private Token token(final Kind kind, final String content) {
        return new Token(kind, content, 0, null, file, line);
    }

    private String textFrom(final int from) {
        return new String(text, from, position - from, StandardCharsets.UTF_8);
    }

    private void skipBlanks() {
        while (position < text.length) {
            final byte c = text[position];
            if (c == '\n') {
                line++;
                position++;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
                position++;
            } else if (c == '/' && position + 1 < text.length && text[position + 1] == '/') {
                while (position < text.length && text[position] != '\n') {
                    position++;
                }
            } else if (c == '/' && position + 1 < text.length && text[position + 1] == '*') {
                skipComment();
            } else {
                return;
            }
        }
    }

    private void skipComment() {
        final int begin = line;
        position += 2;
        while (position + 1 < text.length && !(text[position] == '*' && text[position + 1] == '/')) {
            if (text[position++] == '\n') {
                line++;
            }
        }
        if (position + 1 >= text.length) {
            throw new FoamException(file, begin, "the comment '/*' that begins here has no end");
        }
        position += 2;
    }

    private Token string() {
        final int begin = line;
        final StringBuilder content = new StringBuilder();
        position++;
        while (position < text.length && text[position] != '"') {
            final char c = (char) text[position++];
            if (c == '\\' && position < text.length && (text[position] == '"' || text[position] == '\n')) {
                content.append((char) text[position++]);
            } else if (c == '\n') {
                break;
            } else {
                content.append(c);
            }
        }
        if (position >= text.length || text[position] != '"') {
            throw new FoamException(file, begin, "the string '\"" + content + "' has no closing '\"'");
        }
        position++;
        return token(Kind.STRING, content.toString());
    }

    private Token marked(final char mark) {
        position++;
        if (mark == '#' && position < text.length && text[position] == '{') {
            throw error("code in '#{ ... #}' is not supported: write the value that it computes");
        }
        start = position;
        if (mark == '$' && accept('{')) {
            start = position;
            while (position < text.length && text[position] != '}') {
                if (text[position++] == '\n') {
                    throw error("'${' has no closing '}'");
                }
            }
            if (position == text.length) {
                throw error("'${' has no closing '}'");
            }
            final String name = textFrom(start);
            position++;
            return token(Kind.VARIABLE, name);
        }
        while (position < text.length && isInName(text[position], mark)) {
            position++;
        }
        if (position == start) {
            throw error("'" + mark + "' is followed by no name");
        }
        return token(mark == '$' ? Kind.VARIABLE : Kind.DIRECTIVE, textFrom(start));
    }

    private static boolean isInName(final byte c, final char mark) {
        return Character.isLetterOrDigit(c)
                || c == '_'
                || c == '.'
                || mark == '$' && (c == ':' || c == '/' || c == '-');
    }

    /** Words hold parentheses, if they are balanced: {@code div(phi,U)}. */
    private Token word() {
        start = position;
        int depth = 0;
        while (position < text.length) {
            final byte c = text[position];
            if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == ';' || c == '{' || c == '}'
                    || c == '"' || c == '/') {
                break;
            }
            if (c == '(') {
                depth++;
            } else if (c == ')' && --depth < 0) {
                break;
            } else if (depth == 0 && (c == '[' || c == ']')) {
                break;
            }
            position++;
        }
        if (position == start) {
            throw error("the character '" + (char) (text[position] & 0xff) + "' has no meaning here");
        }
        final String content = textFrom(start);
        final int components = componentsOf(content);
        if (components == 0) {
            return token(Kind.WORD, content);
        }
        final int begin = line;
        final double[] all = readNumbers(components);
        return new Token(Kind.LIST, content, all.length / components, all, file, begin);
    }

    private static int componentsOf(final String type) {
        return switch (type) {
            case "List<scalar>", "List<label>" -> 1;
            case "List<vector>" -> 3;
            case "List<symmTensor>" -> 6;
            case "List<tensor>" -> 9;
            default -> 0;
        };
    }

    private boolean startsNumber() {
        if (position >= text.length) {
            return false;
        }
        int at = position;
        if (text[at] == '-' || text[at] == '+') {
            at++;
        }
        if (at < text.length && text[at] == '.') {
            at++;
        }
        return at < text.length && text[at] >= '0' && text[at] <= '9';
    }

    /** Reads a number into value and moves behind it; else, as for 2D, stays and says false. */
    private boolean number() {
        start = position;
        int at = position;
        long mantissa = 0;
        int digits = 0;
        int scale = 0;
        boolean point = false;
        final boolean negative = text[at] == '-';
        if (negative || text[at] == '+') {
            at++;
        }
        for (; at < text.length; at++) {
            final int digit = text[at] - '0';
            if (digit >= 0 && digit <= 9) {
                if (digits < 18) {
                    mantissa = mantissa * 10 + digit;
                }
                digits += mantissa == 0 ? 0 : 1;
                scale -= point ? 1 : 0;
            } else if (text[at] == '.' && !point) {
                point = true;
            } else {
                break;
            }
        }
        int exponent = 0;
        if (at < text.length && (text[at] == 'e' || text[at] == 'E')) {
            at++;
            final boolean small = at < text.length && text[at] == '-';
            if (small || at < text.length && text[at] == '+') {
                at++;
            }
            for (; at < text.length && text[at] >= '0' && text[at] <= '9'; at++) {
                exponent = Math.min(10 * exponent + text[at] - '0', MOST_EXPONENT);
            }
            exponent = small ? -exponent : exponent;
        }
        if (at < text.length && !endsNumber(text[at])) {
            return false;
        }
        position = at;
        final int power = scale + exponent;
        if (digits <= LongDouble.MOST_DIGITS && Math.abs(power) <= LongDouble.MOST_POWER && isDigit(text[at - 1])) {
            final double exact = LongDouble.scaled(mantissa, power);
            value = negative ? -exact : exact;
            return true;
        }
        try {
            value = LongDouble.parse(textFrom(start));
            return true;
        } catch (final NumberFormatException e) {
            throw error("'" + textFrom(start) + "' is no number");
        }
    }

    private static boolean isDigit(final byte c) {
        return c >= '0' && c <= '9' || c == '.';
    }

    private static boolean endsNumber(final byte c) {
        return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || SIGNS.indexOf(c) >= 0;
    }
}
