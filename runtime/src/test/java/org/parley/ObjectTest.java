package org.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.parley.Communicator.ANY_SOURCE;
import static org.parley.Communicator.ANY_TAG;
import static org.parley.Communicator.PROC_NULL;

import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class ObjectTest {
    private static final ObjectInputFilter LISTS =
            ObjectInputFilter.Config.createFilter("java.util.ArrayList;java.lang.*;!*");

    /** Counts how often one was made of bytes. */
    private static final class Trap implements Serializable {
        private static final long serialVersionUID = 1L;
        private static final AtomicInteger MADE = new AtomicInteger();

        private void readObject(final java.io.ObjectInputStream in) throws java.io.IOException, ClassNotFoundException {
            MADE.incrementAndGet();
            in.defaultReadObject();
        }
    }

    @Test
    void shouldSendObjects() {
        Wire.SHM.run(2, parley -> {
            final Communicator world = parley.world();
            final ArrayList<Serializable> list = new ArrayList<>(List.of("a", 1, 2.5));
            final String large = "x".repeat(1_000_000);
            if (world.rank() == 0) {
                world.sendObject(list, 1, 3);
                world.sendObject(large, 1, 4);
                world.sendObject(null, 1, 5);
                world.sendObject(list, PROC_NULL, 6);
            } else {
                assertThat(world.receiveObject(LISTS, ANY_SOURCE, ANY_TAG)).isEqualTo(list);
                assertThat(world.receiveObject(LISTS, 0, 4)).isEqualTo(large);
                assertThat(world.receiveObject(LISTS, 0, 5)).isNull();
            }
        });
    }

    @Test
    void shouldMakeNothingThatTheFilterRefuses() {
        Trap.MADE.set(0);
        Wire.SHM.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 0) {
                world.sendObject(new Trap(), 1, 1);
                world.sendObject(new ArrayList<>(List.of(new Trap())), 1, 1);
                world.sendObject("after it", 1, 1);
                return;
            }
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> world.receiveObject(LISTS, 0, 1))
                        .isInstanceOf(ParleyException.class)
                        .hasMessageContaining("the object from 0 was not accepted")
                        .hasMessageContaining("REJECTED");
            }
            assertThat(Trap.MADE.get()).isZero();
            assertThat(world.receiveObject(LISTS, 0, 1)).isEqualTo("after it");
        });
    }

    @Test
    void shouldRefuseWhatIsNoObjectStream() {
        Wire.SHM.run(2, parley -> {
            final Communicator world = parley.world();
            if (world.rank() == 0) {
                world.send(Sample.bytes(1, 100), 0, 100, 1, 1);
                world.send(null, 0, 0, 1, 1);
            } else {
                for (int i = 0; i < 2; i++) {
                    assertThatThrownBy(() -> world.receiveObject(LISTS, 0, 1))
                            .isInstanceOf(ParleyException.class)
                            .hasMessageContaining("was not accepted");
                }
            }
        });
    }

    @Test
    void shouldSendNothingOfWhatCannotBeSerialized() {
        Wire.SHM.run(1, parley -> {
            final Communicator world = parley.world();
            final ArrayList<Object> list = new ArrayList<>(List.of(new Object()));
            assertThatThrownBy(() -> world.sendObject(list, 0, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("cannot be serialized")
                    .hasMessageContaining("java.lang.Object");
            assertThatThrownBy(() -> world.sendObject("x", 1, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("dest is 1");
            assertThat(world.iprobe(ANY_SOURCE, ANY_TAG)).isNull();
            assertThatThrownBy(() -> world.receiveObject(null, 0, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("filter");
        });
    }
}
