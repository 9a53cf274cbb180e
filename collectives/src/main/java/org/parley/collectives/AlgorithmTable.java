package org.parley.collectives;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.parley.schedule.CollectiveAlgorithm;
import org.parley.schedule.CollectiveCall;
import org.parley.schedule.CollectiveTable;

/**
 * All algorithms, and which one does a call. The tuning stands in the resource {@code selection.table}: the first line
 * that has the call's collective, ranks and bytes, and whose algorithm fits the call, decides.
 *
 * <p>Restrictions, each algorithm's {@code fits}:
 *
 * <table>
 *   <caption>What each algorithm can do</caption>
 *   <tr><th>algorithm</th><th>ranks</th><th>operations</th><th>root</th></tr>
 *   <tr><td>barrier: dissemination</td><td>any</td><td>-</td><td>-</td></tr>
 *   <tr><td>bcast: binomial, pipelined-chain, scatter-allgather</td><td>any</td><td>-</td><td>any</td></tr>
 *   <tr><td>reduce: binomial</td><td>any</td><td>commutative; any if the root is 0</td><td>any</td></tr>
 *   <tr><td>reduce: rank-ordered-binomial</td><td>any</td><td>any</td><td>any</td></tr>
 *   <tr><td>reduce: scatter-gather</td><td>2 or more</td><td>any</td><td>any</td></tr>
 *   <tr><td>allreduce: recursive-doubling</td><td>any</td><td>any</td><td>-</td></tr>
 *   <tr><td>allreduce: scatter-allgather</td><td>2 or more</td><td>any</td><td>-</td></tr>
 * </table>
 */
public final class AlgorithmTable implements CollectiveTable {
    private static final List<CollectiveAlgorithm> ALL = List.of(
            new BarrierDissemination(),
            new BcastBinomial(),
            new BcastChain(),
            new BcastScatterAllGather(),
            new ReduceBinomial(),
            new ReduceRankOrder(),
            new ReduceScatterGather(),
            new AllReduceRecursiveDoubling(),
            new AllReduceScatterGather());

    private static final String TUNING = "selection.table";
    private static final List<Line> LINES = read();

    /** One line of the tuning. */
    private record Line(CollectiveAlgorithm algorithm, int maxRanks, long maxBytes) {
        boolean has(final CollectiveCall call) {
            return algorithm.collective() == call.collective()
                    && call.ranks() <= maxRanks
                    && call.bytes() <= maxBytes
                    && algorithm.fits(call);
        }
    }

    /** For the service loader. */
    public AlgorithmTable() {}

    /** Returns all algorithms. */
    static List<CollectiveAlgorithm> all() {
        return ALL;
    }

    @Override
    public CollectiveAlgorithm select(final CollectiveCall call) {
        for (final Line line : LINES) {
            if (line.has(call)) {
                return line.algorithm;
            }
        }
        throw new IllegalStateException(TUNING + " has no line for " + call);
    }

    private static List<Line> read() {
        final List<Line> lines = new ArrayList<>();
        try (InputStream in = AlgorithmTable.class.getResourceAsStream(TUNING);
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String text; (text = reader.readLine()) != null; ) {
                if (!text.isBlank() && !text.startsWith("#")) {
                    lines.add(parse(text));
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.copyOf(lines);
    }

    private static Line parse(final String text) {
        final String[] words = text.trim().split(" +");
        for (final CollectiveAlgorithm algorithm : ALL) {
            if (words.length == 4
                    && algorithm.collective().title().equals(words[0])
                    && algorithm.name().equals(words[3])) {
                return new Line(
                        algorithm,
                        words[1].equals("any") ? Integer.MAX_VALUE : Integer.parseInt(words[1]),
                        words[2].equals("any") ? Long.MAX_VALUE : Long.parseLong(words[2]));
            }
        }
        throw new IllegalStateException(TUNING + " has a line that names no algorithm: " + text);
    }
}
