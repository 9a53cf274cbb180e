package org.parley.launcher.doctor;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The port that a host uses, as others have to know it.
 *
 * @param text device, port, GID and RDMA MTU, as the transport says it
 * @param cardMtu the MTU of its network card; 0 if it has none
 */
record PortFacts(String text, int cardMtu) {
    private static final Pattern ADDRESS = Pattern.compile("GID (\\d+\\.\\d+\\.\\d+\\.\\d+)");

    static PortFacts of(final Kernel kernel, final VerbsProbe verbs) {
        final int mtu = Device.all(kernel).stream()
                .filter(device -> verbs.text().startsWith(device.name() + " "))
                .map(device -> device.ofCard("mtu"))
                .filter(text -> text.matches("[0-9]{1,6}"))
                .mapToInt(Integer::parseInt)
                .findFirst()
                .orElse(0);
        return new PortFacts(verbs.text(), mtu);
    }

    /** Returns its IPv4 address on the RDMA network; empty if its GID is of none. */
    String address() {
        final Matcher address = ADDRESS.matcher(text);
        return address.find() ? address.group(1) : "";
    }
}
