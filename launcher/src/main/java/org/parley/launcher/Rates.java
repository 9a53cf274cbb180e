package org.parley.launcher;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.parley.engine.Counts;
import org.parley.transport.Counter;
import org.parley.transport.Counter.Column;
import org.parley.wireup.Counters;

/** What ranks did between two of their reports. */
final class Rates {
    private static final int SCHEMA = 1;
    private static final Map<String, Column> COLUMNS = columns();

    /**
     * A rank.
     *
     * @param counters its counters
     * @param nanos when it told them
     * @param seconds between these and those before; 0: there are none before
     * @param before those before
     */
    record OfRank(JobStatus.OfRank status, Map<String, Long> counters, long nanos, double seconds, OfRank before) {

        /** Returns by how much a counter grew, by second; negative if that is not known. */
        double rate(final String counter) {
            if (before == null) {
                return -1;
            }
            return Math.max(0, counters.getOrDefault(counter, 0L) - before.counters.getOrDefault(counter, 0L))
                    / seconds;
        }

        /** Returns the sum of the counters of a column. */
        long sum(final Column column) {
            long sum = 0;
            for (final Map.Entry<String, Long> each : counters.entrySet()) {
                sum += COLUMNS.get(each.getKey()) == column ? each.getValue() : 0;
            }
            return sum;
        }

        private OfRank withoutHistory() {
            return new OfRank(status, counters, nanos, 0, null);
        }
    }

    private final JobStatus status;
    private final List<OfRank> ranks;

    private Rates(final JobStatus status, final List<OfRank> ranks) {
        this.status = status;
        this.ranks = ranks;
    }

    private static Map<String, Column> columns() {
        final Map<String, Column> result = new HashMap<>();
        for (final Counter counter : Counts.all()) {
            result.put(counter.name(), counter.column());
        }
        return result;
    }

    /**
     * Makes them.
     *
     * @param status what the launcher tells
     * @param before what it has told before, or null
     */
    static Rates of(final JobStatus status, final Rates before) {
        final List<OfRank> result = new ArrayList<>();
        for (int rank = 0; rank < status.ranks().size(); rank++) {
            final JobStatus.OfRank now = status.ranks().get(rank);
            final OfRank last = before == null ? null : before.ranks.get(rank);
            if (last != null && last.nanos == now.nanos()) {
                // Nothing new is known of it: it is busy, or has ended.
                result.add(new OfRank(now, last.counters, last.nanos, last.seconds, last.before));
            } else {
                final Map<String, Long> counters = Counters.parse(now.counters());
                final boolean isFirst = last == null || last.nanos == 0;
                result.add(new OfRank(
                        now,
                        counters,
                        now.nanos(),
                        isFirst ? 0 : (now.nanos() - last.nanos) / 1e9,
                        isFirst ? null : last.withoutHistory()));
            }
        }
        return new Rates(status, result);
    }

    JobStatus status() {
        return status;
    }

    List<OfRank> ranks() {
        return ranks;
    }

    /** Whether all that have joined have told twice. */
    boolean areComplete() {
        return ranks.stream().allMatch(rank -> rank.status.state() != JobStatus.State.JOINED || rank.before != null);
    }

    /** Returns it as scripts read it; what is not known is left out. */
    Map<String, Object> toJson() {
        final Map<String, Object> all = new LinkedHashMap<>();
        all.put("schema", SCHEMA);
        all.put("job", status.job());
        all.put("seconds", status.nanos() / 1e9);
        all.put("refused", status.refused());
        final List<Object> list = new ArrayList<>();
        for (int rank = 0; rank < ranks.size(); rank++) {
            list.add(json(rank, ranks.get(rank)));
        }
        all.put("ranks", list);
        return all;
    }

    private static Map<String, Object> json(final int number, final OfRank rank) {
        final Map<String, Object> all = new LinkedHashMap<>();
        all.put("rank", number);
        all.put("host", rank.status.host());
        all.put("pid", rank.status.pid());
        all.put("state", rank.status.state().name().toLowerCase(Locale.ROOT));
        if (rank.status.state() == JobStatus.State.ENDED) {
            all.put("code", rank.status.code());
        }
        if (rank.status.waitsIn() != null) {
            all.put("waitsIn", rank.status.waitsIn().call());
            all.put("waitsMillis", rank.status.waitsIn().millis());
            all.put("waitsFor", rank.status.waitsIn().ranks());
        }
        if (rank.before != null) {
            all.put("messagesSentPerSecond", rank.rate(Counts.MESSAGES_SENT));
            all.put("messagesReceivedPerSecond", rank.rate(Counts.MESSAGES_RECEIVED));
            all.put("bytesSentPerSecond", rank.rate(Counts.BYTES_SENT));
            all.put("bytesReceivedPerSecond", rank.rate(Counts.BYTES_RECEIVED));
        }
        final Map<Column, Long> sums = new EnumMap<>(Column.class);
        for (final Column column : Column.values()) {
            if (column != Column.NONE) {
                sums.put(column, rank.sum(column));
            }
        }
        sums.forEach((column, sum) -> all.put(column.name().toLowerCase(Locale.ROOT), sum));
        all.put("counters", rank.counters);
        return all;
    }
}
