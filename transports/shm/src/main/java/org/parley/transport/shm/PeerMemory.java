package org.parley.transport.shm;

import java.nio.file.Path;
import org.agrona.UnsafeApi;
import org.agrona.collections.Int2ObjectHashMap;
import org.parley.transport.SharedRegion;
import org.parley.transport.TransportException;

/**
 * The memory of a process that ranks of this machine live in, seen from here: by plain loads and
 * stores where it is this process or a region that it shares, else by kernel calls.
 */
final class PeerMemory implements AutoCloseable {
    private final Path folder;
    private final long process;
    private final int pid;
    private final boolean here;
    private final Int2ObjectHashMap<SharedRegion> regions = new Int2ObjectHashMap<>();

    /**
     * Makes a view.
     *
     * @param folder the job's folder
     * @param process {@link SharedRegion#PROCESS} there
     * @param pid its process id there
     */
    PeerMemory(final Path folder, final long process, final int pid) {
        this.folder = folder;
        this.process = process;
        this.pid = pid;
        this.here = process == SharedRegion.PROCESS;
    }

    /**
     * Finds where a range of the process's memory can be reached by loads and stores.
     *
     * @return the address here, or 0 if there is none
     */
    long mapped(final int region, final long address, final long length) {
        if (here) {
            return address;
        }
        if (region == 0) {
            return 0;
        }
        SharedRegion known = regions.get(region);
        if (known == null) {
            dropGivenUp();
            try {
                known = SharedRegion.open(folder, process, region);
            } catch (final TransportException e) {
                return 0;
            }
            regions.put(region, known);
        }
        return known.translate(address, length);
    }

    private void dropGivenUp() {
        regions.values().removeIf(region -> {
            final boolean unused = region.isGivenUp();
            if (unused) {
                region.close();
            }
            return unused;
        });
    }

    /** Copies from the process; false if the kernel refuses. */
    boolean read(final CrossMemory kernel, final long mapped, final long remote, final long local, final long length) {
        if (mapped == 0) {
            return kernel.read(pid, remote, local, length);
        }
        UnsafeApi.copyMemory(mapped, local, length);
        return true;
    }

    /** Copies to the process; false if the kernel refuses. */
    boolean write(final CrossMemory kernel, final long mapped, final long remote, final long local, final long length) {
        if (mapped == 0) {
            return kernel.write(pid, remote, local, length);
        }
        UnsafeApi.copyMemory(local, mapped, length);
        return true;
    }

    @Override
    public void close() {
        regions.values().forEach(SharedRegion::close);
        regions.clear();
    }
}
