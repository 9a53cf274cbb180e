package org.parley.wireup;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Which of a job's hosts each of its ranks runs on. Immutable; any thread. */
public final class Placement {
    private final List<String> hosts;
    private final int[] hostOf;
    private final List<List<Integer>> ranksOn;

    /**
     * Makes one.
     *
     * @param hosts their names, for people
     * @param hostOf by rank, the host's number
     */
    public Placement(final List<String> hosts, final int[] hostOf) {
        this.hosts = List.copyOf(hosts);
        this.hostOf = hostOf.clone();
        this.ranksOn = new ArrayList<>();
        hosts.forEach(host -> ranksOn.add(new ArrayList<>()));
        for (int rank = 0; rank < hostOf.length; rank++) {
            ranksOn.get(hostOf[rank]).add(rank);
        }
    }

    /**
     * Puts all ranks on one host.
     *
     * @param host its name
     * @param size how many ranks
     */
    public static Placement on(final String host, final int size) {
        return new Placement(List.of(host), new int[size]);
    }

    /** Returns the hosts' names, by number. */
    public List<String> hosts() {
        return hosts;
    }

    /** Returns how many ranks there are. */
    public int size() {
        return hostOf.length;
    }

    /**
     * Returns the number of the host that a rank runs on.
     *
     * @param rank which
     */
    public int hostOf(final int rank) {
        return hostOf[rank];
    }

    /**
     * Returns the name of the host that a rank runs on.
     *
     * @param rank which
     */
    public String host(final int rank) {
        return hosts.get(hostOf[rank]);
    }

    /**
     * Returns the ranks that run on a host, in order: a rank's place among them is its local rank.
     *
     * @param host the host's number
     */
    public List<Integer> ranksOn(final int host) {
        return Collections.unmodifiableList(ranksOn.get(host));
    }
}
