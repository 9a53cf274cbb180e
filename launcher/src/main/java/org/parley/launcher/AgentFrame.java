package org.parley.launcher;

/**
 * What agents and those who started them say to each other: {@link org.parley.wireup.ControlFrame}s
 * of these types. The first number of a body is a host: the one it goes to or, upwards, comes from.
 */
final class AgentFrame {
    /** First bytes of an agent; what a shell's start-up files have printed before is passed over. */
    static final byte[] PREAMBLE = {0, 'P', 'A', 'R', 'L', 'E', 'Y', 'A', 'G', 0};

    /** Goes to all hosts. */
    static final int ALL = -1;

    /** Either way, between neighbours. */
    static final byte HEARTBEAT = 1;

    /** up, between neighbours, first: protocol, build and home. */
    static final byte HELLO = 2;

    /** down, to one: its hosts below, then the plan. */
    static final byte PLAN = 3;

    /** up: the agent has the plan; facts about its host. */
    static final byte READY = 4;

    /** up: a host is lost, with those below it. */
    static final byte LOST = 5;

    /** up: nothing is heard of a host. */
    static final byte QUIET = 6;

    // Down, to all: the calls of Host.
    static final byte START = 10;
    static final byte EVERYBODY = 11;
    static final byte HOPELESS = 12;
    static final byte TELL_LEFT = 13;
    static final byte TELL_DIED = 14;
    static final byte STOPPING = 15;
    static final byte REQUEST_REPORTS = 16;
    static final byte SIGNAL = 17;
    static final byte TELL_RULING = 18;

    // Up: the calls of HostEvents.
    static final byte STARTED = 30;
    static final byte NOT_STARTED = 31;
    static final byte ENDED = 32;
    static final byte JOINED = 33;
    static final byte CONTRIBUTED = 34;
    static final byte BROKEN = 35;
    static final byte MAPPED = 36;
    static final byte LEFT = 37;
    static final byte FAILED = 38;
    static final byte ABORTED = 39;
    static final byte DISCONNECTED = 40;
    static final byte REPORTED = 41;
    static final byte SILENT = 42;
    static final byte ASKED = 43;
    static final byte REFUSED = 44;

    /** up: a piece of a rank's stream. */
    static final byte OUTPUT = 50;

    /** up: a rank's stream has ended. */
    static final byte OUTPUT_END = 51;

    /** down, to one: so many bytes of output have been written. */
    static final byte OUTPUT_TAKEN = 52;

    /** down, to one: standard input for rank 0; none: its end. */
    static final byte INPUT = 53;

    /** up: so many bytes of input have been taken. */
    static final byte INPUT_TAKEN = 54;

    /** down, to all: where hosts listen, for a preflight. */
    static final byte REACH = 60;

    /** up: which of them this host has reached, for a preflight. */
    static final byte REACHED = 61;

    /** down, to all: a piece of a file of the program. */
    static final byte FILE = 62;

    /** up: so many bytes of files have been taken. */
    static final byte COPIED = 63;

    private AgentFrame() {}
}
