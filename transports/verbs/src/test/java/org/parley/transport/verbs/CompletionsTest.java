package org.parley.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When completion queues are looked into where an empty look is dear: no device is needed to decide that. */
class CompletionsTest {
    private static final int POLLS = 10_000;

    @Test
    void shouldLookSeldomAsLongAsThereIsNothing() {
        try (Completions completions = new Completions(null, "none", true)) {
            assertThat(looks(completions, 1)).isLessThan(POLLS / 50);
        }
    }

    @Test
    void shouldLookAtEachPollOfARankThatSleepsBetweenThem() {
        try (Completions completions = new Completions(null, "none", true)) {
            assertThat(looks(completions, Completions.LONGEST_PAUSE)).isEqualTo(POLLS);
        }
    }

    @Test
    void shouldLookAtOnceAfterSomethingHasCome() {
        try (Completions completions = new Completions(null, "none", true)) {
            looks(completions, 1);
            completions.looked(1);

            assertThat(completions.isTime(POLLS + 1)).isTrue();
        }
    }

    /** Polls at even distances, and finds nothing. */
    private static long looks(final Completions completions, final long distance) {
        return IntStream.range(1, POLLS + 1)
                .filter(i -> {
                    final boolean isTime = completions.isTime(i * distance);
                    if (isTime) {
                        completions.looked(0);
                    }
                    return isTime;
                })
                .count();
    }
}
