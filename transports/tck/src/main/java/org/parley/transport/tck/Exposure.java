package org.parley.transport.tck;

import org.agrona.UnsafeApi;

/** Memory of one rank that another fetches, with what surrounds it at both ends. */
final class Exposure implements AutoCloseable {
    /** Bytes around the target that must stay as they are. */
    private static final int FENCE = 64;

    private static final byte UNTOUCHED = 0x5a;

    private final TestJob job;
    private final int owner;
    private final int reader;
    private final long length;
    private final long seed;
    private final long sourceMemory;
    private final long targetMemory;
    private final long source;
    private final long target;
    private long key;

    Exposure(final TestJob job, final int owner, final int reader, final long length) {
        this.job = job;
        this.owner = owner;
        this.reader = reader;
        this.length = length;
        this.seed = System.identityHashCode(this) * 31L + length;
        this.sourceMemory = UnsafeApi.allocateMemory(length + FENCE);
        this.targetMemory = UnsafeApi.allocateMemory(length + 3 * FENCE);
        // Neither end on a boundary, nor both on the same one.
        this.source = sourceMemory + length % 7;
        this.target = targetMemory + FENCE + length % 5;
        Pattern.fill(seed, source, length);
        UnsafeApi.setMemory(targetMemory, length + 3 * FENCE, UNTOUCHED);
    }

    long source() {
        return source;
    }

    /** Exposes the memory, and tells the reader of it as the runtime does: by a frame. */
    void expose() {
        // A wire may first have to find out whether the peer can read.
        job.await("a key for " + length + " bytes", this::tryExpose);
        job.send(owner, reader, new byte[] {1});
        job.take(reader, owner);
    }

    /** Exposes if that can be; the caller tells the reader. */
    boolean tryExpose() {
        key = job.rank(owner).to(reader).expose(source, length, 0);
        return key != 0;
    }

    void fetch() {
        final long result = tryFetch();
        if (result != 0) {
            throw new AssertionError("get of " + length + " bytes returned " + result);
        }
    }

    long tryFetch() {
        return job.rank(reader).get(owner, source, key, target, length, seed);
    }

    boolean hasEnded() {
        return job.rank(reader).hasEnded(seed);
    }

    void awaitEnd() {
        job.await("the end of a get of " + length + " bytes", this::hasEnded);
        check();
    }

    /** Compares what was fetched, and the bytes around it. */
    void check() {
        final String failure = job.rank(reader).failureOf(seed);
        if (failure != null) {
            throw new AssertionError("get of " + length + " bytes failed: " + failure);
        }
        final long wrong = Pattern.mismatch(seed, target, length);
        if (wrong >= 0) {
            throw new AssertionError("byte " + wrong + " of " + length + " fetched is wrong");
        }
        for (int i = 1; i <= FENCE; i++) {
            if (UnsafeApi.getByte(target - i) != UNTOUCHED || UnsafeApi.getByte(target + length - 1 + i) != UNTOUCHED) {
                throw new AssertionError("a get of " + length + " bytes wrote outside of its target");
            }
        }
    }

    /** Returns a sum of all that lies in the target now. */
    long sum() {
        long sum = 0;
        for (long i = 0; i < length; i++) {
            sum = 31 * sum + UnsafeApi.getByte(target + i);
        }
        return sum;
    }

    void conceal() {
        job.rank(owner).to(reader).conceal(key);
    }

    int owner() {
        return owner;
    }

    int reader() {
        return reader;
    }

    @Override
    public void close() {
        UnsafeApi.freeMemory(sourceMemory);
        UnsafeApi.freeMemory(targetMemory);
    }
}
