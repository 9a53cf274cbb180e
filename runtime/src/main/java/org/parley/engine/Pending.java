package org.parley.engine;

/** Something that a thread waits for. */
public interface Pending {

    /** Whether it has ended. */
    boolean isDone();

    /** Says for people what is waited for, such as {@code receive from 1, tag 7}. */
    String describe();
}
