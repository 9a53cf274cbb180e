package org.parley.wireup;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.parley.JobException;

/**
 * The launcher's end of the lines to its ranks: lets in those that know the job's token, gives each
 * rank everybody's address, and carries news both ways. Its other end is {@link LaunchedPlace}.
 *
 * <pre>
 *   rank                                launcher
 *    |  HELLO  who, nonce                  |
 *    | ----------------------------------&gt; |
 *    |            CHALLENGE  nonce         |   or REFUSED: another version
 *    | &lt;---------------------------------- |
 *    |  PROOF  of hello and challenge      |
 *    | ----------------------------------&gt; |
 *    |    WELCOME  proof, hosts            |   or REFUSED: wrong token, no such rank, twice
 *    | &lt;---------------------------------- |
 *    |  CONTRIBUTE  options, address       |
 *    | ----------------------------------&gt; |
 *    |           EVERYBODY  addresses      |   when the last has contributed; or HOPELESS
 *    | &lt;---------------------------------- |
 * </pre>
 *
 * <p>Then LEFT, DIED, ABORT, STOPPING, REPORT and HEARTBEAT as they come. One thread of its own
 * does all this; the public methods may be called by any thread.
 */
public final class Rendezvous implements AutoCloseable {
    /** The side names in proofs. */
    static final String RANK_SIDE = "parley rank";

    static final String LAUNCHER_SIDE = "parley launcher";

    private static final long HANDSHAKE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long SUSPECT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long TICK_MILLIS = 1000;

    /** Connections that have proved nothing; the oldest goes when more come. */
    private static final int STRANGERS = 256;

    /** The longest path that a socket may have, less its final zero. */
    private static final int SOCKET_PATH_BYTES = 107;

    /**
     * Where a rank is.
     *
     * @param host its machine's name, for people
     * @param sharesCores whether more ranks than cores are there
     */
    public record Seat(String host, boolean sharesCores) {}

    /**
     * What has knocked.
     *
     * @param joined ranks that came in
     * @param noise connections that spoke no or bad protocol, or were too slow
     * @param versions of another version
     * @param wrongTokens without the job's token
     * @param wrongRanks ranks out of range or there already
     */
    public record Counters(long joined, long noise, long versions, long wrongTokens, long wrongRanks) {}

    private final String job;
    private final List<Seat> seats;
    private final long silenceNanos;
    private final RankEvents events;
    private final Path socket;
    private final Token token;
    private final Selector selector;
    private final ServerSocketChannel server;
    private final Thread thread;
    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<Link> strangers = new ArrayDeque<>();
    private final Link[] members;
    private final WireUp wireUp;
    private final List<Integer> leaving = new ArrayList<>();
    private long lastTick = System.nanoTime();
    private long lastHeartbeat = lastTick;
    private volatile Counters counters = new Counters(0, 0, 0, 0, 0);

    /**
     * Opens a rendezvous in a job's folder.
     *
     * @param job the job's name
     * @param folder the job's folder, mode 0700, with the job's token
     * @param seats where each rank is
     * @param wireUpNanos how long the last rank may come after the first
     * @param silenceNanos after how long without a sign a rank is dead; 0: never
     * @param events told what happens
     * @throws JobException if the socket cannot be made
     */
    public Rendezvous(
            final String job,
            final Path folder,
            final List<Seat> seats,
            final long wireUpNanos,
            final long silenceNanos,
            final RankEvents events) {
        this.job = job;
        this.seats = List.copyOf(seats);
        this.silenceNanos = silenceNanos;
        this.events = events;
        this.members = new Link[seats.size()];
        this.wireUp = new WireUp(seats.size(), wireUpNanos);
        this.socket = socketIn(folder);
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length > SOCKET_PATH_BYTES) {
            throw new JobException(
                    "the path " + socket + " is too long for a socket: more than " + SOCKET_PATH_BYTES + " bytes");
        }
        try {
            token = Token.read(tokenFileIn(folder));
            selector = Selector.open();
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(socket), Math.max(128, seats.size()));
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
        } catch (final IOException e) {
            throw new JobException("cannot make the job's rendezvous " + socket + ": " + e, e);
        }
        thread = new Thread(null, this::run, "parley-rendezvous", 128 * 1024);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Makes the job's token, before there are ranks or a rendezvous.
     *
     * @param folder the job's folder, mode 0700
     * @throws JobException if the file that carries it cannot be made
     */
    public static void createToken(final Path folder) {
        try {
            Token.create(tokenFileIn(folder));
        } catch (final IOException e) {
            throw new JobException("cannot make the job's token in " + folder + ": " + e, e);
        }
    }

    /**
     * Returns what {@code PARLEY_RENDEZVOUS} is to be; ranks may be started before there is one.
     *
     * @param folder the job's folder
     */
    public static String addressIn(final Path folder) {
        return LaunchedPlace.UNIX + socketIn(folder);
    }

    private static Path socketIn(final Path folder) {
        return folder.resolve("rendezvous");
    }

    /**
     * Returns what {@code PARLEY_TOKEN_FILE} is to be.
     *
     * @param folder the job's folder
     */
    public static Path tokenFileIn(final Path folder) {
        return folder.resolve("token");
    }

    /** Returns what has knocked so far. */
    public Counters counters() {
        return counters;
    }

    /**
     * Tells all ranks that one has died.
     *
     * @param rank which
     * @param cause how
     */
    public void died(final int rank, final String cause) {
        command(() -> broadcast(
                new ControlFrame.Builder(ControlFrame.DIED)
                        .number(rank)
                        .text(cause)
                        .build(),
                rank));
    }

    /** Tells all ranks that the job ends, so that they do not report what fails from now on. */
    public void stopping() {
        command(() -> broadcast(ControlFrame.empty(ControlFrame.STOPPING), -1));
    }

    /** Asks all ranks for a report. */
    public void requestReports() {
        command(() -> {
            for (final Link member : members) {
                if (member != null && member.state == Link.State.MEMBER) {
                    send(member, ControlFrame.empty(ControlFrame.REPORT));
                }
            }
        });
    }

    /** Ends all lines. Ranks that are still there stop at once. */
    @Override
    public void close() {
        try {
            selector.close();
            server.close();
            thread.join(TimeUnit.SECONDS.toMillis(1));
        } catch (final IOException e) {
            throw new JobException("cannot close the rendezvous: " + e, e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void command(final Runnable what) {
        commands.add(what);
        selector.wakeup();
    }

    // --- the thread ------------------------------------------------------------------------

    private void run() {
        try {
            while (selector.isOpen()) {
                selector.select(this::ready, TICK_MILLIS);
                for (Runnable what; (what = commands.poll()) != null; ) {
                    what.run();
                }
                tellWhoLeft();
                final long now = System.nanoTime();
                if (now - lastTick >= TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS)) {
                    tick(now);
                }
            }
        } catch (final ClosedSelectorException e) {
            // close() was called; the end of the method does what is left.
        } catch (final IOException e) {
            events.hopeless(-1, "the launcher cannot wait for its ranks: " + e);
        }
        strangers.forEach(Link::close);
        for (final Link member : members) {
            if (member != null) {
                member.close();
            }
        }
    }

    private void ready(final SelectionKey key) {
        if (key.isValid() && key.isAcceptable()) {
            accept();
            return;
        }
        final Link link = (Link) key.attachment();
        try {
            if (key.isValid() && key.isWritable()) {
                link.flush();
            }
            if (key.isValid() && key.isReadable()) {
                for (ControlFrame frame; link.state != Link.State.GONE && (frame = link.next()) != null; ) {
                    link.heard = System.nanoTime();
                    link.suspected = false;
                    handle(link, frame);
                }
            }
        } catch (final IOException e) {
            drop(link, e.getMessage());
        }
    }

    private void accept() {
        try {
            for (SocketChannel channel; (channel = server.accept()) != null; ) {
                channel.configureBlocking(false);
                final SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
                final Link link = new Link(channel, key, System.nanoTime());
                key.attach(link);
                strangers.add(link);
                if (strangers.size() > STRANGERS + seats.size()) {
                    drop(strangers.peek(), "too many connections that prove nothing");
                }
            }
        } catch (final IOException e) {
            // Of one connection, or for want of descriptors: others may still come.
            events.refused("a connection could not be accepted: " + e);
        }
    }

    private void handle(final Link link, final ControlFrame frame) throws IOException {
        switch (link.state) {
            case NEW -> hello(link, frame);
            case CHALLENGED -> proof(link, frame);
            case MEMBER -> member(link, frame);
            case REFUSED, GONE -> {}
            default -> throw new IllegalStateException(link.state.name());
        }
    }

    private void hello(final Link link, final ControlFrame frame) throws IOException {
        if (frame.type() != ControlFrame.HELLO || frame.longNumber() != ControlFrame.MAGIC) {
            throw new IOException("it does not speak our protocol");
        }
        final int protocol = frame.number();
        if (protocol != ControlFrame.PROTOCOL) {
            counters = count(0, 1, 0, 0);
            refuse(
                    link,
                    "the launcher speaks version "
                            + ControlFrame.PROTOCOL
                            + " of the protocol ("
                            + Build.NAME
                            + "), this program version "
                            + protocol
                            + ": run both with the same Parley");
            return;
        }
        link.rank = frame.number();
        link.size = frame.number();
        link.pid = frame.longNumber();
        frame.bytes();
        link.build = frame.text();
        link.hello = frame.raw();
        final ByteBuffer challenge = new ControlFrame.Builder(ControlFrame.CHALLENGE)
                .longNumber(ControlFrame.MAGIC)
                .number(ControlFrame.PROTOCOL)
                .bytes(Token.random(ControlFrame.NONCE_BYTES))
                .text(Build.NAME)
                .build();
        link.challenge = ControlFrame.bodyOf(challenge);
        link.state = Link.State.CHALLENGED;
        link.send(challenge);
    }

    private void proof(final Link link, final ControlFrame frame) throws IOException {
        final byte[] expected = token.proof(RANK_SIDE, link.hello, link.challenge);
        if (frame.type() != ControlFrame.PROOF || !Token.isSame(expected, frame.bytes())) {
            counters = count(0, 0, 1, 0);
            refuse(link, "it does not have the token of job " + job);
            return;
        }
        final String wrong = wrongRank(link);
        if (wrong != null) {
            counters = count(0, 0, 0, 1);
            refuse(link, wrong);
            return;
        }
        strangers.remove(link);
        members[link.rank] = link;
        link.state = Link.State.MEMBER;
        final Counters old = counters;
        counters = new Counters(old.joined + 1, old.noise, old.versions, old.wrongTokens, old.wrongRanks);
        final ControlFrame.Builder welcome = new ControlFrame.Builder(ControlFrame.WELCOME)
                .bytes(token.proof(LAUNCHER_SIDE, link.hello, link.challenge))
                .number(seats.get(link.rank).sharesCores ? 1 : 0)
                .number(seats.size());
        seats.forEach(seat -> welcome.text(seat.host));
        // Before the rank knows it, so that this event comes before all others of the rank.
        events.joined(link.rank, link.pid);
        link.send(welcome.build());
        if (!link.build.equals(Build.NAME)) {
            events.refused("rank "
                    + link.rank
                    + " runs "
                    + link.build
                    + ", the launcher "
                    + Build.NAME
                    + ": they talk the same protocol, so it was let in");
        }
    }

    private String wrongRank(final Link link) {
        if (link.rank < 0 || link.rank >= members.length || link.size != members.length) {
            return "pid "
                    + link.pid
                    + " wants to be rank "
                    + link.rank
                    + " of "
                    + link.size
                    + ", but job "
                    + job
                    + " has "
                    + members.length
                    + " ranks";
        }
        final Link other = members[link.rank];
        if (other != null) {
            return "pid "
                    + link.pid
                    + " wants to be rank "
                    + link.rank
                    + " of job "
                    + job
                    + ", which pid "
                    + other.pid
                    + (other.hasLeft ? " was: a rank joins once" : " is already");
        }
        return null;
    }

    private void refuse(final Link link, final String why) throws IOException {
        events.refused(why);
        strangers.remove(link);
        link.state = Link.State.REFUSED;
        link.send(new ControlFrame.Builder(ControlFrame.REFUSED).text(why).build());
    }

    private Counters count(final int noise, final int versions, final int wrongTokens, final int wrongRanks) {
        final Counters old = counters;
        return new Counters(
                old.joined,
                old.noise + noise,
                old.versions + versions,
                old.wrongTokens + wrongTokens,
                old.wrongRanks + wrongRanks);
    }

    private void member(final Link link, final ControlFrame frame) throws IOException {
        switch (frame.type()) {
            case ControlFrame.CONTRIBUTE -> contribute(link, frame);
            case ControlFrame.LEFT -> {
                link.hasLeft = true;
                leaving.add(link.rank);
                events.left(link.rank);
            }
            case ControlFrame.DIED -> {
                final int blames = frame.number();
                events.failed(link.rank, frame.text(), blames);
            }
            case ControlFrame.ABORT -> {
                final int code = frame.number();
                events.aborted(link.rank, code, frame.text());
            }
            case ControlFrame.REPORT -> reported(link.rank, frame);
            case ControlFrame.HEARTBEAT -> {}
            default -> throw new IOException("a frame has the unknown type " + frame.type());
        }
    }

    private void reported(final int rank, final ControlFrame frame) throws IOException {
        events.reported(rank, new RankEvents.Report(frame.text(), frame.text(), frame.text(), frame.text()));
    }

    private void contribute(final Link link, final ControlFrame frame) throws IOException {
        final String options = frame.text();
        final WireUp.Trouble trouble = wireUp.contribute(link.rank, options, frame.bytes(), System.nanoTime());
        if (trouble != null) {
            hopeless(trouble);
        } else if (wireUp.isComplete()) {
            broadcast(wireUp.everybody(), -1);
            events.wiredUp();
        }
    }

    private void hopeless(final WireUp.Trouble trouble) {
        broadcast(
                new ControlFrame.Builder(ControlFrame.HOPELESS)
                        .text(trouble.sentence())
                        .build(),
                -1);
        events.hopeless(trouble.rank(), trouble.how());
    }

    /** Sends to all members that have not left. */
    private void broadcast(final ByteBuffer frame, final int except) {
        for (final Link member : members) {
            if (member != null && member.rank != except && member.state == Link.State.MEMBER && !member.hasLeft) {
                send(member, frame);
            }
        }
    }

    private void send(final Link member, final ByteBuffer frame) {
        try {
            member.send(frame);
        } catch (final IOException e) {
            drop(member, e.getMessage());
        }
    }

    /** One frame for all that left since the last turn: at the end of a job everybody leaves. */
    private void tellWhoLeft() {
        if (!leaving.isEmpty()) {
            final ControlFrame.Builder frame = new ControlFrame.Builder(ControlFrame.LEFT).number(leaving.size());
            leaving.forEach(frame::number);
            leaving.clear();
            broadcast(frame.build(), -1);
        }
    }

    private void drop(final Link link, final String why) {
        final Link.State state = link.state;
        link.close();
        if (state == Link.State.MEMBER) {
            events.disconnected(link.rank);
        } else if (state != Link.State.REFUSED && state != Link.State.GONE) {
            strangers.remove(link);
            counters = count(1, 0, 0, 0);
            events.refused("a connection that proved nothing was closed: " + why);
        }
    }

    private void tick(final long now) {
        final long late = now - lastTick - TimeUnit.MILLISECONDS.toNanos(2 * TICK_MILLIS);
        lastTick = now;
        if (late > 0) {
            // This process, or the whole machine, has slept: that says nothing about ranks.
            strangers.forEach(link -> link.heard = now);
            for (final Link member : members) {
                if (member != null) {
                    member.heard = now;
                }
            }
        }
        while (!strangers.isEmpty() && now - strangers.peek().heard > HANDSHAKE_NANOS) {
            drop(strangers.peek(), "it was too slow");
        }
        final WireUp.Trouble missing = wireUp.missing(now);
        if (missing != null) {
            hopeless(missing);
        }
        final boolean beat = now - lastHeartbeat >= HEARTBEAT_NANOS;
        if (beat) {
            lastHeartbeat = now;
        }
        for (final Link member : members) {
            if (member != null && member.state == Link.State.MEMBER) {
                listen(member, now, beat);
            }
        }
    }

    private void listen(final Link member, final long now, final boolean beat) {
        final long silence = now - member.heard;
        final long seconds = TimeUnit.NANOSECONDS.toSeconds(silence);
        if (silenceNanos > 0 && silence > silenceNanos) {
            member.heard = now;
            events.silent(member.rank, seconds, true);
        } else if (silence > SUSPECT_NANOS && !member.suspected) {
            member.suspected = true;
            events.silent(member.rank, seconds, false);
        }
        if (beat && !member.hasUnsent()) {
            send(member, ControlFrame.empty(ControlFrame.HEARTBEAT));
        }
    }
}
