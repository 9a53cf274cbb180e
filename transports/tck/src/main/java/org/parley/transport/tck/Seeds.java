package org.parley.transport.tck;

import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.opentest4j.TestAbortedException;

/**
 * Random tests that can be run again: a failure names its seed, and {@code -Dparley.test.seed=N}
 * gives it back.
 */
public final class Seeds {
    private static final String PROPERTY = "parley.test.seed";

    private Seeds() {}

    /** A test that draws all that is random in it from its argument. */
    public interface Body {
        /**
         * Runs the test.
         *
         * @param random the only source of chance
         * @throws Exception if it fails
         */
        void run(Random random) throws Exception;
    }

    /**
     * Runs a test with a seed of its own, or with the one that the property names.
     *
     * @param body the test
     * @throws AssertionError if it fails, naming the seed
     */
    public static void run(final Body body) {
        final Long given = Long.getLong(PROPERTY);
        final long seed = given != null ? given : ThreadLocalRandom.current().nextLong();
        try {
            body.run(new Random(seed));
        } catch (final TestAbortedException e) {
            throw e;
        } catch (final Throwable e) {
            throw new AssertionError("with -D" + PROPERTY + "=" + seed + " (run it again like this): " + e, e);
        }
    }
}
