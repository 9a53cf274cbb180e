package org.parley.launcher;

import java.util.List;

/** One of parley's commands. */
interface Command {
    /** Returns what users type. */
    String name();

    /** Returns one sentence. */
    String summary();

    /** Returns what follows the options, for people; empty if nothing does. */
    String operands();

    /** Returns the options. */
    List<Flag> flags();

    /** Whether everything behind the first word that is no option belongs to a program. */
    default boolean programFollows() {
        return false;
    }

    /** Whether options that are not known here are handed on, with everything else. */
    default boolean passesUnknown() {
        return false;
    }

    /**
     * Does it.
     *
     * @return exit code
     * @throws UsageException if what the user asks for cannot be
     */
    int run(Arguments arguments);
}
