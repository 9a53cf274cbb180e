package org.parley.launcher;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.parley.config.Options;

/**
 * A job as the user wants it.
 *
 * @param layout which ranks run on which hosts
 * @param program what each rank runs
 * @param environment variables that ranks get besides the launcher's own
 * @param folder where ranks run
 * @param isFolderAsked whether the user has said so
 * @param copies whether the program is copied to other hosts
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
        Hosts.Layout layout,
        Program program,
        Map<String, String> environment,
        Path folder,
        boolean isFolderAsked,
        boolean copies,
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

    /** The key of how often a link is broken, which is the transports' that have links. */
    static final String DRILL = "drill.interval";

    /** Whether links are broken on purpose, which needs the ranks' counts at last. */
    boolean isDrill() {
        return options.number(DRILL) > 0;
    }

    /**
     * What a rank runs.
     *
     * @param command program and arguments
     * @param isJava whether that is a JVM which the launcher has put together
     * @param users the entries of its class path that are the user's
     * @param explainsUsage whether it says itself what is wrong when it exits with 2
     */
    record Program(List<String> command, boolean isJava, List<String> users, boolean explainsUsage) {}
}
