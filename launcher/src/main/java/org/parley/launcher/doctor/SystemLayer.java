package org.parley.launcher.doctor;

import java.nio.file.Files;
import java.nio.file.Path;

/** Whether programs may use the device. */
final class SystemLayer {
    /** What a rank locks for a few peers; less ends soon. */
    private static final long LEAST_LOCKED = 64L << 20;

    private static final long LEAST_FREE_KB = 256_000;

    /** CAP_IPC_LOCK: the limit does not count. */
    private static final int MAY_LOCK = 14;

    private SystemLayer() {}

    /**
     * Examines it.
     *
     * @param verbs what the library says; of a port that is not active it cannot know more than {@link LinkLayer}
     */
    static Examined examine(final String host, final Kernel kernel, final VerbsProbe verbs) {
        final Examined result = new Examined(host, Layer.SYSTEM);
        for (final Device device : Device.all(kernel)) {
            examineNode(result, kernel, device);
        }
        examineMemory(result, kernel);
        final boolean anyActive = Device.all(kernel).stream().anyMatch(Device::isActive);
        if (!result.isBroken() && !verbs.isAvailable() && anyActive) {
            result.found(
                    Code.D205,
                    verbs.text(),
                    "apt-get install ibverbs-providers, or rdma-core of your system; then ibv_devinfo must list the device");
        }
        return result;
    }

    private static void examineNode(final Examined result, final Kernel kernel, final Device device) {
        final String node = device.node();
        final Path file = kernel.path("dev/infiniband/" + node);
        if (node.isEmpty() || !Files.exists(file)) {
            result.found(
                    Code.D201,
                    "none for " + device.name(),
                    "modprobe ib_uverbs; for each start: echo ib_uverbs > /etc/modules-load.d/ib_uverbs.conf");
        } else if (!Files.isReadable(file) || !Files.isWritable(file)) {
            result.found(
                    Code.D202,
                    "/dev/infiniband/" + node + " is not for user " + System.getProperty("user.name"),
                    "chmod 0666 /dev/infiniband/" + node
                            + "; for each start by udev: rdma-core's 60-rdma-ndd and rdma-persistent-naming rules set it");
        } else {
            result.fact("/dev/infiniband/" + node + " may be used");
        }
    }

    private static void examineMemory(final Examined result, final Kernel kernel) {
        final String limit =
                kernel.line("proc/self/limits", "Max locked memory").replaceFirst("\\s.*", "");
        final String capabilities = kernel.line("proc/self/status", "CapEff:");
        final boolean isPrivileged = capabilities.matches("[0-9a-f]{1,16}")
                && (Long.parseUnsignedLong(capabilities, 16) >> MAY_LOCK & 1) == 1;
        if (limit.matches("[0-9]{1,18}") && Long.parseLong(limit) < LEAST_LOCKED && !isPrivileged) {
            result.found(
                    Code.D203,
                    Long.parseLong(limit) / 1024 + " KiB (ulimit -l)",
                    "echo '* - memlock unlimited' > /etc/security/limits.d/rdma.conf and log in again; "
                            + "for services LimitMEMLOCK=infinity in their systemd unit");
        } else {
            result.fact("locked memory: " + (isPrivileged ? "unlimited for this user" : limit));
        }
        final String free = kernel.line("proc/meminfo", "MemAvailable:").replaceFirst("\\s.*", "");
        if (free.matches("[0-9]{1,18}")) {
            final long kilobytes = Long.parseLong(free);
            result.fact("free memory: " + kilobytes / 1000 + " MB");
            if (kilobytes < LEAST_FREE_KB) {
                result.found(
                        Code.D204,
                        kilobytes / 1000 + " MB are free",
                        "end other programs, or give the machine more memory, all of it reserved");
            }
        }
    }
}
