package org.parley.foam.dictionary;

import java.nio.file.Path;

/**
 * A word, number, string or sign of a file, and where it stands.
 *
 * @param kind what it is.
 * @param text as in the file, a string without its quotes; of a list the name of its type, {@code List<vector>}.
 * @param number the value of a number; of a list the count of its elements.
 * @param values the components of a list's elements, one after the other; else null.
 * @param file where it stands.
 * @param line counted from 1.
 */
public record Token(Kind kind, String text, double number, double[] values, Path file, int line) {
    /** What a token is. */
    public enum Kind {
        /** A name, such as {@code div(phi,U)}. */
        WORD,
        /** A number. */
        NUMBER,
        /** A text in double quotes. */
        STRING,
        /** {@code $name}: the value of another entry. */
        VARIABLE,
        /** {@code #name}: an instruction to the reader. */
        DIRECTIVE,
        /** One of {@code ( ) { } [ ] ; , : = + * /}. */
        SIGN,
        /** A list of numbers with its type, {@code List<scalar> 3(1 2 3)}. */
        LIST,
        /** The end of the file. */
        END
    }

    /**
     * Whether it is this sign.
     *
     * @param sign which.
     * @return whether.
     */
    public boolean is(final char sign) {
        return kind == Kind.SIGN && text.charAt(0) == sign;
    }

    /**
     * Whether it is this word.
     *
     * @param word which.
     * @return whether.
     */
    public boolean isNamed(final String word) {
        return kind == Kind.WORD && text.equals(word);
    }

    /**
     * An error at this token.
     *
     * @param message what is wrong.
     * @return the exception to throw.
     */
    public FoamException error(final String message) {
        return new FoamException(file, line, message);
    }

    @Override
    public String toString() {
        return switch (kind) {
            case END -> "the end of the file";
            case STRING -> '"' + text + '"';
            case LIST -> "a " + text + " of " + (int) number;
            default -> "'" + text + "'";
        };
    }
}
