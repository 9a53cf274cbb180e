package org.parley.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A user's choice of transports: {@code shm,tcp} permits those, {@code ^tcp} all but that one, an
 * empty text all. {@code self} is always permitted.
 *
 * @param names the names
 * @param excluding whether the names are excluded
 */
public record TransportList(List<String> names, boolean excluding) {

    /**
     * Reads a list.
     *
     * @param text what the user wrote
     */
    public static TransportList parse(final String text) {
        final boolean excluding = text.startsWith("^");
        final List<String> names = new ArrayList<>();
        for (final String part : (excluding ? text.substring(1) : text).split(",")) {
            if (!part.isBlank()) {
                names.add(part.strip());
            }
        }
        return new TransportList(List.copyOf(names), excluding || names.isEmpty());
    }

    /**
     * Whether a transport may be used.
     *
     * @param name its name
     */
    public boolean permits(final String name) {
        return "self".equals(name) || names.contains(name) != excluding;
    }

    /**
     * Checks that all names in the list exist.
     *
     * @param known the names of all transports
     * @throws IllegalArgumentException naming the one that does not, and those that do
     */
    public void check(final Collection<String> known) {
        for (final String name : names) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException("transport \""
                        + name
                        + "\" is not known; there are "
                        + String.join(", ", known.stream().sorted().toList()));
            }
        }
    }
}
