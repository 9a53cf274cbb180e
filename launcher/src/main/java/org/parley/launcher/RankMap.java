package org.parley.launcher;

import java.util.ArrayList;
import java.util.List;
import org.parley.wireup.Placement;

/** Says which ranks run where. */
final class RankMap {
    private RankMap() {}

    /** Returns the name of the only host, or how many there are. */
    static String hosts(final Placement placement) {
        return placement.hosts().size() == 1
                ? Failures.clean(placement.hosts().get(0))
                : placement.hosts().size() + " hosts";
    }

    /**
     * Returns what the user wants to know of it, or an empty text.
     *
     * @param facts what agents have told of their hosts, by number; of this machine null
     */
    static String text(final String job, final JobSpec spec, final Facts[] facts) {
        if (!spec.displayMap() && !spec.reportBindings()) {
            return "";
        }
        final Placement placement = spec.layout().placement();
        final boolean isOne = placement.hosts().size() == 1;
        final List<String> lines = new ArrayList<>();
        for (int rank = 0; rank < placement.size(); rank++) {
            final String host = Failures.clean(placement.host(rank));
            final String place = bindings(spec, facts[placement.hostOf(rank)])
                    .place(placement.ranksOn(placement.hostOf(rank)).indexOf(rank));
            lines.add("rank " + rank + (spec.displayMap() && isOne ? ": " : " on " + host + " ") + place);
        }
        if (!spec.displayMap()) {
            return String.join("\n", lines);
        }
        final StringBuilder text = new StringBuilder("job " + job + ": " + placement.size()
                + (placement.size() == 1 ? " rank" : " ranks") + " on " + hosts(placement));
        for (int host = 0; host < placement.hosts().size() && !isOne; host++) {
            text.append("\n    host ")
                    .append(Failures.clean(placement.hosts().get(host)))
                    .append(host == spec.layout().local() ? " (here)" : "")
                    .append(": ")
                    .append(placement.ranksOn(host).size() == 1 ? "rank " : "ranks ")
                    .append(Failures.ranges(placement.ranksOn(host)));
        }
        lines.forEach(line -> text.append("\n    ").append(line));
        return text.toString();
    }

    private static Bindings bindings(final JobSpec spec, final Facts there) {
        if (!spec.bindToCore()) {
            return Bindings.none();
        }
        return there == null ? Bindings.toCores() : Bindings.of(there.cores());
    }
}
