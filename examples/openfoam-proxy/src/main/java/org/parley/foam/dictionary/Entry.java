package org.parley.foam.dictionary;

import java.nio.file.Path;
import java.util.List;

/**
 * One entry of a dictionary: a keyword with a value or with a dictionary of its own.
 *
 * @param keyword its name; of a pattern the regular expression.
 * @param pattern whether the keyword stood in quotes.
 * @param tokens the value, without the {@code ;}; null for a dictionary.
 * @param dictionary the dictionary; null for a value.
 * @param file where it stands.
 * @param line counted from 1.
 */
record Entry(String keyword, boolean pattern, List<Token> tokens, Dictionary dictionary, Path file, int line) {}
