package org.parley.transport;

/**
 * Whether something can be used, or the exact reason why not.
 *
 * @param available whether it can be used
 * @param reason why (or why not), one sentence for people; empty if there is nothing to say
 */
public record Availability(boolean available, String reason) {

    /** Available, with nothing to add. */
    public static final Availability YES = new Availability(true, "");

    /**
     * Not available.
     *
     * @param reason what is missing, where, and what to do
     */
    public static Availability no(final String reason) {
        return new Availability(false, reason);
    }
}
