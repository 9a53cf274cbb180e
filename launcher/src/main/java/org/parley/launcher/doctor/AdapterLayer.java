package org.parley.launcher.doctor;

import java.util.List;

/** Whether there is an adapter, and its driver drives it. */
final class AdapterLayer {
    private static final String PVRDMA_ID = "0x15ad 0x0820";
    private static final String VMXNET3_ID = "0x15ad 0x07b0";
    private static final String PCI = "sys/bus/pci/devices/";
    private static final String DMI = "sys/class/dmi/id/";

    private AdapterLayer() {}

    static Examined examine(final String host, final Kernel kernel) {
        final Examined result = new Examined(host, Layer.ADAPTER);
        final String vendor = kernel.text(DMI + "sys_vendor");
        if (!vendor.isEmpty()) {
            result.fact("machine: " + vendor + " " + kernel.text(DMI + "product_name"));
        }
        final List<Device> devices = Device.all(kernel);
        devices.forEach(device -> result.fact(device.text()));
        final List<String> onBus = kernel.names(PCI).stream()
                .filter(function -> id(kernel, function).equals(PVRDMA_ID))
                .toList();
        for (final String function : onBus) {
            final String first = function.replaceFirst("\\.[0-7]$", ".0");
            if (!id(kernel, first).equals(VMXNET3_ID)) {
                result.found(
                        Code.D103,
                        "PVRDMA device " + function + " without a vmxnet3 card at " + first,
                        "remove the adapter and add it again, of type PVRDMA, in the virtual machine's settings");
            }
        }
        final long driven = devices.stream()
                .filter(device -> device.driver().equals(Device.PVRDMA))
                .count();
        if (driven < onBus.size() && !result.isBroken()) {
            result.found(
                    Code.D102,
                    "PCI device 15ad:0820 at " + String.join(", ", onBus) + ", but " + driven + " devices of "
                            + Device.PVRDMA + (kernel.has("sys/module/vmw_pvrdma") ? "; its module is loaded" : ""),
                    kernel.has("sys/module/vmw_pvrdma")
                            ? "dmesg | grep vmw_pvrdma tells why the driver refused; VMware Tools (open-vm-tools) and the kernel must fit the host"
                            : "modprobe vmw_pvrdma; for each start: echo vmw_pvrdma > /etc/modules-load.d/vmw_pvrdma.conf");
        } else if (devices.isEmpty() && !result.isBroken()) {
            result.found(
                    Code.D101,
                    "no device under /sys/class/infiniband, no PCI device 15ad:0820",
                    vendor.contains("VMware")
                            ? "add a network adapter of type PVRDMA to the virtual machine (hardware version 13 or later, distributed switch)"
                            : "add an RDMA adapter; to try without one: modprobe rdma_rxe && rdma link add rxe0 type rxe netdev "
                                    + firstCard(kernel));
        }
        return result;
    }

    private static String id(final Kernel kernel, final String function) {
        return kernel.text(PCI + function + "/vendor") + " " + kernel.text(PCI + function + "/device");
    }

    private static String firstCard(final Kernel kernel) {
        return kernel.names("sys/class/net").stream()
                .filter(card -> kernel.has("sys/class/net/" + card + "/device"))
                .findFirst()
                .orElse("eth0");
    }
}
