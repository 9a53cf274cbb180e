package org.parley.foam.parallel;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.parley.Status;

/**
 * The interfaces of one level of a mesh, and the exchange of what lies at them. An exchange is
 * started with the fields and finished before the values are used; what the ranks do between the two
 * overlaps with it where the comms type allows.
 */
public final class Interfaces {
    private final Ranks ranks;
    private final Interface[] all;
    private final Interface[] processors;
    private final Status status = new Status();
    private int components;

    /**
     * Makes the interfaces of a level.
     *
     * @param ranks the run
     * @param interfaces in the order of the patches
     */
    public Interfaces(final Ranks ranks, final List<Interface> interfaces) {
        this.ranks = ranks;
        this.all = interfaces.toArray(Interface[]::new);
        // One order of all pairs of ranks: whoever exchanges in it cannot wait in a circle.
        this.processors = interfaces.stream()
                .filter(i -> i.neighbour >= 0)
                .sorted(Comparator.<Interface>comparingInt(i -> Math.min(ranks.rank(), i.neighbour))
                        .thenComparingInt(i -> Math.max(ranks.rank(), i.neighbour)))
                .toArray(Interface[]::new);
    }

    /** Returns how many there are. */
    public int count() {
        return all.length;
    }

    /**
     * Returns one.
     *
     * @param index which
     */
    public Interface get(final int index) {
        return all[index];
    }

    /** Returns the run. */
    public Ranks ranks() {
        return ranks;
    }

    /**
     * Starts the exchange of fields.
     *
     * @param fields cell values, one array a component
     */
    public void start(final double[]... fields) {
        components = fields.length;
        for (final Interface side : all) {
            side.room(components);
            for (int c = 0; c < components; c++) {
                side.pack(fields[c], c);
            }
        }
        transmit();
    }

    /**
     * Starts the exchange of a + factor b, which need not be there yet.
     *
     * @param a cell values
     * @param factor of b
     * @param b cell values
     */
    public void startSum(final double[] a, final double factor, final double[] b) {
        components = 1;
        for (final Interface side : all) {
            final int[] cells = side.faceCells;
            for (int i = 0; i < cells.length; i++) {
                side.outgoing[i] = a[cells[i]] + factor * b[cells[i]];
            }
        }
        transmit();
    }

    /**
     * Starts the exchange of what the two sides have at their faces.
     *
     * @param faceValues by interface: component by component
     * @param count components
     */
    public void startFaces(final double[][] faceValues, final int count) {
        components = count;
        for (int n = 0; n < all.length; n++) {
            all[n].room(count);
            System.arraycopy(faceValues[n], 0, all[n].outgoing, 0, count * all[n].size());
        }
        transmit();
    }

    private void transmit() {
        if (processors.length == 0) {
            return;
        }
        final long begun = System.nanoTime();
        switch (ranks.commsType()) {
            case NON_BLOCKING -> {
                for (final Interface side : processors) {
                    side.receiving =
                            ranks.world().ireceive(side.values, 0, length(side), side.neighbour, Ranks.HALO_TAG);
                }
                for (final Interface side : processors) {
                    side.sending = ranks.world().isend(side.outgoing, 0, length(side), side.neighbour, Ranks.HALO_TAG);
                    ranks.profile().sent(8L * length(side));
                }
            }
            case BLOCKING -> {
                for (final Interface side : processors) {
                    ranks.world().bsend(side.outgoing, 0, length(side), side.neighbour, Ranks.HALO_TAG);
                    ranks.profile().sent(8L * length(side));
                }
            }
            default -> {
                // Scheduled exchanges happen whole when they are finished.
            }
        }
        ranks.profile().haloTime(System.nanoTime() - begun, false);
    }

    /** Finishes the exchange: then the values of each interface are those of the other side. */
    public void finish() {
        for (final Interface side : all) {
            if (side.neighbour < 0) {
                System.arraycopy(all[side.partner].outgoing, 0, side.values, 0, length(side));
            }
        }
        if (processors.length == 0) {
            return;
        }
        final long begun = System.nanoTime();
        for (final Interface side : processors) {
            switch (ranks.commsType()) {
                case NON_BLOCKING -> side.receiving.await(status);
                case BLOCKING -> receive(side);
                default -> {
                    if (ranks.rank() < side.neighbour) {
                        send(side);
                        receive(side);
                    } else {
                        receive(side);
                        send(side);
                    }
                }
            }
        }
        if (ranks.commsType() == CommsType.NON_BLOCKING) {
            for (final Interface side : processors) {
                side.sending.await(status);
            }
        }
        ranks.profile().haloTime(System.nanoTime() - begun, true);
    }

    private int length(final Interface side) {
        return components * side.size();
    }

    private void send(final Interface side) {
        ranks.world().send(side.outgoing, 0, length(side), side.neighbour, Ranks.HALO_TAG);
        ranks.profile().sent(8L * length(side));
    }

    private void receive(final Interface side) {
        ranks.world().receive(side.values, 0, length(side), side.neighbour, Ranks.HALO_TAG, status);
    }

    /**
     * Adds, at each face, coefficient times the other side's value to the cell; after {@link
     * #finish()}.
     *
     * @param result cell values
     * @param coefficients by interface and face
     * @param sign 1, or -1 to subtract
     */
    public void addProducts(final double[] result, final double[][] coefficients, final double sign) {
        for (int n = 0; n < all.length; n++) {
            final int[] cells = all[n].faceCells;
            final double[] values = all[n].values;
            final double[] factors = coefficients[n];
            for (int i = 0; i < cells.length; i++) {
                result[cells[i]] += sign * factors[i] * values[i];
            }
        }
    }

    /**
     * Returns the sum, over all faces, of coefficient times the other side's value times the cell's;
     * after {@link #finish()}.
     *
     * @param field cell values
     * @param coefficients by interface and face
     */
    public double dot(final double[] field, final double[][] coefficients) {
        double sum = 0;
        for (int n = 0; n < all.length; n++) {
            final int[] cells = all[n].faceCells;
            for (int i = 0; i < cells.length; i++) {
                sum += coefficients[n][i] * all[n].values[i] * field[cells[i]];
            }
        }
        return sum;
    }

    /**
     * Makes coefficients of the interfaces' sizes, all zero.
     */
    public double[][] coefficients() {
        return Arrays.stream(all).map(i -> new double[i.size()]).toArray(double[][]::new);
    }
}
