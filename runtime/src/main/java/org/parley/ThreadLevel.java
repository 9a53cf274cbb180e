package org.parley;

/** Which threads of a rank call the library (MPI-3.1 section 12.4.3). */
public enum ThreadLevel {
    /** One thread only. */
    SINGLE,
    /** Several threads exist; the one that called {@link Parley#init} makes all calls. */
    FUNNELED,
    /** Several threads call, never two at once: the program sees to that. The default. */
    SERIALIZED,
    /** Any thread at any time. */
    MULTIPLE
}
