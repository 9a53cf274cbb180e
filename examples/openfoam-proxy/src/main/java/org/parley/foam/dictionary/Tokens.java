package org.parley.foam.dictionary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.parley.foam.dictionary.Token.Kind;

/** The value of an entry, taken token by token. What is not there, or is something else, is an error with its place. */
public final class Tokens {
    private final List<Token> tokens;
    private final Token end;
    private final String keyword;
    private int position;

    Tokens(final Entry entry) {
        this.tokens = entry.tokens();
        this.keyword = entry.keyword();
        this.end = new Token(Kind.END, "", 0, null, entry.file(), entry.line());
    }

    /**
     * Whether all are taken.
     *
     * @return whether.
     */
    public boolean atEnd() {
        return position == tokens.size();
    }

    /** Whether the next token is the last. */
    boolean atLast() {
        return position == tokens.size() - 1;
    }

    /**
     * The next token, which stays.
     *
     * @return the token; at the end one of kind END.
     */
    public Token peek() {
        return atEnd() ? end : tokens.get(position);
    }

    /**
     * Takes the next token.
     *
     * @return the token; at the end one of kind END.
     */
    public Token next() {
        return atEnd() ? end : tokens.get(position++);
    }

    /**
     * Takes the next token if it is this sign.
     *
     * @param sign which.
     * @return whether it was.
     */
    public boolean accept(final char sign) {
        final boolean found = peek().is(sign);
        position += found ? 1 : 0;
        return found;
    }

    /**
     * Takes the next token if it is this word.
     *
     * @param word which.
     * @return whether it was.
     */
    public boolean accept(final String word) {
        final boolean found = peek().isNamed(word);
        position += found ? 1 : 0;
        return found;
    }

    /**
     * Takes the next token, which has to be this sign.
     *
     * @param sign which.
     */
    public void expect(final char sign) {
        if (!accept(sign)) {
            throw unexpected("'" + sign + "'");
        }
    }

    /** Says that nothing may follow. */
    public void expectEnd() {
        if (!atEnd()) {
            throw error("nothing may follow in entry '" + keyword + "', but " + peek() + " does (a ';' forgotten?)");
        }
    }

    /**
     * Takes a word.
     *
     * @return its text.
     */
    public String word() {
        if (peek().kind() != Kind.WORD) {
            throw unexpected("a word");
        }
        return next().text();
    }

    /**
     * Takes a word or a string.
     *
     * @return its text.
     */
    public String text() {
        if (peek().kind() != Kind.STRING) {
            return word();
        }
        return next().text();
    }

    /**
     * Takes a number.
     *
     * @return its value.
     */
    public double number() {
        if (peek().kind() != Kind.NUMBER) {
            throw unexpected("a number");
        }
        return next().number();
    }

    /**
     * Takes a whole number.
     *
     * @return its value.
     */
    public int integer() {
        final Token token = peek();
        if (token.kind() != Kind.NUMBER || token.number() != (int) token.number()) {
            throw unexpected("a whole number");
        }
        return (int) next().number();
    }

    /**
     * Takes a vector, {@code (x y z)}.
     *
     * @return its three components.
     */
    public double[] vector() {
        final double[] vector = new double[3];
        expect('(');
        for (int i = 0; i < 3; i++) {
            vector[i] = number();
        }
        expect(')');
        return vector;
    }

    /**
     * Takes a list of numbers, {@code (...)}, {@code N(...)} or {@code N{...}}.
     *
     * @param components of an element: of more than one, each stands in parentheses.
     * @return the components of all, one after the other.
     */
    public double[] numbers(final int components) {
        if (peek().kind() == Kind.LIST) {
            final Token list = next();
            if (list.values().length != (int) list.number() * components) {
                throw list.error("expected a list with " + components + " components an element, found " + list);
            }
            return list.values();
        }
        final boolean counted = peek().kind() == Kind.NUMBER;
        final Token begin = peek();
        final int count = counted ? integer() : -1;
        if (counted && count < 0) {
            throw begin.error("a list cannot have " + count + " elements");
        }
        if (count == 0 && !peek().is('(')) {
            return new double[0];
        }
        if (counted && accept('{')) {
            final double[] one = element(components);
            expect('}');
            if ((long) count * components > Integer.MAX_VALUE - 8) {
                throw begin.error("a list of " + count + " elements is too long");
            }
            final double[] all = new double[count * components];
            for (int i = 0; i < all.length; i++) {
                all[i] = one[i % components];
            }
            return all;
        }
        expect('(');
        double[] all = new double[16 * components];
        int length = 0;
        while (!accept(')')) {
            if (length == all.length) {
                all = Arrays.copyOf(all, 2 * length);
            }
            System.arraycopy(element(components), 0, all, length, components);
            length += components;
        }
        if (counted && length != count * components) {
            throw begin.error("the list has " + length / components + " elements, but begins with " + count);
        }
        return Arrays.copyOf(all, length);
    }

    /**
     * Takes a list of whole numbers, {@code (...)} or {@code N(...)}.
     *
     * @return the numbers.
     */
    public int[] integers() {
        final Token begin = peek();
        final double[] numbers = numbers(1);
        final int[] integers = new int[numbers.length];
        for (int i = 0; i < integers.length; i++) {
            integers[i] = (int) numbers[i];
            if (integers[i] != numbers[i]) {
                throw begin.error("a list of whole numbers cannot hold " + numbers[i]);
            }
        }
        return integers;
    }

    /**
     * Takes a list of words, {@code (...)} or {@code N(...)}.
     *
     * @return the words.
     */
    public List<String> words() {
        if (peek().kind() == Kind.NUMBER) {
            next();
        }
        final List<String> words = new ArrayList<>();
        expect('(');
        while (!accept(')')) {
            words.add(text());
        }
        return words;
    }

    /**
     * Takes dimensions, {@code [0 1 -1 0 0 0 0]}; of the seven the last two may be absent.
     *
     * @return the seven exponents: mass, length, time, temperature, quantity, current, luminous intensity.
     */
    public double[] dimensions() {
        final double[] dimensions = new double[7];
        final Token begin = peek();
        expect('[');
        int count = 0;
        while (!accept(']')) {
            if (peek().kind() == Kind.WORD) {
                throw error("dimensions by names of units (" + peek() + ") are not supported: write seven exponents");
            }
            if (count == 7) {
                throw begin.error("dimensions have seven exponents, here are more");
            }
            dimensions[count++] = number();
        }
        if (count != 0 && count != 5 && count != 7) {
            throw begin.error("dimensions have seven exponents, here are " + count);
        }
        return dimensions;
    }

    /**
     * Takes the entries of a dictionary up to and with the closing brace; the opening one is taken before.
     *
     * @param name of the dictionary, for errors.
     * @param within the dictionary in which the list stands, for its macros.
     * @return the dictionary.
     */
    public Dictionary dictionary(final String name, final Dictionary within) {
        final Token begin = peek();
        final Dictionary dictionary = new Dictionary(name, within, begin.file(), begin.line());
        new DictionaryParser(null, this::next).readEntries(dictionary, begin);
        return dictionary;
    }

    /**
     * An error at the next token.
     *
     * @param message what is wrong.
     * @return the exception to throw.
     */
    public FoamException error(final String message) {
        return peek().error(message);
    }

    /**
     * An error at the next token, which is not what it should be.
     *
     * @param expected what it should be.
     * @return the exception to throw.
     */
    public FoamException unexpected(final String expected) {
        return error("entry '" + keyword + "': expected " + expected + ", found "
                + (atEnd() ? "the end of the entry" : peek()));
    }

    private double[] element(final int components) {
        if (components == 1) {
            return new double[] {number()};
        }
        final double[] element = new double[components];
        expect('(');
        for (int i = 0; i < components; i++) {
            element[i] = number();
        }
        expect(')');
        return element;
    }
}
