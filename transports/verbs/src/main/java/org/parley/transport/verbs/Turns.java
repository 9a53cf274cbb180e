package org.parley.transport.verbs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Whose turn it is: the rank's, which takes it as often as it needs, also within itself, or the keeper's, who takes it where the rank stays away.
 * {@link #enter} and {@link #leave} are the rank's, one thread at a time.
 */
final class Turns {
    private static final VarHandle WORD;
    private static final VarHandle POLLS;
    private static final int FREE = 0;
    private static final int RANK = 1;
    private static final int KEEPER = 2;
    private static final int SPINS = 100;

    private volatile int word;
    private int depth;

    /** Grows with each poll of the rank; the keeper sees that it stands still. */
    private long polls;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Turns.class, "word", int.class);
            POLLS = MethodHandles.lookup().findVarHandle(Turns.class, "polls", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    void enter() {
        if (depth++ == 0) {
            for (int spins = 0; !WORD.compareAndSet(this, FREE, RANK); spins++) {
                if (spins < SPINS) {
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
            }
        }
    }

    /** {@link #enter}, to poll. */
    void enterPoll() {
        enter();
        POLLS.setOpaque(this, polls + 1);
    }

    void leave() {
        if (--depth == 0) {
            WORD.setRelease(this, FREE);
        }
    }

    /** Returns a number that grows while the rank polls; any thread. */
    long polls() {
        return (long) POLLS.getOpaque(this);
    }

    /** Takes a turn if the rank has none. */
    boolean tryKeep() {
        return WORD.compareAndSet(this, FREE, KEEPER);
    }

    void kept() {
        WORD.setRelease(this, FREE);
    }
}
