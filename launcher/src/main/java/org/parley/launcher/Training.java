package org.parley.launcher;

import java.util.List;

/**
 * What the start script runs once for each JDK, to learn which classes a start needs: a job whose
 * rank writes, when it ends, the archive that shortens the start of all later ranks.
 */
final class Training {
    private Training() {}

    static int run() {
        return Main.run(List.of("run", "--timeout", "60", Library.REHEARSAL));
    }
}
