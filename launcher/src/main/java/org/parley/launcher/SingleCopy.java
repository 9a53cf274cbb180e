package org.parley.launcher;

import com.sun.jna.Function;
import com.sun.jna.LastErrorException;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether the kernel lets one process of this user copy the memory of another. */
final class SingleCopy {
    private static final int BYTES = 8;

    private SingleCopy() {}

    /**
     * Tries it with a child: Yama allows it to ancestors and, because ranks permit it, to ranks.
     *
     * @return empty if it works, else why not
     */
    static String whyNot() {
        Process child = null;
        try {
            child = new ProcessBuilder("sleep", "60").start();
            return copy(child.pid());
        } catch (final IOException e) {
            return "it cannot be tried: " + e.getMessage();
        } catch (final UnsatisfiedLinkError e) {
            return "this C library does not have it, or JNA cannot be loaded: " + e.getMessage();
        } finally {
            if (child != null) {
                child.destroyForcibly();
            }
        }
    }

    private static String copy(final long pid) throws IOException {
        try (Memory local = new Memory(BYTES);
                Memory vectors = new Memory(4L * Native.POINTER_SIZE)) {
            vectors.setPointer(0, local);
            vectors.setLong(Native.POINTER_SIZE, BYTES);
            vectors.setLong(2L * Native.POINTER_SIZE, someAddressOf(pid));
            vectors.setLong(3L * Native.POINTER_SIZE, BYTES);
            final Pointer remote = vectors.share(2L * Native.POINTER_SIZE);
            final Object[] arguments = {
                (int) pid, vectors, new NativeLong(1), remote, new NativeLong(1), new NativeLong(0)
            };
            Function.getFunction("c", "process_vm_readv", Function.THROW_LAST_ERROR)
                    .invoke(NativeLong.class, arguments);
            return "";
        } catch (final LastErrorException e) {
            return "process_vm_readv: " + e.getMessage();
        }
    }

    /** Returns where the process' first mapping begins that can be read. */
    private static long someAddressOf(final long pid) throws IOException {
        for (final String line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"))) {
            final String[] fields = line.split("[- ]");
            if (fields[2].startsWith("r")) {
                return Long.parseUnsignedLong(fields[0], 16);
            }
        }
        throw new IOException("process " + pid + " has no memory that can be read");
    }
}
