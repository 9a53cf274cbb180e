package org.parley.transport.verbs.binding;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A device, not opened. What kind it is says the kernel's folder, never its name: udev may rename it.
 *
 * @param handle {@code struct ibv_device}
 * @param name as {@code ibv_devices} lists it
 * @param node its device file's name, such as {@code uverbs0}
 * @param folder the kernel's folder, under {@code /sys/class/infiniband}
 */
public record VerbsDevice(long handle, String name, String node, Path folder) {

    /** Returns the name of the kernel's driver, such as {@code vmw_pvrdma}; empty if that is not known. */
    public String driver() {
        try {
            return folder.resolve("device/driver").toRealPath().getFileName().toString();
        } catch (final IOException e) {
            // A device of the kernel's own, as Soft-RoCE, hangs on no bus: its name is all there is.
            return Files.exists(folder.resolve("parent")) ? "rdma_rxe" : "";
        }
    }

    /** Returns the PCI id as {@code 15ad:0820}; empty if it is no PCI device. */
    public String pciId() {
        final String vendor = line("device/vendor");
        return vendor.isEmpty() ? "" : hex(vendor) + ":" + hex(line("device/device"));
    }

    private static String hex(final String text) {
        return text.startsWith("0x") ? text.substring(2) : text;
    }

    /**
     * Returns the first line of a file of the kernel's folder; empty if there is none.
     *
     * @param file its path in the folder
     */
    public String line(final String file) {
        try {
            return Files.readString(folder.resolve(file)).strip();
        } catch (final IOException e) {
            return "";
        }
    }

    /**
     * Opens it.
     *
     * @throws org.parley.transport.TransportException if that cannot be, naming the device file
     */
    public VerbsContext open() {
        return new VerbsContext(this);
    }
}
