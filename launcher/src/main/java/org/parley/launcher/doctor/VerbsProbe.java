package org.parley.launcher.doctor;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.parley.config.Options;
import org.parley.engine.TransportProbe;

/**
 * What the transport over verbs says of its device when it has opened it.
 *
 * @param isAvailable whether it has
 * @param text which port, GID and MTU it would use; or why it cannot
 */
record VerbsProbe(boolean isAvailable, String text) {
    private static final String RC = "rc";
    private static final Pattern MTU = Pattern.compile("MTU (\\d+)");

    static VerbsProbe of(final Options options) {
        return TransportProbe.all(options).stream()
                .filter(probe -> probe.name().equals(RC))
                .map(probe -> new VerbsProbe(probe.available(), probe.reason()))
                .findFirst()
                .orElse(new VerbsProbe(false, "this Parley has no transport over verbs"));
    }

    /** Returns the active RDMA MTU, which no file of the kernel's tells; 0 if it is not known. */
    int mtu() {
        final Matcher mtu = MTU.matcher(text);
        return isAvailable && mtu.find() ? Integer.parseInt(mtu.group(1)) : 0;
    }
}
