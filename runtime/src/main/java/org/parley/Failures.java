package org.parley;

/** Gives failures, which are found on any thread, the stack of the call that reports them. */
final class Failures {
    private Failures() {}

    static ParleyException here(final ParleyException found) {
        final ParleyException result;
        if (found instanceof TruncationException truncation) {
            result = new TruncationException(found.getMessage(), truncation.messageBytes());
        } else if (found instanceof PeerFailedException peer) {
            result = new PeerFailedException(peer.rank(), found.getMessage());
        } else if (found instanceof RevokedException) {
            result = new RevokedException(found.getMessage());
        } else if (found instanceof JobException) {
            result = new JobException(found.getMessage());
        } else {
            result = new ParleyException(found.getMessage());
        }
        result.initCause(found);
        return result;
    }
}
