package org.parley.engine;

/** Something that a thread waits for. */
public interface Pending {

    /** Whether it has ended. */
    boolean isDone();

    /** Says for people what is waited for, such as {@code receive from 1, tag 7}. */
    String describe();

    /** Says for whom it is waited, as far as that is known. */
    default void needs(final Needs needs) {}
}
