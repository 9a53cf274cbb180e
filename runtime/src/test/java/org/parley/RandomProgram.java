package org.parley;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.parley.transport.tck.Pattern;

/**
 * One rank's part in a random program, and what it saw.
 *
 * <p>No program deadlocks. While it sends, a rank waits only in sends to higher ranks, and the highest
 * for nobody. Once it has begun all its sends, and while none of its receives could take the message,
 * it waits for any message, as long as some are missing, or for one of a rank that has begun all its
 * sends too.
 */
final class RandomProgram {
    private static final int ANY = Communicator.ANY_SOURCE;
    private static final int HEADER = 12;
    private static final int LARGEST = 50_000;
    private static final int MOST_WAITING = 10;
    private static final int ALL_SENT = Integer.MAX_VALUE;

    /** What a rank does next. */
    enum Kind {
        SEND,
        SSEND,
        ISEND,
        ISSEND,
        IBSEND,
        POST,
        POST_SMALL,
        IMPROBE,
        TEST,
        CANCEL
    }

    /**
     * A step.
     *
     * @param kind what
     * @param pick which of several: the peer of a send, the receive to cancel
     * @param source pattern of a receive
     * @param tag tag of a send (with -1 as 3), pattern of a receive
     * @param size bytes of a send, room of a receive that may be too small
     */
    record Action(Kind kind, int pick, int source, int tag, int size) {
        boolean isSend() {
            return kind.ordinal() <= Kind.IBSEND.ordinal();
        }
    }

    /** A message, as it is known from the program. */
    private record Sent(int source, int dest, int number, int tag, int size) {
        boolean fits(final int wantedSource, final int wantedTag) {
            return (wantedSource == ANY || wantedSource == source) && (wantedTag == ANY || wantedTag == tag);
        }
    }

    /** A receive or a probe that took something, and what became of it. */
    private static final class Event {
        private final int time;
        private final int source;
        private final int tag;
        private final int room;
        private Request request;
        private Object buffer;
        private int cancelledAt = Integer.MAX_VALUE;
        private int seenDoneAt = Integer.MAX_VALUE;
        private Sent got;
        private long truncated = -1;

        Event(final int time, final int source, final int tag, final int room) {
            this.time = time;
            this.source = source;
            this.tag = tag;
            this.room = room;
        }
    }

    private final int rank;
    private final int ranks;
    private final List<Action> actions;
    private final List<List<Sent>> toMe = new ArrayList<>();
    private final List<Request> sends = new ArrayList<>();
    private final List<Object> sendBuffers = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();
    private final List<Event> waiting = new ArrayList<>();
    private final int[] numbers;
    private Communicator world;
    private int time;
    private int missing;
    private long deadline;
    private AtomicIntegerArray steps;

    RandomProgram(final int rank, final List<List<Action>> all) {
        this.rank = rank;
        this.ranks = all.size();
        this.actions = all.get(rank);
        this.numbers = new int[ranks];
        for (int source = 0; source < ranks; source++) {
            final List<Sent> from = new ArrayList<>();
            for (final Action action : all.get(source)) {
                if (action.isSend() && dest(action, source, ranks) == rank) {
                    from.add(new Sent(source, rank, from.size(), tagOf(action), action.size()));
                }
            }
            toMe.add(from);
            missing += from.size();
        }
    }

    /** Blocking sends go to higher ranks only; the highest rank's do not block. */
    private static int dest(final Action action, final int source, final int ranks) {
        if (action.kind() == Kind.SEND || action.kind() == Kind.SSEND) {
            return source == ranks - 1 ? action.pick() % ranks : source + 1 + action.pick() % (ranks - 1 - source);
        }
        return action.pick() % ranks;
    }

    private static int tagOf(final Action action) {
        return action.tag() == ANY ? 3 : action.tag();
    }

    // --- running ---------------------------------------------------------------------------------

    /**
     * Runs the program; nobody leaves before all have ended, because receives that wait for one who
     * has left would fail.
     */
    void run(final Communicator communicator, final CountDownLatch running, final AtomicIntegerArray together) {
        world = communicator;
        steps = together;
        act();
        running.countDown();
        while (running.getCount() > 0) {
            world.iprobe(ANY, ANY);
            checkDeadline("the others");
        }
    }

    private void act() {
        deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        for (final Action action : actions) {
            time++;
            keepStep();
            if (action.isSend()) {
                send(action);
            } else {
                receive(action);
            }
        }
        steps.set(rank, ALL_SENT);
        while (missing > 0) {
            time++;
            testWaiting();
            if (waiting.isEmpty() && missing > 0) {
                takeOneThatMustCome();
            } else if (missing > 0) {
                improbe(time % 3 == 0 ? waiting.get(0).source : ANY, ANY);
            }
            checkDeadline(missing + " messages");
        }
        while (!waiting.isEmpty()) {
            time++;
            cancel(waiting.get(0));
        }
        Request.awaitAll(sends);
    }

    /** Waits a little, though not for ever, for ranks that are behind: so receives are posted before, too. */
    private void keepStep() {
        steps.set(rank, time);
        for (int patience = 0; patience < 200; patience++) {
            boolean behind = false;
            for (int other = 0; other < ranks; other++) {
                behind |= steps.get(other) < time - 1;
            }
            if (!behind) {
                return;
            }
            world.iprobe(ANY, ANY);
            Thread.yield();
        }
    }

    private void checkDeadline(final String what) {
        if (System.nanoTime() - deadline > 0) {
            throw new AssertionError("rank " + rank + " waits in vain for " + what);
        }
    }

    private void send(final Action action) {
        final int dest = dest(action, rank, ranks);
        final int size = action.size();
        final int tag = tagOf(action);
        final byte[] bytes = Pattern.bytes(seed(rank, dest, numbers[dest]), size);
        ByteBuffer.wrap(bytes).putInt(rank).putInt(dest).putInt(numbers[dest]++);
        final Object buffer =
                action.pick() % 3 == 0 ? ByteBuffer.allocateDirect(size).put(bytes) : bytes;
        final boolean last = rank == ranks - 1;
        switch (action.kind()) {
            case SEND -> {
                if (last) {
                    sends.add(world.isend(buffer, 0, size, dest, tag));
                } else {
                    world.send(buffer, 0, size, dest, tag);
                }
            }
            case SSEND -> {
                if (last) {
                    sends.add(world.issend(buffer, 0, size, dest, tag));
                } else {
                    world.ssend(buffer, 0, size, dest, tag);
                }
            }
            case ISEND -> sends.add(world.isend(buffer, 0, size, dest, tag));
            case ISSEND -> sends.add(world.issend(buffer, 0, size, dest, tag));
            default -> sends.add(world.ibsend(buffer, 0, size, dest, tag));
        }
        sendBuffers.add(buffer);
    }

    private static long seed(final int source, final int dest, final int number) {
        return source * 1_000_003L + dest * 10_007L + number;
    }

    private void receive(final Action action) {
        final int source = action.source() >= ranks ? ANY : action.source();
        switch (action.kind()) {
            case POST -> post(source, action.tag(), LARGEST, action.pick() % 2 == 0);
            case POST_SMALL -> post(source, action.tag(), action.size(), action.pick() % 2 == 0);
            case IMPROBE -> improbe(source, action.tag());
            case TEST -> testWaiting();
            default -> {
                if (!waiting.isEmpty()) {
                    cancel(waiting.get(action.pick() % waiting.size()));
                }
            }
        }
    }

    private void post(final int source, final int tag, final int room, final boolean isNative) {
        if (waiting.size() >= MOST_WAITING) {
            testWaiting();
            return;
        }
        final Event event = new Event(time, source, tag, room);
        event.buffer = isNative ? ByteBuffer.allocateDirect(room) : new byte[room];
        events.add(event);
        waiting.add(event);
        event.request = world.ireceive(event.buffer, 0, room, source, tag);
    }

    private void improbe(final int source, final int tag) {
        final Message message = world.improbe(source, tag);
        if (message != null) {
            final int size = (int) message.status().bytes();
            final Event event = new Event(time, source, tag, size);
            events.add(event);
            event.buffer = new byte[size];
            finish(event, message.receive(event.buffer, 0, size));
        }
    }

    /** Nothing waits here, and all own sends are under way: a message that is missing will come. */
    private void takeOneThatMustCome() {
        final Sent sent = missingOfOneThatHasSent();
        final int source = sent == null || time % 2 == 0 ? ANY : sent.source();
        final int tag = sent == null || time % 3 == 0 ? ANY : sent.tag();
        final Event event = new Event(time, source, tag, LARGEST);
        events.add(event);
        event.buffer = new byte[LARGEST];
        if (time % 5 == 0) {
            final Status status = world.probe(source, tag);
            finish(event, world.receive(event.buffer, 0, LARGEST, status.source(), status.tag()));
        } else {
            finish(event, world.receive(event.buffer, 0, LARGEST, source, tag));
        }
    }

    private Sent missingOfOneThatHasSent() {
        for (final List<Sent> from : toMe) {
            for (final Sent sent : from) {
                if (steps.get(sent.source()) == ALL_SENT
                        && events.stream().noneMatch(event -> sent.equals(event.got))) {
                    return sent;
                }
            }
        }
        return null;
    }

    private void testWaiting() {
        for (final Event event : List.copyOf(waiting)) {
            try {
                if (event.request.test()) {
                    event.seenDoneAt = time;
                    waiting.remove(event);
                    finish(event, event.request.status());
                }
            } catch (final TruncationException e) {
                event.seenDoneAt = time;
                waiting.remove(event);
                event.truncated = e.messageBytes();
            }
        }
    }

    private void cancel(final Event event) {
        event.request.cancel();
        waiting.remove(event);
        try {
            final Status status = event.request.await();
            if (status.isCancelled()) {
                event.cancelledAt = time;
            } else {
                finish(event, status);
            }
        } catch (final TruncationException e) {
            event.truncated = e.messageBytes();
        }
    }

    /** Reads who it is from the message, and compares all of it with what was sent. */
    private void finish(final Event event, final Status status) {
        final byte[] bytes = new byte[(int) status.bytes()];
        if (event.buffer instanceof ByteBuffer direct) {
            direct.get(0, bytes);
        } else {
            System.arraycopy(event.buffer, 0, bytes, 0, bytes.length);
        }
        event.buffer = null;
        final ByteBuffer header = ByteBuffer.wrap(bytes);
        final int source = header.getInt();
        final int dest = header.getInt();
        final int number = header.getInt();
        if (dest != rank
                || source != status.source()
                || number >= toMe.get(source).size()) {
            throw new AssertionError(
                    status + " at " + rank + " is message " + number + " from " + source + " to " + dest);
        }
        final Sent sent = toMe.get(source).get(number);
        if (status.tag() != sent.tag() || bytes.length != sent.size()) {
            throw new AssertionError(status + " should be " + sent);
        }
        final long seed = seed(source, dest, number);
        for (int i = HEADER; i < bytes.length; i++) {
            if (bytes[i] != Pattern.at(seed, i)) {
                throw new AssertionError("byte " + i + " of " + sent + " is wrong");
            }
        }
        event.got = sent;
        missing--;
    }

    // --- the rules -------------------------------------------------------------------------------

    void check() {
        for (final List<Sent> from : toMe) {
            for (final Sent sent : from) {
                if (events.stream().filter(event -> sent.equals(event.got)).count() != 1) {
                    throw new AssertionError(sent + " was not received exactly once");
                }
            }
        }
        for (final Event event : events) {
            if (event.got != null) {
                checkMatch(event);
            }
            if (event.truncated >= 0) {
                checkTruncation(event);
            }
        }
    }

    private void checkMatch(final Event event) {
        final Sent sent = event.got;
        if (!sent.fits(event.source, event.tag)) {
            throw new AssertionError(sent + " does not fit " + describe(event));
        }
        // Messages of one source do not overtake: an earlier one that fits here went elsewhere, and
        // that was asked for before.
        for (int i = 0; i < sent.number(); i++) {
            final Sent earlier = toMe.get(sent.source()).get(i);
            if (earlier.fits(event.source, event.tag) && eventOf(earlier).time > event.time) {
                throw new AssertionError(sent + " overtook " + earlier + ", which was left for "
                        + describe(eventOf(earlier)) + ", in " + describe(event));
            }
        }
        // Receives are served in the order of their posting: an earlier one that fits, and that
        // was still waiting when this one had its message, is passed over.
        for (final Event other : events) {
            if (other.time < event.time
                    && sent.fits(other.source, other.tag)
                    && other.cancelledAt != Integer.MAX_VALUE
                    && other.cancelledAt > event.seenDoneAt) {
                throw new AssertionError(sent + " went to " + describe(event) + ", past " + describe(other));
            }
        }
    }

    private void checkTruncation(final Event event) {
        for (final List<Sent> from : toMe) {
            for (final Sent sent : from) {
                if (sent.fits(event.source, event.tag) && sent.size() == event.truncated && sent.size() > event.room) {
                    return;
                }
            }
        }
        throw new AssertionError(
                "no message of " + event.truncated + " bytes could be too long for " + describe(event));
    }

    private Event eventOf(final Sent sent) {
        return events.stream()
                .filter(event -> sent.equals(event.got))
                .findFirst()
                .orElseThrow();
    }

    private static String describe(final Event event) {
        return "receive of up to " + event.room + " B from " + event.source + ", tag " + event.tag + ", posted at "
                + event.time;
    }
}
