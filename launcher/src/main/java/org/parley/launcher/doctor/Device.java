package org.parley.launcher.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * An RDMA device, as the kernel's folder of it says.
 *
 * @param kernel whose folders
 * @param name as the kernel, or udev, calls it
 * @param driver what drives it; never told by the name
 * @param pciId such as {@code 15ad:0820}; empty if it is on no bus
 * @param card its network card; empty if it has none
 */
record Device(Kernel kernel, String name, String driver, String pciId, String card) {
    /** VMware's. */
    static final String PVRDMA = "vmw_pvrdma";

    /** Soft-RoCE. */
    static final String RXE = "rdma_rxe";

    private static final String CLASS = "sys/class/infiniband/";

    static List<Device> all(final Kernel kernel) {
        final List<Device> devices = new ArrayList<>();
        for (final String name : kernel.names(CLASS)) {
            final String folder = CLASS + name + "/";
            final String parent = kernel.text(folder + "parent");
            final String driver = kernel.linked(folder + "device/driver");
            final List<String> cards = kernel.names(folder + "device/net");
            final String vendor = kernel.text(folder + "device/vendor");
            devices.add(new Device(
                    kernel,
                    name,
                    parent.isEmpty() ? driver : RXE,
                    vendor.isEmpty() || !parent.isEmpty()
                            ? ""
                            : hex(vendor) + ":" + hex(kernel.text(folder + "device/device")),
                    !parent.isEmpty() ? parent : cards.isEmpty() ? "" : cards.get(0)));
        }
        return devices;
    }

    private static String hex(final String number) {
        return number.toLowerCase(Locale.ROOT).replaceFirst("^0x", "");
    }

    /** Whether its speed says nothing about an adapter's. */
    boolean isSoftware() {
        return driver.equals(RXE);
    }

    List<String> ports() {
        return kernel.names(CLASS + name + "/ports");
    }

    /** Returns a text of a port. */
    String ofPort(final String port, final String file) {
        return kernel.text(CLASS + name + "/ports/" + port + "/" + file);
    }

    /** Returns the names of a port's entries. */
    List<String> entriesOfPort(final String port, final String folder) {
        return kernel.names(CLASS + name + "/ports/" + port + "/" + folder);
    }

    /** Whether one of its ports can be used. */
    boolean isActive() {
        return ports().stream().anyMatch(this::isActive);
    }

    boolean isActive(final String port) {
        return state(port).equals("ACTIVE");
    }

    /** Returns the port's speed in bits per second; 0 if it says none. */
    long bitsPerSecond(final String port) {
        final String rate = ofPort(port, "rate");
        final String number = rate.replaceFirst("^([0-9.]+).*", "$1");
        return number.matches("[0-9]+(\\.[0-9]+)?") ? (long) (Double.parseDouble(number) * 1e9) : 0;
    }

    /** Returns a fact of the network card. */
    String ofCard(final String file) {
        return card.isEmpty() ? "" : kernel.text("sys/class/net/" + card + "/" + file);
    }

    String cardDriver() {
        return card.isEmpty() ? "" : kernel.linked("sys/class/net/" + card + "/device/driver");
    }

    /** Returns the name of its device file; empty if there is none. */
    String node() {
        return kernel.names("sys/class/infiniband_verbs").stream()
                .filter(node -> kernel.text("sys/class/infiniband_verbs/" + node + "/ibdev")
                        .equals(name))
                .findFirst()
                .orElse("");
    }

    /** Says which device this is, and how its ports are. */
    String withPorts() {
        final StringBuilder text = new StringBuilder(text());
        for (final String port : ports()) {
            text.append(", port ").append(port).append(' ').append(state(port));
            text.append(' ').append(ofPort(port, "rate"));
        }
        return text.toString();
    }

    /** Returns the state of a port, such as {@code ACTIVE}. */
    String state(final String port) {
        return ofPort(port, "state").replaceFirst("^\\d+: *", "");
    }

    /** Says which device this is. */
    String text() {
        return name + " (" + (driver.isEmpty() ? "unknown driver" : driver) + (pciId.isEmpty() ? "" : ", " + pciId)
                + ")" + (card.isEmpty() ? "" : " with network card " + card + " (" + cardDriver() + ")");
    }
}
