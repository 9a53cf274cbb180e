package org.parley.foam;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clock, as OpenFOAM's. */
class RunTimeTest {
    @TempDir
    Path folder;

    @BeforeEach
    void writeCase() {
        Cases.square(folder, 2);
    }

    private void control(final String from, final String to) {
        Cases.edit(folder.resolve("system/controlDict"), from, to);
    }

    /** The names of all steps, those at which fields are written in brackets. */
    private List<String> steps() {
        final RunTime time = Case.of(folder).runTime();
        final List<String> steps = new ArrayList<>();
        while (time.loop()) {
            steps.add(time.isWriteTime() ? "[" + time.name() + "]" : time.name());
        }
        return steps;
    }

    @Test
    void shouldWriteEachSecondStep() {
        assertEquals(List.of("0.005", "[0.01]", "0.015", "[0.02]"), steps());
    }

    @Test
    void shouldWriteByTime() {
        control("writeControl timeStep", "writeControl runTime");
        control("writeInterval 2", "writeInterval 0.01");
        assertEquals(List.of("0.005", "[0.01]", "0.015", "[0.02]"), steps());
    }

    @Test
    void shouldNameTimesByTheirFormat() {
        control("writeFormat ascii", "timeFormat fixed; timePrecision 4");
        assertEquals(List.of("0.0050", "[0.0100]", "0.0150", "[0.0200]"), steps());
    }

    @Test
    void shouldAddDigitsWhereNamesWouldBeOne() {
        control("deltaT 0.005", "deltaT 0.00512");
        control("writeFormat ascii", "timePrecision 1");
        control("writeInterval 2", "writeInterval 1");
        assertEquals(List.of("[0.005]", "[0.01]", "[0.015]", "[0.02]"), steps());
    }

    @Test
    void shouldStopAtTheNextWrite() {
        control("stopAt endTime", "stopAt nextWrite");
        assertEquals(List.of("0.005", "[0.01]"), steps());
    }

    @Test
    void shouldGoOnFromAWrittenTime() {
        final Case caze = Case.of(folder);
        final RunTime first = caze.runTime();
        first.loop();
        first.write(() -> {});
        control("startFrom startTime", "startFrom latestTime");
        final RunTime second = Case.of(folder).runTime();
        assertEquals("0.005", second.name());
        assertEquals(1, second.index());
        assertEquals(List.of("[0.01]", "0.015", "[0.02]"), steps());
    }

    @Test
    void shouldHaveATimeWholeOrNotAtAll() throws IOException {
        final RunTime time = Case.of(folder).runTime();
        time.loop();
        assertThrows(
                IllegalStateException.class,
                () -> time.write(() -> {
                    throw new IllegalStateException("stopped");
                }));
        assertFalse(Files.exists(folder.resolve("0.005")));
        time.write(() -> assertFalse(Files.exists(folder.resolve("0.005"))));
        assertTrue(Files.exists(folder.resolve("0.005/uniform/time")));
        assertFalse(Files.exists(folder.resolve("unfinished")));
    }

    @Test
    void shouldLeaveOthersFilesInATimesFolder() throws IOException {
        final RunTime time = Case.of(folder).runTime();
        time.loop();
        Files.createDirectories(folder.resolve("0.005/uniform"));
        Files.writeString(folder.resolve("0.005/T"), "others");
        Files.writeString(folder.resolve("0.005/uniform/time"), "old");
        time.write(() -> {});
        assertEquals("others", Files.readString(folder.resolve("0.005/T")));
        assertTrue(Files.readString(folder.resolve("0.005/uniform/time")).contains("index"));
        assertFalse(Files.exists(folder.resolve("unfinished")));
    }

    @Test
    void shouldKeepNoMoreThanTheLastTimes() {
        control("writeInterval 2", "writeInterval 1; purgeWrite 2");
        final Case caze = Case.of(folder);
        final RunTime time = caze.runTime();
        while (time.loop()) {
            time.write(() -> {});
        }
        assertArrayEquals(new double[] {0, 0.015, 0.02}, caze.times());
    }
}
