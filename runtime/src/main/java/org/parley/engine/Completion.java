package org.parley.engine;

/** Told, under the progress word, when an operation has ended. The operation is reused after it. */
public interface Completion {

    /**
     * The operation ended, well or by its {@link Operation#failure()}.
     *
     * @param operation what ended
     */
    void completed(Operation operation);
}
