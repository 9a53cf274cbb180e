package org.parley.launcher.doctor;

/** All that can be found, under codes that never change; docs/errors.md has a section for each. */
enum Code {
    D101(Layer.ADAPTER, true, "an RDMA adapter"),
    D102(Layer.ADAPTER, true, "an RDMA device of the driver vmw_pvrdma for the PCI device"),
    D103(Layer.ADAPTER, true, "a vmxnet3 card as function 0 of the PVRDMA device's slot"),
    D201(Layer.SYSTEM, true, "a device file for programs under /dev/infiniband"),
    D202(Layer.SYSTEM, true, "a device file that this user may read and write"),
    D203(Layer.SYSTEM, true, "64 MiB or more of memory that may be locked"),
    D204(Layer.SYSTEM, false, "256 MB or more of free memory"),
    D205(Layer.SYSTEM, true, "verbs that open the device"),
    D301(Layer.LINK, true, "a port that is ACTIVE"),
    D302(Layer.LINK, false, "the largest RDMA MTU that the network card's MTU has room for"),
    D303(Layer.LINK, true, "a GID"),
    D304(Layer.LINK, true, "a P_Key of which the port is a full member"),
    D305(Layer.LINK, false, "one MTU on all hosts"),
    D306(Layer.LINK, true, "a path that passes packets of the card's MTU whole"),
    D401(Layer.TRANSPORT, true, "queue pairs between two processes of one machine"),
    D402(
            Layer.TRANSPORT,
            true,
            "queue pairs between hosts that reach each other: one GID type, one network, one P_Key"),
    D403(Layer.TRANSPORT, true, "a host that ssh reaches, with this Parley in the same place"),
    D404(Layer.TRANSPORT, true, "a connection that stays"),
    D501(Layer.MESSAGES, true, "30 % or more of the link's bandwidth; about 80 % on a sound system"),
    D502(Layer.MESSAGES, false, "a latency about ten times below TCP's"),
    D503(Layer.MESSAGES, true, "benchmarks that end well"),
    D601(Layer.VMX, true, "hardware version 13 or later"),
    D602(Layer.VMX, true, "a reservation of all memory"),
    D603(Layer.VMX, true, "1 to 10 PVRDMA adapters"),
    D604(Layer.VMX, true, "hardware version 18 or later where native endpoints are on"),
    D605(Layer.VMX, false, "latency sensitivity high where vrdma.asyncMode is on");

    private final Layer layer;
    private final boolean breaks;
    private final String expected;

    Code(final Layer layer, final boolean breaks, final String expected) {
        this.layer = layer;
        this.breaks = breaks;
        this.expected = expected;
    }

    Layer layer() {
        return layer;
    }

    /** Whether what is above the layer cannot be sound; else it is worth a word. */
    boolean breaks() {
        return breaks;
    }

    /** Returns what a sound system has there. */
    String expected() {
        return expected;
    }
}
