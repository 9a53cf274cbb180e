package org.parley.launcher;

/** Where a stream of a rank goes, in pieces. One thread at a time. */
interface Sink {
    /**
     * Takes whole lines, or the next part of a line that is not held back. May wait until there is
     * room.
     *
     * @param endsLine whether the last line is complete
     */
    void write(byte[] bytes, int offset, int length, boolean endsLine);

    /** The stream has ended, perhaps within a line. */
    void end();

    /** Gives every stream its sink. */
    interface Source {
        /**
         * Opens a sink; it stays open until {@link Sink#end}.
         *
         * @param rank whose stream
         * @param isError whether it is the standard error, not the standard output
         * @throws java.io.UncheckedIOException if a file that it goes to cannot be made
         */
        Sink open(int rank, boolean isError);
    }
}
