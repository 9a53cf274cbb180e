package org.parley.transport;

import java.nio.file.Path;

/**
 * Where a rank is, as far as a transport needs to know.
 *
 * @param job the job's name, unique on this machine
 * @param rank this rank
 * @param size ranks in the job
 * @param localSize ranks of the job on this machine
 * @param folder a folder of the job on this machine, mode 0700, for shared-memory files
 * @param secret what only the job's ranks know
 * @param options the value of each of {@link Transport#options()}
 */
public record TransportContext(
        String job, int rank, int size, int localSize, Path folder, JobSecret secret, OptionValues options) {

    /** Gives options' values; every key that the transport declared has one. */
    public interface OptionValues {

        /**
         * Returns a number, or a size in bytes, or a time in nanoseconds.
         *
         * @param key a declared key
         */
        long number(String key);

        /**
         * Returns a flag.
         *
         * @param key a declared key
         */
        boolean flag(String key);

        /**
         * Returns a text as the user wrote it.
         *
         * @param key a declared key
         */
        String text(String key);
    }
}
