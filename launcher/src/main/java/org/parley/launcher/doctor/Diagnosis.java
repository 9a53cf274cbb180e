package org.parley.launcher.doctor;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What was examined, as people and programs read it.
 *
 * @param port what the host uses to reach others; null where no host was examined
 * @param examined in the order in which they were
 */
record Diagnosis(PortFacts port, List<Examined> examined) {
    /** Changes when a reader must change. */
    static final String SCHEMA = "parley-doctor-1";

    private static final String PAGE = "docs/errors.md#";
    private static final String INDENT = "            ";

    boolean isHealthy() {
        return examined.stream().noneMatch(Examined::isBroken);
    }

    private Set<Layer> notExamined() {
        final Set<Layer> left = EnumSet.range(Layer.ADAPTER, Layer.MESSAGES);
        examined.forEach(one -> left.remove(one.layer()));
        return port == null ? EnumSet.noneOf(Layer.class) : left;
    }

    // --- for people ------------------------------------------------------------------------------

    /**
     * Writes a block for each layer and place.
     *
     * @param hasHost whether there is a host below that only its administrator sees
     */
    String text(final boolean hasHost) {
        final StringBuilder text = new StringBuilder();
        for (final Examined one : examined) {
            line(
                    text,
                    String.format(
                            "%-11s %-7s %s",
                            one.layer().title(),
                            one.isBroken() ? "BROKEN" : one.findings().isEmpty() ? "ok" : "ok, but",
                            one.where()));
            one.facts().forEach(fact -> line(text, INDENT + fact));
            for (final Finding finding : one.findings()) {
                line(text, INDENT + finding.code() + " seen:     " + finding.seen());
                line(text, INDENT + "     expected: " + finding.code().expected());
                line(text, INDENT + "     to do:    " + finding.fix());
                line(text, INDENT + "     more:     " + page(finding.code()));
            }
        }
        final Set<Layer> left = notExamined();
        if (!left.isEmpty()) {
            line(
                    text,
                    "not examined: "
                            + String.join(", ", left.stream().map(Layer::title).toList()));
        }
        if (hasHost) {
            line(text, "");
            line(text, "What only the ESXi host can tell:");
            HostSide.COMMANDS.forEach(command -> line(text, "  " + command));
        }
        return text.toString().stripTrailing();
    }

    /** Nothing that a file or another program says moves the cursor. */
    private static void line(final StringBuilder text, final String line) {
        text.append(line.replaceAll("\\p{Cntrl}", "?")).append('\n');
    }

    private static String page(final Code code) {
        return PAGE + code.name().toLowerCase(Locale.ROOT);
    }

    // --- for programs ----------------------------------------------------------------------------

    /** Writes one line. */
    String json() {
        final Map<String, Object> all = new LinkedHashMap<>();
        all.put("schema", SCHEMA);
        all.put("healthy", isHealthy());
        if (port != null) {
            all.put("port", Map.of("text", port.text(), "cardMtu", port.cardMtu()));
        }
        final List<Object> list = new ArrayList<>();
        for (final Examined one : examined) {
            final List<Object> findings = new ArrayList<>();
            for (final Finding finding : one.findings()) {
                final Map<String, Object> entry = new LinkedHashMap<>();
                entry.put("code", finding.code().name());
                entry.put("broken", finding.code().breaks());
                entry.put("seen", finding.seen());
                entry.put("expected", finding.code().expected());
                entry.put("fix", finding.fix());
                entry.put("page", page(finding.code()));
                findings.add(entry);
            }
            final Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("where", one.where());
            entry.put("layer", one.layer().title());
            entry.put("broken", one.isBroken());
            entry.put("facts", one.facts());
            entry.put("findings", findings);
            list.add(entry);
        }
        all.put("examined", list);
        all.put("notExamined", notExamined().stream().map(Layer::title).toList());
        try {
            return JSON.std.asString(all);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads what another host's doctor wrote.
     *
     * @param where what that host is called here
     * @throws IOException if it is nothing of the kind
     */
    static Diagnosis read(final String where, final String json) throws IOException {
        try {
            final Map<String, Object> all = JSON.std.mapFrom(json);
            if (!SCHEMA.equals(all.get("schema"))) {
                throw new IOException("no answer of schema " + SCHEMA);
            }
            final Map<?, ?> port = (Map<?, ?>) all.get("port");
            final List<Examined> examined = new ArrayList<>();
            for (final Object item : (List<?>) all.get("examined")) {
                final Map<?, ?> entry = (Map<?, ?>) item;
                final Examined one = new Examined(
                        where, Layer.valueOf(String.valueOf(entry.get("layer")).toUpperCase(Locale.ROOT)));
                ((List<?>) entry.get("facts")).forEach(fact -> one.fact(String.valueOf(fact)));
                for (final Object found : (List<?>) entry.get("findings")) {
                    final Map<?, ?> finding = (Map<?, ?>) found;
                    one.found(
                            Code.valueOf(String.valueOf(finding.get("code"))),
                            String.valueOf(finding.get("seen")),
                            String.valueOf(finding.get("fix")));
                }
                examined.add(one);
            }
            return new Diagnosis(
                    new PortFacts(String.valueOf(port.get("text")), ((Number) port.get("cardMtu")).intValue()),
                    examined);
        } catch (final ClassCastException | NullPointerException | IllegalArgumentException e) {
            throw new IOException("an answer that is not understood", e);
        }
    }
}
