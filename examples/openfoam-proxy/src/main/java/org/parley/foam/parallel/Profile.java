package org.parley.foam.parallel;

/**
 * Where a rank's time went, and what it sent: halo, reductions, the rest is compute. One thread a
 * rank writes it.
 */
public final class Profile {
    /** Upper ends of the size classes, in bytes; what is longer is in the last class. */
    public static final int[] CLASSES = {64, 1024, 8192, 65536};

    private final long started = System.nanoTime();
    private final long[] messages = new long[CLASSES.length + 1];
    private final long[] bytes = new long[CLASSES.length + 1];
    private long halo;
    private long reduction;
    private long halos;
    private long reductions;
    private long excluded;

    void sent(final long length) {
        int size = 0;
        while (size < CLASSES.length && length > CLASSES[size]) {
            size++;
        }
        messages[size]++;
        bytes[size] += length;
    }

    void haloTime(final long nanos, final boolean complete) {
        halo += nanos;
        if (complete) {
            halos++;
        }
    }

    void reductionTime(final long nanos) {
        reduction += nanos;
        reductions++;
    }

    /**
     * Leaves time out of the account: reading and writing of files.
     *
     * @param nanos how much
     */
    public void exclude(final long nanos) {
        excluded += nanos;
    }

    /**
     * Returns the account as numbers that can be sent: compute, halo and reduction seconds, halo
     * exchanges, reductions, then messages and bytes of each size class.
     */
    public double[] numbers() {
        final double[] numbers = new double[5 + 2 * messages.length];
        final double total = (System.nanoTime() - started - excluded) * 1e-9;
        numbers[1] = halo * 1e-9;
        numbers[2] = reduction * 1e-9;
        numbers[0] = total - numbers[1] - numbers[2];
        numbers[3] = halos;
        numbers[4] = reductions;
        for (int i = 0; i < messages.length; i++) {
            numbers[5 + 2 * i] = messages[i];
            numbers[6 + 2 * i] = bytes[i];
        }
        return numbers;
    }
}
