package org.parley.transport;

/** Which protocol this library speaks: of all that ranks, launchers and agents say to each other there is one version. */
public final class Protocol {
    private Protocol() {}

    /**
     * Returns its version, raised with every change of what any of it means: who has another one is refused, both named.
     * No constant, which would be compiled into each user and so could differ between the jars of one installation.
     */
    public static int version() {
        return 6;
    }
}
