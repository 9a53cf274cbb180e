package org.parley.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Brings messages and receives together by MPI's rules (MPI-3.1 section 3.5): a receive takes the
 * first message that fits in order of arrival, a message the first receive that fits in order of
 * posting.
 *
 * <p>Both wait in bins, one per exact envelope (context, source, tag), found by hash: exact
 * receives cost the same with one or a million others waiting. Receives with a wildcard wait in a
 * list of their own, and look through messages in the order of arrival; which of an exact and a
 * wildcard receive came first is told by the order number.
 *
 * <p>Belongs to the holder of the progress word.
 */
final class MatchingEngine {
    /** In a receive: any source, or any tag. */
    static final int ANY = -1;

    private static final int INITIAL_TABLE = 256;
    private static final Bin NONE = new Bin(ANY, ANY, ANY);

    private Bin[] table = new Bin[INITIAL_TABLE];
    private int bins;

    /** The bin used last: a program talks most under the same envelope again. */
    private Bin recent = NONE;

    /** Empty bins, linked by their chains: collectives use a new tag each time. */
    private Bin free;

    private final PostedQueue wildcards = new PostedQueue();
    private UnexpectedMessage first;
    private UnexpectedMessage last;
    private long posted;
    private long unexpected;

    /**
     * Finds the message for a receive, or queues the receive.
     *
     * @param op the receive, its envelope set
     * @return the message, taken out of the queues, or null if the receive is queued
     */
    UnexpectedMessage post(final ReceiveOperation op) {
        final UnexpectedMessage message = find(op.context, op.source, op.tag);
        if (message != null) {
            return message;
        }
        op.order = posted++;
        if (op.source == ANY || op.tag == ANY) {
            wildcards.add(op);
        } else {
            bin(op.context, op.source, op.tag).add(op);
        }
        return null;
    }

    /**
     * Finds the receive for a message.
     *
     * @return the receive, taken out of the queues, or null
     */
    ReceiveOperation takePosted(final int context, final int source, final int tag) {
        ReceiveOperation found = recent.is(context, source, tag) ? recent.head : lookUpPosted(context, source, tag);
        if (wildcards.head != null) {
            for (ReceiveOperation op = wildcards.head; op != null; op = (ReceiveOperation) op.next) {
                if (found != null && found.order < op.order) {
                    break;
                }
                if (op.context == context
                        && (op.source == ANY || op.source == source)
                        && (op.tag == ANY || op.tag == tag)) {
                    found = op;
                    break;
                }
            }
        }
        if (found != null) {
            found.queue.remove(found);
        }
        return found;
    }

    /** Keeps a message, its envelope set, for a receive to come. */
    void add(final UnexpectedMessage message) {
        bin(message.context, message.source, message.tag).add(message);
        message.next = null;
        message.previous = last;
        if (last == null) {
            first = message;
        } else {
            last.next = message;
        }
        last = message;
        unexpected++;
    }

    /** Takes a message out of the queues. */
    void remove(final UnexpectedMessage message) {
        message.bin.remove(message);
        if (message.previous == null) {
            first = message.next;
        } else {
            message.previous.next = message.next;
        }
        if (message.next == null) {
            last = message.previous;
        } else {
            message.next.previous = message.previous;
        }
        message.next = null;
        message.previous = null;
        unexpected--;
    }

    /**
     * Finds the first message, in order of arrival, that fits; it stays where it is.
     *
     * @return the message or null
     */
    UnexpectedMessage find(final int context, final int source, final int tag) {
        if (first == null) {
            return null;
        }
        if (source != ANY && tag != ANY) {
            final Bin bin = existing(context, source, tag);
            return bin == null ? null : bin.firstMessage;
        }
        for (UnexpectedMessage message = first; message != null; message = message.next) {
            if (message.context == context
                    && (source == ANY || message.source == source)
                    && (tag == ANY || message.tag == tag)) {
                return message;
            }
        }
        return null;
    }

    /** Takes all messages of a context out of the queues. */
    List<UnexpectedMessage> removeAll(final int context) {
        final List<UnexpectedMessage> result = new ArrayList<>();
        for (UnexpectedMessage message = first; message != null; ) {
            final UnexpectedMessage following = message.next;
            if (message.context == context) {
                remove(message);
                result.add(message);
            }
            message = following;
        }
        return result;
    }

    /** Takes a receive back: false if it has matched. */
    boolean cancel(final ReceiveOperation op) {
        if (op.queue == null) {
            return false;
        }
        op.queue.remove(op);
        return true;
    }

    /** Returns how many envelopes have a bin: for tests. */
    int binCount() {
        return bins;
    }

    /** Returns how many messages wait for a receive: for tests. */
    long unexpectedCount() {
        return unexpected;
    }

    /** Shows every queued receive; the action may cancel what it is shown, and post others. */
    void forEachPosted(final Consumer<ReceiveOperation> action) {
        final List<ReceiveOperation> all = new ArrayList<>();
        addAll(wildcards, all);
        for (final Bin head : table) {
            for (Bin bin = head; bin != null; bin = bin.chain) {
                addAll(bin, all);
            }
        }
        for (final ReceiveOperation op : all) {
            if (op.queue != null) {
                action.accept(op);
            }
        }
    }

    private static void addAll(final PostedQueue queue, final List<ReceiveOperation> all) {
        for (ReceiveOperation op = queue.head; op != null; op = (ReceiveOperation) op.next) {
            all.add(op);
        }
    }

    private ReceiveOperation lookUpPosted(final int context, final int source, final int tag) {
        final Bin bin = existing(context, source, tag);
        return bin == null ? null : bin.head;
    }

    private Bin existing(final int context, final int source, final int tag) {
        if (recent.is(context, source, tag)) {
            return recent;
        }
        for (Bin bin = table[place(context, source, tag)]; bin != null; bin = bin.chain) {
            if (bin.is(context, source, tag)) {
                recent = bin;
                return bin;
            }
        }
        return null;
    }

    private Bin bin(final int context, final int source, final int tag) {
        final Bin found = existing(context, source, tag);
        if (found != null) {
            return found;
        }
        if (recent != NONE && recent.isEmpty()) {
            // Collectives use an envelope once: their bin goes on from one to the next, and stays near.
            takeOut(recent);
            recent.use(context, source, tag);
            put(recent, place(context, source, tag));
            return recent;
        }
        if (bins >= table.length) {
            rebuild();
        }
        Bin bin = free;
        if (bin == null) {
            bin = new Bin(context, source, tag);
        } else {
            free = bin.chain;
            bin.use(context, source, tag);
        }
        put(bin, place(context, source, tag));
        recent = bin;
        return bin;
    }

    /** Takes empty bins out; doubles the table if most are in use. */
    private void rebuild() {
        recent = NONE;
        bins = 0;
        for (int place = 0; place < table.length; place++) {
            Bin bin = table[place];
            table[place] = null;
            while (bin != null) {
                final Bin following = bin.chain;
                if (bin.isEmpty()) {
                    bin.chain = free;
                    free = bin;
                } else {
                    put(bin, place);
                }
                bin = following;
            }
        }
        if (bins > table.length / 2) {
            grow();
        }
    }

    private void grow() {
        final Bin[] old = table;
        table = new Bin[old.length * 2];
        bins = 0;
        for (final Bin head : old) {
            for (Bin bin = head; bin != null; ) {
                final Bin following = bin.chain;
                put(bin, place(bin.context(), bin.source(), bin.tag()));
                bin = following;
            }
        }
    }

    private void takeOut(final Bin bin) {
        final int place = place(bin.context(), bin.source(), bin.tag());
        if (table[place] == bin) {
            table[place] = bin.chain;
        } else {
            Bin before = table[place];
            while (before.chain != bin) {
                before = before.chain;
            }
            before.chain = bin.chain;
        }
        bins--;
    }

    private void put(final Bin bin, final int place) {
        bin.chain = table[place];
        table[place] = bin;
        bins++;
    }

    private int place(final int context, final int source, final int tag) {
        int hash = (context * 31 + source) * 0x9E3779B1 + tag * 0x85EBCA6B;
        hash ^= hash >>> 15;
        hash *= 0x2C1B3C6D;
        hash ^= hash >>> 13;
        return hash & table.length - 1;
    }
}
