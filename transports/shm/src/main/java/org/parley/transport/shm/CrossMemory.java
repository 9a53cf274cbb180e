package org.parley.transport.shm;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.UnsafeApi;

/**
 * Copies between this process's memory and another's with one kernel call per piece: {@code
 * process_vm_readv(2)} and {@code process_vm_writev(2)}.
 *
 * <p>The calls go through a prepared libffi call with arguments in native memory: 33 ns of overhead
 * on the machine described in docs/performance.md, against 81 ns for a directly mapped method. An
 * instance belongs to the holder of the progress word.
 */
final class CrossMemory implements AutoCloseable {
    private static final int FFI_INT = 10;
    private static final int FFI_LONG = 12;
    private static final int FFI_TYPE_BYTES = 24;
    private static final int ARGUMENTS = 6;
    private static final int PR_SET_PTRACER = 0x59616d61;

    // One block of native memory: two ffi types, the type list, the argument list, the arguments,
    // the two iovecs and the result.
    private static final int INT_TYPE = 0;
    private static final int LONG_TYPE = INT_TYPE + FFI_TYPE_BYTES;
    private static final int TYPES = LONG_TYPE + FFI_TYPE_BYTES;
    private static final int POINTERS = TYPES + 8 * ARGUMENTS;
    private static final int VALUES = POINTERS + 8 * ARGUMENTS;
    private static final int LOCAL = VALUES + 8 * ARGUMENTS;
    private static final int REMOTE = LOCAL + 16;
    private static final int RESULT = REMOTE + 16;
    private static final int BLOCK = RESULT + 16;

    private final long block;
    private final long cif;
    private final long readv;
    private final long writev;

    /** Loads libc's functions; throws an {@link UnsatisfiedLinkError} where there are none. */
    CrossMemory() {
        final NativeLibrary libc = NativeLibrary.getInstance("c");
        readv = Pointer.nativeValue(libc.getFunction("process_vm_readv"));
        writev = Pointer.nativeValue(libc.getFunction("process_vm_writev"));
        block = UnsafeApi.allocateMemory(BLOCK);
        UnsafeApi.setMemory(block, BLOCK, (byte) 0);
        type(INT_TYPE, 4, FFI_INT);
        type(LONG_TYPE, 8, FFI_LONG);
        for (int i = 0; i < ARGUMENTS; i++) {
            UnsafeApi.putLong(block + TYPES + 8L * i, block + (i == 0 ? INT_TYPE : LONG_TYPE));
            UnsafeApi.putLong(block + POINTERS + 8L * i, block + VALUES + 8L * i);
        }
        cif = Native.ffi_prep_cif(0, ARGUMENTS, block + LONG_TYPE, block + TYPES);
        UnsafeApi.putLong(block + VALUES + 8, block + LOCAL);
        UnsafeApi.putLong(block + VALUES + 16, 1);
        UnsafeApi.putLong(block + VALUES + 24, block + REMOTE);
        UnsafeApi.putLong(block + VALUES + 32, 1);
        permitPeers(libc);
    }

    /** Copies bytes of another process here; false if the kernel refuses. */
    boolean read(final int pid, final long remote, final long local, final long length) {
        return copy(readv, pid, remote, local, length);
    }

    /** Copies bytes from here into another process; false if the kernel refuses. */
    boolean write(final int pid, final long remote, final long local, final long length) {
        return copy(writev, pid, remote, local, length);
    }

    @Override
    public void close() {
        Native.free(cif);
        UnsafeApi.freeMemory(block);
    }

    private boolean copy(final long function, final int pid, final long remote, final long local, final long length) {
        UnsafeApi.putLong(block + VALUES, pid);
        for (long done = 0; done < length; ) {
            UnsafeApi.putLong(block + LOCAL, local + done);
            UnsafeApi.putLong(block + LOCAL + 8, length - done);
            UnsafeApi.putLong(block + REMOTE, remote + done);
            UnsafeApi.putLong(block + REMOTE + 8, length - done);
            Native.ffi_call(cif, function, block + RESULT, block + POINTERS);
            final long copied = UnsafeApi.getLong(block + RESULT);
            if (copied <= 0) {
                return false;
            }
            done += copied;
        }
        return true;
    }

    private void type(final int offset, final int size, final int kind) {
        UnsafeApi.putLong(block + offset, size);
        UnsafeApi.putShort(block + offset + 8, (short) size);
        UnsafeApi.putShort(block + offset + 10, (short) kind);
    }

    /** Where Yama allows tracing only by ancestors, allows it to our peers, of the same user. */
    private static void permitPeers(final NativeLibrary libc) {
        if (Files.exists(Path.of("/proc/sys/kernel/yama/ptrace_scope"))) {
            libc.getFunction("prctl").invokeInt(new Object[] {PR_SET_PTRACER, -1L, 0L, 0L, 0L});
        }
    }
}
