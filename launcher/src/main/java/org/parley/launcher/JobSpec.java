package org.parley.launcher;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.parley.config.Options;

/**
 * A job as the user wants it.
 *
 * @param ranks how many
 * @param program what each rank runs
 * @param environment variables that ranks get besides the launcher's own
 * @param folder where ranks run
 * @param options the options in force, as far as the launcher can know them
 * @param timeoutNanos how long the job may take; 0: for ever
 * @param allStacks whether reports have the stacks of all threads
 * @param tagOutput whether each line tells its rank and stream
 * @param outputFolder where copies of the ranks' output go, or null
 * @param bindToCore whether each rank has a core of its own
 * @param reportBindings whether to say which
 * @param displayMap whether to say where ranks run
 * @param verbose whether to say what happens
 * @param quiet whether to say nothing but of failures
 */
record JobSpec(
        int ranks,
        Program program,
        Map<String, String> environment,
        Path folder,
        Options options,
        long timeoutNanos,
        boolean allStacks,
        boolean tagOutput,
        Path outputFolder,
        boolean bindToCore,
        boolean reportBindings,
        boolean displayMap,
        boolean verbose,
        boolean quiet) {

    /**
     * What a rank runs.
     *
     * @param command program and arguments
     * @param isJava whether that is a JVM which the launcher has put together
     * @param explainsUsage whether it says itself what is wrong when it exits with 2
     */
    record Program(List<String> command, boolean isJava, boolean explainsUsage) {}
}
