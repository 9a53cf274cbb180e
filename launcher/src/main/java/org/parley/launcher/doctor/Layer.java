package org.parley.launcher.doctor;

import java.util.Locale;

/** The layers, each of which needs those before it. */
enum Layer {
    /** The device and its driver. */
    ADAPTER,
    /** What the operating system permits. */
    SYSTEM,
    /** The port and what it is called on the network. */
    LINK,
    /** Queue pairs between two ends. */
    TRANSPORT,
    /** What programs get. */
    MESSAGES,
    /** A virtual machine's file, which has no layers above it. */
    VMX;

    /** Returns the name that users see. */
    String title() {
        return name().toLowerCase(Locale.ROOT);
    }
}
