package org.parley.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.parley.transport.SharedRegion;
import org.parley.transport.verbs.Registrations.Use;
import org.parley.transport.verbs.binding.Verbs;
import org.parley.transport.verbs.binding.VerbsContext;

/** No registration outlives the memory that it stands for; what the device counts tells. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class RegistrationsTest {
    private static final int BYTES = 64 * 1024;
    private static final long LARGEST = 1 << 20;

    @TempDir
    private Path folder;

    private VerbsContext context;
    private Registrations registrations;
    private long madeBefore;
    private long endedBefore;

    @BeforeEach
    void open() {
        Shim.assume();
        context = Verbs.load(Shim.library()).devices().get(0).open();
        registrations = new Registrations(context, folder, LARGEST, 2 * BYTES);
        madeBefore = Shim.get("reg_mr");
        endedBefore = Shim.get("dereg_mr");
    }

    @AfterEach
    void close() {
        if (context != null) {
            registrations.close();
            context.close();
        }
    }

    private void assertRegistered(final int made, final int ended) {
        assertThat(Shim.get("reg_mr") - madeBefore).as("registrations made").isEqualTo(made);
        assertThat(Shim.get("dereg_mr") - endedBefore).as("registrations ended").isEqualTo(ended);
    }

    /** As the collector does with a direct buffer, whose address the next one may have. */
    @Test
    void shouldRegisterMemoryAnewWhoseAddressIsUsedAgain() {
        final long memory = UnsafeApi.allocateMemory(BYTES);
        try {
            for (int transfer = 0; transfer < 3; transfer++) {
                final Use use = registrations.use(memory, BYTES, 0);
                assertRegistered(transfer + 1, transfer);
                registrations.release(use);
                assertRegistered(transfer + 1, transfer + 1);
            }
            assertThat(registrations.cachedBytes()).isZero();
        } finally {
            UnsafeApi.freeMemory(memory);
        }
    }

    @Test
    void shouldKeepAllocatedMemoryRegistered() {
        try (SharedRegion region = SharedRegion.create(folder, BYTES)) {
            for (int transfer = 0; transfer < 3; transfer++) {
                registrations.release(registrations.use(region.address(), BYTES, region.number()));
            }
            assertRegistered(1, 0);
            assertThat(registrations.cachedBytes()).isEqualTo(BYTES);
        }
    }

    @Test
    void shouldEndTheRegistrationOfMemoryThatItsOwnerHasGivenUp() {
        try (SharedRegion old = SharedRegion.create(folder, BYTES);
                SharedRegion other = SharedRegion.create(folder, BYTES)) {
            registrations.release(registrations.use(old.address(), BYTES, old.number()));
            old.giveUp();
            registrations.release(registrations.use(other.address(), BYTES, other.number()));

            assertRegistered(2, 1);
            assertThat(registrations.cachedBytes()).isEqualTo(BYTES);
        }
    }

    @Test
    void shouldKeepWhatIsInUseRegisteredUntilTheTransferEnds() {
        try (SharedRegion region = SharedRegion.create(folder, BYTES)) {
            final Use use = registrations.use(region.address(), BYTES, region.number());
            region.giveUp();
            assertRegistered(1, 0);
            registrations.release(use);
            assertRegistered(1, 1);
            assertThat(registrations.cachedBytes()).isZero();
        }
    }

    @Test
    void shouldKeepNoMoreRegisteredThanIsAllowed() {
        try (SharedRegion first = SharedRegion.create(folder, BYTES);
                SharedRegion second = SharedRegion.create(folder, BYTES);
                SharedRegion third = SharedRegion.create(folder, BYTES)) {
            for (final SharedRegion region : new SharedRegion[] {first, second, third}) {
                registrations.release(registrations.use(region.address(), BYTES, region.number()));
            }
            assertRegistered(3, 1);
            assertThat(registrations.cachedBytes()).isEqualTo(2L * BYTES);
        }
    }

    @Test
    void shouldTakeOtherMemoryOfTheNumberForWhatItIs() {
        final long elsewhere = UnsafeApi.allocateMemory(BYTES);
        try (SharedRegion region = SharedRegion.create(folder, BYTES)) {
            registrations.release(registrations.use(elsewhere, BYTES, region.number()));
            assertRegistered(2, 1);
        } finally {
            UnsafeApi.freeMemory(elsewhere);
        }
    }
}
