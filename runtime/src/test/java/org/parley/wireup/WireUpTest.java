package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What all have to bring, and what is said of who does not. */
class WireUpTest {
    private static final byte[] ADDRESS = {'A'};

    @Test
    void shouldBeCompleteWithTheLast() {
        WireUp wireUp = new WireUp(2, 1);

        assertThat(wireUp.contribute(1, "a=1", ADDRESS, 0)).isNull();
        assertThat(wireUp.isComplete()).isFalse();
        assertThat(wireUp.contribute(0, "a=1", ADDRESS, 0)).isNull();
        assertThat(wireUp.isComplete()).isTrue();
        assertThat(wireUp.missing(1000)).isNull();
    }

    @Test
    void shouldNameAllOptionsThatDiffer() {
        WireUp wireUp = new WireUp(2, 1);
        wireUp.contribute(1, "a=1\nb=2\n", ADDRESS, 0);

        assertThat(wireUp.contribute(0, "b=3\n", ADDRESS, 0).sentence())
                .isEqualTo("ranks must agree on options: a is 1 on rank 1 and its built-in value on rank 0;"
                        + " b is 2 on rank 1 and 3 on rank 0");
    }

    @Test
    void shouldNameWhoContributesTwice() {
        WireUp wireUp = new WireUp(2, 1);
        wireUp.contribute(1, "", ADDRESS, 0);

        assertThat(wireUp.contribute(1, "", ADDRESS, 0))
                .isEqualTo(new WireUp.Trouble(1, "has contributed its address twice"));
    }

    @Test
    void shouldNameOnceWhoDoesNotCome() {
        WireUp wireUp = new WireUp(4, 1_000_000_000L);
        assertThat(wireUp.missing(Long.MAX_VALUE)).isNull();
        wireUp.contribute(1, "", ADDRESS, 5);

        assertThat(wireUp.missing(1_000_000_004L)).isNull();
        assertThat(wireUp.missing(1_000_000_005L).sentence())
                .startsWith("ranks 0,2,3 did not join the job within 1 s after rank 1");
        assertThat(wireUp.missing(2_000_000_000L)).isNull();
    }
}
