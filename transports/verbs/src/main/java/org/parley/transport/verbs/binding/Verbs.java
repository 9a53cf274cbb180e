package org.parley.transport.verbs.binding;

import com.sun.jna.Function;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.UnsafeApi;
import org.parley.transport.TransportException;

/** libibverbs, loaded: one library per process. Any thread. */
public final class Verbs {
    /** The name that the system's loader knows. */
    public static final String LIBRARY = "libibverbs.so.1";

    private static final int ENOMEM = 12;
    private static final int EACCES = 13;
    private static final int EINVAL = 22;
    private static final int EPERM = 1;
    private static final int ENODEV = 19;
    private static final int ENOSYS = 38;

    private static final AtomicReference<Verbs> LOADED = new AtomicReference<>();

    private final String library;

    private Verbs(final String library) {
        this.library = library;
    }

    /**
     * Loads it.
     *
     * @param library a soname, or a path
     * @throws TransportException if there is none, or another one is loaded
     */
    public static synchronized Verbs load(final String library) {
        if (LOADED.get() == null) {
            try {
                LibIbverbs.bind(library);
            } catch (final UnsatisfiedLinkError e) {
                throw new TransportException(
                        library + " cannot be loaded ("
                                + String.valueOf(e.getMessage())
                                        .lines()
                                        .findFirst()
                                        .orElse("") + "): install Debian's libibverbs1 and ibverbs-providers",
                        e);
            }
            LOADED.set(new Verbs(library));
        }
        final Verbs loaded = LOADED.get();
        if (!loaded.library.equals(library)) {
            throw new TransportException(
                    "this process has loaded " + loaded.library + ": " + library + " cannot be loaded besides");
        }
        return loaded;
    }

    /**
     * Returns the machine's devices; they stay known until the process ends.
     *
     * @throws TransportException if the list cannot be had
     */
    public List<VerbsDevice> devices() {
        final long count = UnsafeApi.allocateMemory(8);
        try {
            UnsafeApi.putLong(count, 0);
            // Never freed: devices that are opened later are those of a list.
            final long list = LibIbverbs.ibv_get_device_list(count);
            if (list == 0) {
                throw failed("ibv_get_device_list", Native.getLastError());
            }
            final List<VerbsDevice> devices = new ArrayList<>();
            for (int i = 0; i < UnsafeApi.getInt(count); i++) {
                final long device = UnsafeApi.getLong(list + 8L * i);
                devices.add(new VerbsDevice(
                        device,
                        text(device + Layout.Device.NAME),
                        text(device + Layout.Device.DEV_NAME),
                        Path.of(text(device + Layout.Device.IBDEV_PATH))));
            }
            return devices;
        } finally {
            UnsafeApi.freeMemory(count);
        }
    }

    private static String text(final long address) {
        int length = 0;
        while (length < 256 && UnsafeApi.getByte(address + length) != 0) {
            length++;
        }
        final byte[] bytes = new byte[length];
        UnsafeApi.copyMemory(null, address, bytes, UnsafeApi.arrayBaseOffset(byte[].class), length);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Puts a failure into words: the verb, the system's text, and what to do.
     *
     * @param what the verb, and of what
     * @param errno the system's number
     */
    public static TransportException failed(final String what, final int errno) {
        final Function strerror = NativeLibrary.getInstance("c").getFunction("strerror");
        final String advice = advice(what, errno);
        return new TransportException(what + " failed: " + strerror.invokeString(new Object[] {errno}, false)
                + " (errno " + errno + ")" + (advice.isEmpty() ? "" : "; " + advice));
    }

    private static String advice(final String what, final int errno) {
        if (errno == ENOMEM) {
            return what.startsWith("ibv_create_ah")
                    ? "the device has no room for more peers"
                    : "memory for RDMA is locked, and the limit is reached: raise it (ulimit -l unlimited,"
                            + " or memlock in /etc/security/limits.conf), or use less (--set rc.window=)";
        }
        if (errno == EACCES || errno == EPERM) {
            return "this user may not use the device: see the mode of /dev/infiniband/uverbs*, on Debian rdma-core's"
                    + " udev rules set it to 0666";
        }
        if (errno == ENOSYS) {
            return "this machine has no RDMA device, or its kernel no module ib_uverbs loaded: modprobe ib_uverbs";
        }
        if (errno == ENODEV) {
            return "the device is gone, or its port is down: see ibv_devinfo, and ip link for its network card";
        }
        if (errno == EINVAL) {
            return "the device takes no such arguments: see its limits by ibv_devinfo -v";
        }
        return "";
    }
}
