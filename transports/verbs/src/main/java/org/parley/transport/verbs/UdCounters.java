package org.parley.transport.verbs;

import java.util.Map;
import java.util.TreeMap;

/** What happened to datagrams and peers; written by the holder of the progress word, read by other threads, which may lag behind. */
final class UdCounters {
    long received;
    long retransmits;
    long duplicates;
    long held;
    long tooSoon;
    long acksAlone;
    long answers;
    long strangers;
    long peers;

    /** Peers that were found at another place, and how often one was asked at its door. */
    long moved;

    long knocks;
    long replayed;

    /** Returns them by name. */
    Map<String, Long> all() {
        final Map<String, Long> all = new TreeMap<>();
        all.put("ud.peers", peers);
        all.put("ud.datagrams.received", received);
        all.put("ud.retransmits", retransmits);
        all.put("ud.duplicates.dropped", duplicates);
        all.put("ud.overtaking.held", held);
        all.put("ud.overtaking.dropped", tooSoon);
        all.put("ud.acks.alone", acksAlone);
        all.put("ud.answers", answers);
        all.put("ud.rejected", strangers);
        all.put("ud.peers.moved", moved);
        all.put("ud.knocks", knocks);
        all.put("ud.frames.replayed", replayed);
        return all;
    }
}
