package org.parley.launcher.doctor;

import java.util.List;

/** Whether the port is up, and what it is called on the network. */
final class LinkLayer {
    /** Behind an RDMA packet's payload and before it, at most: GRH or IP and UDP, BTH, RETH, ICRC. */
    private static final int HEADERS = 80;

    private static final int SMALLEST_MTU = 256;
    private static final int LARGEST_MTU = 4096;
    private static final int FULL_MEMBER = 0x8000;
    private static final String NO_GID = "0000:0000:0000:0000:0000:0000:0000:0000";

    private LinkLayer() {}

    static Examined examine(final String host, final Kernel kernel, final VerbsProbe verbs) {
        final Examined result = new Examined(host, Layer.LINK);
        final boolean anyActive = Device.all(kernel).stream().anyMatch(Device::isActive);
        for (final Device device : Device.all(kernel)) {
            for (final String port : device.ports()) {
                if (device.isActive(port)) {
                    examineTables(result, device, port);
                } else if (!anyActive) {
                    down(result, device, port);
                } else {
                    result.fact(device.name() + " port " + port + " is " + device.state(port));
                }
            }
        }
        if (!result.isBroken()) {
            result.fact("to be used: " + verbs.text());
            examineMtu(result, kernel, verbs);
        }
        return result;
    }

    private static void down(final Examined result, final Device device, final String port) {
        final String card = device.card();
        result.found(
                Code.D301,
                "port " + port + " of " + device.name() + " is " + device.state(port)
                        + (card.isEmpty()
                                ? ""
                                : "; its network card " + card + " is " + device.ofCard("operstate") + ", carrier "
                                        + (device.ofCard("carrier").equals("1") ? "yes" : "no")),
                card.isEmpty()
                        ? "start a subnet manager, and see the cable: ibstat"
                        : "ip link set " + card
                                + " up; with that done: connect the adapter in the virtual machine's settings");
    }

    private static void examineTables(final Examined result, final Device device, final String port) {
        final List<String> gids = device.entriesOfPort(port, "gids").stream()
                .map(index -> device.ofPort(port, "gids/" + index))
                .filter(gid -> !gid.isEmpty() && !gid.equals(NO_GID))
                .toList();
        if (gids.isEmpty()) {
            result.found(
                    Code.D303,
                    "the GID table of " + device.name() + " port " + port + " is empty",
                    "ip addr add 10.0.0.1/24 dev " + (device.card().isEmpty() ? "CARD" : device.card())
                            + ", with an address of the hosts' common network");
        }
        final boolean isMember = device.entriesOfPort(port, "pkeys").stream()
                .map(index -> device.ofPort(port, "pkeys/" + index))
                .anyMatch(key -> key.matches("0x[0-9a-f]{4}") && (Integer.decode(key) & FULL_MEMBER) != 0);
        if (!isMember) {
            result.found(
                    Code.D304,
                    "no entry of the P_Key table of " + device.name() + " port " + port + " is one",
                    "make the port a full member of the hosts' common partition (on Ethernet: 0xffff, by the driver)");
        }
        result.fact(device.name() + " port " + port + " is ACTIVE at " + device.ofPort(port, "rate") + ", "
                + gids.size() + " GIDs"
                + (device.card().isEmpty() ? "" : ", MTU of " + device.card() + " " + device.ofCard("mtu")));
    }

    private static void examineMtu(final Examined result, final Kernel kernel, final VerbsProbe verbs) {
        for (final Device device : Device.all(kernel)) {
            final String text = device.ofCard("mtu");
            if (verbs.mtu() == 0 || !verbs.text().startsWith(device.name() + " ") || !text.matches("[0-9]{1,6}")) {
                continue;
            }
            int fits = SMALLEST_MTU;
            while (fits < LARGEST_MTU && 2 * fits + HEADERS <= Integer.parseInt(text)) {
                fits *= 2;
            }
            if (verbs.mtu() < fits) {
                result.found(
                        Code.D302,
                        "RDMA MTU " + verbs.mtu() + ", though " + fits + " fits " + device.card() + "'s MTU of " + text,
                        "take --set verbs.mtu= away, or see the physical port's and the switch's MTU");
            } else if (fits < LARGEST_MTU) {
                result.fact("RDMA MTU " + verbs.mtu() + "; more bandwidth with 4096: MTU 9000 on " + device.card()
                        + ", the switch and the physical port");
            }
        }
    }
}
