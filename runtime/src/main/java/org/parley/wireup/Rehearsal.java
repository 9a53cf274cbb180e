package org.parley.wireup;

import org.parley.Communicator;
import org.parley.Parley;

/**
 * A small program that does once what every rank does at its start: it joins, exchanges short and
 * long messages, and leaves. For the launcher, which archives the classes that this loads.
 */
public final class Rehearsal {
    private static final int LONG = 1 << 16;

    private Rehearsal() {}

    /**
     * Runs it.
     *
     * @param arguments none
     */
    public static void main(final String[] arguments) {
        try (Parley parley = Parley.init()) {
            parley.transportTo(parley.world().rank());
        }
        Parley.local(2, parley -> exchange(parley.world()));
    }

    private static void exchange(final Communicator world) {
        final int other = 1 - world.rank();
        for (final int length : new int[] {1, LONG}) {
            final byte[] bytes = new byte[length];
            if (world.rank() == 0) {
                world.send(bytes, 0, length, other, 0);
                world.receive(bytes, 0, length, other, 0);
            } else {
                world.receive(bytes, 0, length, other, 0);
                world.send(bytes, 0, length, other, 0);
            }
        }
    }
}
