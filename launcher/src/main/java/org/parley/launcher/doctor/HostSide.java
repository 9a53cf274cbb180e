package org.parley.launcher.doctor;

import java.util.List;

/** What no guest can see: commands for a shell on the ESXi host, and what they should show. */
final class HostSide {
    static final List<String> COMMANDS = List.of(
            "esxcli rdma device list                              # an active device, paired with the uplink",
            "esxcli rdma device protocol list                     # RoCE v1 and v2 as the guests' GIDs have it",
            "esxcli software vib list | grep -iE 'nmlx|rdma|roce' # the adapter's RDMA driver",
            "esxcli network nic list                              # the uplink up, at full speed, MTU 9000",
            "esxcli network vswitch dvs vmware list               # one switch for all virtual machines, MTU 9000, one uplink",
            "esxcli system settings advanced list -o /Net/PVRDMAVmknic  # the VMkernel adapter that is tagged for PVRDMA",
            "esxcli network firewall ruleset list --ruleset-id pvrdma   # enabled",
            "esxcli network nic dcb status get -n vmnicN          # priority flow control on; ECN in the driver's parameters");

    private HostSide() {}
}
