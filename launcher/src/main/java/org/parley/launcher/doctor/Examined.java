package org.parley.launcher.doctor;

import java.util.ArrayList;
import java.util.List;

/** What there is to say of one layer of one host, or of a pair of hosts. Not for many threads. */
final class Examined {
    private final String where;
    private final Layer layer;
    private final List<String> facts = new ArrayList<>();
    private final List<Finding> findings = new ArrayList<>();

    /**
     * Nothing is said yet.
     *
     * @param where the host, or both
     */
    Examined(final String where, final Layer layer) {
        this.where = where;
        this.layer = layer;
    }

    void fact(final String fact) {
        facts.add(fact);
    }

    void found(final Code code, final String seen, final String fix) {
        findings.add(new Finding(code, seen, fix));
    }

    String where() {
        return where;
    }

    Layer layer() {
        return layer;
    }

    List<String> facts() {
        return facts;
    }

    List<Finding> findings() {
        return findings;
    }

    boolean isBroken() {
        return findings.stream().anyMatch(finding -> finding.code().breaks());
    }
}
