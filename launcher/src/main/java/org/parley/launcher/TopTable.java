package org.parley.launcher;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.parley.engine.Counts;
import org.parley.transport.Counter.Column;

/** The table of {@code parley top}, a line a rank, as wide and as high as there is room. */
final class TopTable {
    private static final String UNKNOWN = "-";
    private static final String[] UNITS = {"", "k", "M", "G", "T", "P"};
    private static final int LONGEST_HOST = 16;

    /** Room that the last column, in words, is to have before numbers are left out for it. */
    private static final int WORDS = 24;

    /** Title, head, and where the cursor is. */
    private static final int OTHER_LINES = 3;

    private static final int LEAST_RANKS = 3;

    /** Ranks are asked each second; a collector, or a busy machine, may take some. */
    private static final long SILENT_NANOS = 3_000_000_000L;

    /** A column of numbers; the higher its number, the sooner it is left out. */
    private record Numbers(String head, int width, int importance) {}

    private static final List<Numbers> NUMBERS = List.of(
            new Numbers("MSG/S OUT", 10, 1),
            new Numbers("MSG/S IN", 10, 4),
            new Numbers("B/S OUT", 9, 2),
            new Numbers("B/S IN", 9, 5),
            new Numbers("RECON", 6, 3),
            new Numbers("REPLAY", 7, 3),
            new Numbers("DROP", 6, 6),
            new Numbers("STALL", 6, 3),
            new Numbers("REJECT", 7, 6),
            new Numbers("FALLB", 6, 6));

    private TopTable() {}

    /**
     * Returns the lines.
     *
     * @param screen for which
     */
    static List<String> lines(final Rates rates, final Screen screen) {
        final JobStatus status = rates.status();
        final int digits = Math.max(4, String.valueOf(rates.ranks().size() - 1).length());
        final int host = status.ranks().stream()
                .mapToInt(rank -> Math.min(LONGEST_HOST, rank.host().length()))
                .max()
                .orElse(4);
        final List<Boolean> shown = shown(screen.width() - digits - Math.max(4, host) - 2);
        final List<String> lines = new ArrayList<>();
        lines.add("job " + status.job() + ": " + status.ranks().size()
                + (status.ranks().size() == 1 ? " rank" : " ranks") + ", "
                + Failures.seconds(status.nanos() / 1e9) + ", "
                + status.refused() + (status.refused() == 1 ? " stranger" : " strangers") + " refused");
        lines.add(head(digits, Math.max(4, host), shown));
        final int room = Math.max(LEAST_RANKS, screen.height() - OTHER_LINES);
        final List<Integer> order = order(rates);
        final boolean isCut = order.size() > room;
        final List<Integer> visible = isCut ? order.subList(0, room - 1) : order;
        final long now = status.nanos();
        visible.stream()
                .sorted()
                .forEach(rank -> lines.add(line(rank, rates.ranks().get(rank), now, digits, Math.max(4, host), shown)));
        if (isCut) {
            lines.add("and " + (order.size() - visible.size())
                    + " ranks of which nothing else is to be told first; all: --once");
        }
        return lines.stream().map(line -> cut(line, screen.width())).toList();
    }

    /** Returns the ranks, those first that one would look for: that have trouble, or wait for longest. */
    private static List<Integer> order(final Rates rates) {
        final Comparator<Integer> troubled =
                Comparator.comparingLong(rank -> -trouble(rates.ranks().get(rank)));
        final Comparator<Integer> waiting = Comparator.comparingLong(rank -> {
            final JobStatus.OfRank status = rates.ranks().get(rank).status();
            return status.waitsIn() == null ? 0 : -status.waitsIn().millis();
        });
        return IntStream.range(0, rates.ranks().size())
                .boxed()
                .sorted(troubled.thenComparing(waiting).thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    private static long trouble(final Rates.OfRank rank) {
        return rank.sum(Column.STALLS) + rank.sum(Column.RECONNECTS) + rank.sum(Column.REJECTS);
    }

    /** Leaves out the least important columns of numbers until there is room. */
    private static List<Boolean> shown(final int room) {
        int most = 9;
        for (; most > 1 && width(most) + WORDS > room; most--) {
            continue;
        }
        final int last = most;
        return NUMBERS.stream().map(column -> column.importance <= last).toList();
    }

    private static int width(final int most) {
        return NUMBERS.stream()
                .filter(column -> column.importance <= most)
                .mapToInt(Numbers::width)
                .sum();
    }

    private static String head(final int digits, final int host, final List<Boolean> shown) {
        return row("RANK", "HOST", NUMBERS.stream().map(Numbers::head).toList(), "DOES", digits, host, shown);
    }

    private static String line(
            final int number,
            final Rates.OfRank rank,
            final long now,
            final int digits,
            final int host,
            final List<Boolean> shown) {
        final List<String> cells = List.of(
                rate(rank, Counts.MESSAGES_SENT),
                rate(rank, Counts.MESSAGES_RECEIVED),
                rate(rank, Counts.BYTES_SENT),
                rate(rank, Counts.BYTES_RECEIVED),
                number(rank.sum(Column.RECONNECTS)),
                number(rank.sum(Column.REPLAYS)),
                number(rank.sum(Column.DROPS)),
                number(rank.sum(Column.STALLS)),
                number(rank.sum(Column.REJECTS)),
                number(rank.sum(Column.FALLBACKS)));
        return row(
                String.valueOf(number), cut(rank.status().host(), host), cells, does(rank, now), digits, host, shown);
    }

    private static String row(
            final String rank,
            final String hostName,
            final List<String> cells,
            final String words,
            final int digits,
            final int host,
            final List<Boolean> shown) {
        final StringBuilder text = new StringBuilder();
        text.append(" ".repeat(digits - rank.length())).append(rank).append(' ');
        text.append(hostName).append(" ".repeat(host - hostName.length()));
        for (int i = 0; i < cells.size(); i++) {
            if (shown.get(i)) {
                final int blanks = NUMBERS.get(i).width - cells.get(i).length();
                text.append(" ".repeat(Math.max(1, blanks))).append(cells.get(i));
            }
        }
        return Failures.clean(text.append("  ").append(words).toString())
                .replace('\n', ' ')
                .replace('\t', ' ')
                .stripTrailing();
    }

    private static String does(final Rates.OfRank rank, final long now) {
        final JobStatus.OfRank status = rank.status();
        if (status.state() == JobStatus.State.JOINED && now - rank.nanos() > SILENT_NANOS) {
            return rank.nanos() == 0
                    ? "has not answered"
                    : "has not answered for " + Failures.seconds((now - rank.nanos()) / 1e9);
        }
        return switch (status.state()) {
            case STARTING -> "starts";
            case OUTSIDE -> "has not joined";
            case LEFT -> "has left";
            case ENDED -> Member.ending(status.code());
            case JOINED ->
                status.waitsIn() == null
                        ? ""
                        : Failures.seconds(status.waitsIn().millis() / 1e3) + " in "
                                + status.waitsIn().call();
        };
    }

    private static String rate(final Rates.OfRank rank, final String counter) {
        final double rate = rank.rate(counter);
        return rate < 0 || rank.status().state() != JobStatus.State.JOINED ? UNKNOWN : number(rate);
    }

    /** Writes a number with three digits or four, and powers of 1000. */
    static String number(final double value) {
        double left = value;
        int unit = 0;
        while (left >= 999.5 && unit < UNITS.length - 1) {
            left /= 1000;
            unit++;
        }
        final boolean isWhole = unit == 0 && left == Math.rint(left) || left >= 99.95;
        return String.format(Locale.ROOT, isWhole ? "%.0f%s" : "%.1f%s", left, UNITS[unit]);
    }

    private static String cut(final String line, final int width) {
        return line.length() <= width ? line : line.substring(0, Math.max(1, width));
    }
}
