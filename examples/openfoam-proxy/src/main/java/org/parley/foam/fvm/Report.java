package org.parley.foam.fvm;

import java.util.Locale;
import org.parley.foam.parallel.Profile;
import org.parley.foam.parallel.Ranks;

/** The account of a run's time and messages, by rank and in all. */
final class Report {
    private static final String[] SIZES = {"<=64B", "<=1K", "<=8K", "<=64K", ">64K"};

    private Report() {}

    /** Gathers the accounts and prints them on the first rank; on all ranks together. */
    static void print(final Ranks ranks, final Log log) {
        final double[][] all = ranks.gather(ranks.profile().numbers());
        if (all == null) {
            return;
        }
        final double[] total = new double[all[0].length];
        final StringBuilder text = new StringBuilder("Communication profile: seconds, calls, messages sent by size\n");
        text.append(String.format(
                Locale.ROOT,
                "%5s %9s %9s %9s %6s %9s %9s",
                "rank",
                "compute",
                "halo",
                "reduce",
                "comm%",
                "halos",
                "reduces"));
        for (final String size : SIZES) {
            text.append(String.format(Locale.ROOT, " %9s", size));
        }
        text.append(String.format(Locale.ROOT, " %12s\n", "bytes"));
        for (int rank = 0; rank < all.length; rank++) {
            for (int i = 0; i < total.length; i++) {
                total[i] += all[rank][i];
            }
            row(text, Integer.toString(rank), all[rank]);
        }
        row(text, "all", total);
        text.append("\nBytes sent by size\n rank");
        for (final String size : SIZES) {
            text.append(String.format(Locale.ROOT, " %12s", size));
        }
        text.append('\n');
        for (int rank = 0; rank < all.length; rank++) {
            bytes(text, Integer.toString(rank), all[rank]);
        }
        bytes(text, "all", total);
        log.line(text.toString());
    }

    private static void bytes(final StringBuilder text, final String name, final double[] n) {
        text.append(String.format(Locale.ROOT, "%5s", name));
        for (int size = 0; size <= Profile.CLASSES.length; size++) {
            text.append(String.format(Locale.ROOT, " %12.0f", n[6 + 2 * size]));
        }
        text.append('\n');
    }

    private static void row(final StringBuilder text, final String name, final double[] n) {
        final double communication = n[1] + n[2];
        text.append(String.format(
                Locale.ROOT,
                "%5s %9.3f %9.3f %9.3f %6.1f %9.0f %9.0f",
                name,
                n[0],
                n[1],
                n[2],
                100 * communication / (n[0] + communication),
                n[3],
                n[4]));
        double bytes = 0;
        for (int size = 0; size <= Profile.CLASSES.length; size++) {
            text.append(String.format(Locale.ROOT, " %9.0f", n[5 + 2 * size]));
            bytes += n[6 + 2 * size];
        }
        text.append(String.format(Locale.ROOT, " %12.0f\n", bytes));
    }
}
