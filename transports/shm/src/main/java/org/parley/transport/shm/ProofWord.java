package org.parley.transport.shm;

import org.agrona.UnsafeApi;

/** Eight bytes of native memory at an address that peers may be told. */
final class ProofWord implements AutoCloseable {
    private final long address = UnsafeApi.allocateMemory(Long.BYTES);

    ProofWord(final long value) {
        UnsafeApi.putLong(address, value);
    }

    long address() {
        return address;
    }

    long value() {
        return UnsafeApi.getLong(address);
    }

    @Override
    public void close() {
        UnsafeApi.freeMemory(address);
    }
}
