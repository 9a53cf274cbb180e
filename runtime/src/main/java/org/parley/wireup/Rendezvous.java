package org.parley.wireup;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
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
import org.parley.transport.JobSecret;
import org.parley.transport.Protocol;
import org.parley.transport.Reason;

/**
 * The end of the lines to the ranks of one host, in the launcher or its agent there; in a job without
 * a launcher to all ranks, in rank 0. Lets in those that know the job's token, passes on what they say,
 * and tells them what it is told; {@link WireUp} is above it. Its other end is {@link LaunchedPlace}.
 *
 * <pre>
 *   rank                                this
 *    |  HELLO  who, nonce                  |
 *    | ----------------------------------&gt; |
 *    |            CHALLENGE  nonce         |   or REFUSED: another version, another job
 *    | &lt;---------------------------------- |
 *    |  PROOF  of hello and challenge      |
 *    | ----------------------------------&gt; |
 *    |    WELCOME  proof, hosts            |   or REFUSED: wrong token, no such rank, twice
 *    | &lt;---------------------------------- |
 *    |  CONTRIBUTE  options, address       |
 *    | ----------------------------------&gt; |
 *    |           EVERYBODY  addresses      |   when {@link #everybody} is called; or HOPELESS
 *    | &lt;---------------------------------- |
 * </pre>
 *
 * <p>Then MAP, LEFT, DIED, ABORT, STOPPING, REPORT, HEARTBEAT, petitions and rulings as they come. One thread of its own
 * does all this; the public methods may be called by any thread.
 */
public final class Rendezvous implements AutoCloseable {
    /** The side names in proofs. */
    static final String RANK_SIDE = "parley rank";

    static final String LAUNCHER_SIDE = "parley launcher";

    private static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long SUSPECT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long TICK_MILLIS = 1000;

    /** Connections that have proved nothing; the oldest goes when more come. */
    private static final int STRANGERS = 256;

    /** The longest path that a socket may have, less its final zero. */
    private static final int SOCKET_PATH_BYTES = 107;

    private final String job;
    private final Placement placement;
    private final int host;
    private final boolean wantsMap;
    private final long silenceNanos;
    private final RankEvents events;
    private final JobSecret secret;
    private final Selector selector;
    private final Doors doors;
    private final Thread thread;
    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<Link> strangers = new ArrayDeque<>();
    private final Link[] members;
    private long lastTick = System.nanoTime();
    private long lastHeartbeat = lastTick;
    private final Knocks knocks = new Knocks();

    /**
     * Opens the rendezvous of one host's ranks, in the job's folder there.
     *
     * @param job the job's name
     * @param folder the job's folder, mode 0700, with the job's token
     * @param placement where each rank is
     * @param host the number of this host
     * @param wantsMap whether ranks are to tell over which transports they reach each other
     * @param silenceNanos after how long without a sign a rank is dead; 0: never
     * @param events told what happens
     * @throws JobException if the socket cannot be made
     */
    public Rendezvous(
            final String job,
            final Path folder,
            final Placement placement,
            final int host,
            final boolean wantsMap,
            final long silenceNanos,
            final RankEvents events) {
        this(
                job,
                List.of(socketIn(folder)),
                Token.read(tokenFileIn(folder)),
                placement,
                host,
                wantsMap,
                silenceNanos,
                events);
    }

    /** The same at any addresses. */
    Rendezvous(
            final String job,
            final List<? extends SocketAddress> addresses,
            final JobSecret secret,
            final Placement placement,
            final int host,
            final boolean wantsMap,
            final long silenceNanos,
            final RankEvents events) {
        this.job = job;
        this.secret = secret;
        this.placement = placement;
        this.host = host;
        this.wantsMap = wantsMap;
        this.silenceNanos = silenceNanos;
        this.events = events;
        this.members = new Link[placement.size()];
        try {
            selector = Selector.open();
        } catch (final IOException e) {
            throw new JobException("cannot wait for ranks: " + e, e);
        }
        doors = new Doors(selector, addresses, placement.ranksOn(host).size());
        thread = new Thread(null, this::run, "parley-rendezvous", 128 * 1024);
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns where it listens, in a network. */
    List<InetSocketAddress> addresses() {
        return doors.addresses();
    }

    /**
     * Makes the file that carries the job's secret, before there are ranks or a rendezvous.
     *
     * @param folder the job's folder, mode 0700
     * @param secret what it carries
     * @throws JobException if the file cannot be made
     */
    public static void createToken(final Path folder, final JobSecret secret) {
        try {
            Token.create(tokenFileIn(folder), secret);
        } catch (final IOException e) {
            throw new JobException(
                    "cannot make the job's token in " + folder + ": " + Reason.of(e)
                            + "; see that there is space and that you may write there",
                    e);
        }
    }

    /**
     * Returns what {@code PARLEY_RENDEZVOUS} is to be; ranks may be started before there is one.
     *
     * @param folder the job's folder
     */
    public static String addressIn(final Path folder) {
        return AtLauncher.SCHEME + socketFileIn(folder);
    }

    private static Path socketFileIn(final Path folder) {
        return folder.resolve("rendezvous");
    }

    private static SocketAddress socketIn(final Path folder) {
        final Path socket = socketFileIn(folder);
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length > SOCKET_PATH_BYTES) {
            throw new JobException(
                    "the path " + socket + " is too long for a socket: more than " + SOCKET_PATH_BYTES + " bytes");
        }
        return UnixDomainSocketAddress.of(socket);
    }

    /**
     * Returns what {@code PARLEY_TOKEN_FILE} is to be.
     *
     * @param folder the job's folder
     */
    public static Path tokenFileIn(final Path folder) {
        return folder.resolve("token");
    }

    /** Returns who has knocked so far. */
    Knocks knocks() {
        return knocks;
    }

    /** Gives all ranks everybody's address, as {@link WireUp#everybody} returns it. */
    public void everybody(final byte[] addresses) {
        command(() -> broadcast(ControlFrame.of(ControlFrame.EVERYBODY, addresses), -1));
    }

    /** Tells all ranks why the wire-up will not succeed. */
    public void hopeless(final String why) {
        command(() -> broadcast(
                new ControlFrame.Builder(ControlFrame.HOPELESS).text(why).build(), -1));
    }

    /**
     * Tells all ranks who has left.
     *
     * @param ranks which; one call for many, since at the end of a job everybody leaves
     */
    public void left(final List<Integer> ranks) {
        final ByteBuffer frame =
                new ControlFrame.Builder(ControlFrame.LEFT).numbers(ranks).build();
        command(() -> broadcast(frame, -1));
    }

    /**
     * Tells all ranks that one has died.
     *
     * @param rank which
     * @param cause how
     */
    public void died(final int rank, final String cause) {
        final ControlFrame.Builder frame =
                new ControlFrame.Builder(ControlFrame.DIED).number(rank).text(cause);
        command(() -> broadcast(frame.build(), rank));
    }

    /**
     * Tells ranks what the job's arbiter has found; those that are not here or have left are passed over.
     *
     * @param ranks whom
     * @param ruling what
     */
    public void tell(final List<Integer> ranks, final Ruling ruling) {
        final ByteBuffer frame =
                ruling.write(new ControlFrame.Builder(ControlFrame.RULING)).build();
        command(() -> ranks.forEach(rank -> send(members[rank], frame)));
    }

    /** Tells all ranks that the job ends, so that they do not report what fails from now on. */
    public void stopping() {
        command(() -> broadcast(ControlFrame.empty(ControlFrame.STOPPING), -1));
    }

    /**
     * Asks all ranks for a report.
     *
     * @param stacks whether with the stacks of their threads
     */
    public void requestReports(final boolean stacks) {
        command(() -> {
            for (final Link member : members) {
                if (member != null && member.state == Link.State.MEMBER) {
                    member.send(new ControlFrame.Builder(ControlFrame.REPORT)
                            .number(stacks ? 1 : 0)
                            .build());
                }
            }
        });
    }

    /** Ends all lines. Ranks that are still there stop at once. */
    @Override
    public void close() {
        try {
            selector.close();
            doors.close();
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
                final long now = System.nanoTime();
                if (now - lastTick >= TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS)) {
                    tick(now);
                }
            }
        } catch (final ClosedSelectorException e) {
            // close() was called; the end of the method does what is left.
        } catch (final IOException | RuntimeException e) {
            events.broken("cannot wait for ranks: " + e);
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
            accept((ServerSocketChannel) key.channel());
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

    private void accept(final ServerSocketChannel server) {
        try {
            for (SocketChannel channel; (channel = server.accept()) != null; ) {
                channel.configureBlocking(false);
                final SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
                final Link link = new Link(channel, key, System.nanoTime());
                key.attach(link);
                strangers.add(link);
                if (strangers.size() > STRANGERS + placement.ranksOn(host).size()) {
                    drop(strangers.peek(), "too many connections that prove nothing");
                }
            }
        } catch (final IOException e) {
            // Of one connection, or for want of descriptors: others may still come.
            events.refused("a connection could not be accepted: " + Reason.of(e));
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
        if (protocol != Protocol.version()) {
            refuse(
                    link,
                    Knocks.Kind.VERSION,
                    "the launcher speaks version "
                            + Protocol.version()
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
        final String theirs = frame.text();
        link.hello = frame.raw();
        if (!theirs.equals(job)) {
            refuse(
                    link,
                    Knocks.Kind.JOB,
                    "it is of job " + AtRankZero.shown(theirs) + ", and this is where the ranks of job " + job
                            + " meet");
            return;
        }
        final ByteBuffer challenge = new ControlFrame.Builder(ControlFrame.CHALLENGE)
                .longNumber(ControlFrame.MAGIC)
                .number(Protocol.version())
                .bytes(JobSecret.random(ControlFrame.NONCE_BYTES))
                .text(Build.NAME)
                .build();
        link.challenge = ControlFrame.bodyOf(challenge);
        link.state = Link.State.CHALLENGED;
        link.send(challenge);
    }

    private void proof(final Link link, final ControlFrame frame) throws IOException {
        final byte[] expected = secret.proof(RANK_SIDE, link.hello, link.challenge);
        if (frame.type() != ControlFrame.PROOF || !JobSecret.isSame(expected, frame.bytes())) {
            refuse(link, Knocks.Kind.TOKEN, "it does not have the token of job " + job);
            return;
        }
        final String wrong = wrongRank(link);
        if (wrong != null) {
            refuse(link, Knocks.Kind.RANK, wrong);
            return;
        }
        strangers.remove(link);
        members[link.rank] = link;
        link.state = Link.State.MEMBER;
        knocks.add(Knocks.Kind.JOINED);
        final ControlFrame.Builder welcome = new ControlFrame.Builder(ControlFrame.WELCOME)
                .bytes(secret.proof(LAUNCHER_SIDE, link.hello, link.challenge))
                .number(sharesCores() ? 1 : 0)
                .number(wantsMap ? 1 : 0)
                .number(placement.hosts().size());
        placement.hosts().forEach(welcome::text);
        welcome.number(placement.size());
        for (int rank = 0; rank < placement.size(); rank++) {
            welcome.number(placement.hostOf(rank));
        }
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

    private boolean sharesCores() {
        return placement.ranksOn(host).size() > Runtime.getRuntime().availableProcessors();
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
        if (placement.hostOf(link.rank) != host) {
            return "pid " + link.pid + " wants to be rank " + link.rank + " of job " + job + ", which runs on "
                    + placement.host(link.rank);
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

    private void refuse(final Link link, final Knocks.Kind kind, final String why) {
        knocks.add(kind);
        events.refused(link.claim() + " was refused: " + why);
        strangers.remove(link);
        link.state = Link.State.REFUSED;
        link.send(new ControlFrame.Builder(ControlFrame.REFUSED).text(why).build());
    }

    private void member(final Link link, final ControlFrame frame) throws IOException {
        switch (frame.type()) {
            case ControlFrame.CONTRIBUTE -> {
                final String options = frame.text();
                events.contributed(link.rank, options, frame.bytes());
            }
            case ControlFrame.LEFT -> {
                link.hasLeft = true;
                events.left(link.rank, frame.text());
            }
            case ControlFrame.DIED -> {
                final int blames = frame.number();
                events.failed(link.rank, frame.text(), blames);
            }
            case ControlFrame.ABORT -> {
                final int code = frame.number();
                events.aborted(link.rank, code, frame.text());
            }
            case ControlFrame.MAP -> mapped(link.rank, frame);
            case ControlFrame.REPORT -> events.reported(link.rank, RankEvents.Report.read(frame));
            case ControlFrame.PETITION -> events.asked(link.rank, Petition.read(frame, members.length));
            case ControlFrame.HEARTBEAT -> {}
            default -> throw new IOException("a frame has the unknown type " + frame.type());
        }
    }

    private void mapped(final int rank, final ControlFrame frame) throws IOException {
        final int count = frame.number();
        if (count != members.length) {
            throw new IOException("a map of " + count + " ranks, not " + members.length);
        }
        final List<String> transports = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            transports.add(frame.text());
        }
        events.mapped(rank, transports);
    }

    /** Sends to all members that have not left. */
    private void broadcast(final ByteBuffer frame, final int except) {
        for (final Link member : members) {
            if (member != null && member.rank != except) {
                send(member, frame);
            }
        }
    }

    private static void send(final Link member, final ByteBuffer frame) {
        if (member != null && member.state == Link.State.MEMBER && !member.hasLeft) {
            member.send(frame);
        }
    }

    private void drop(final Link link, final String why) {
        final Link.State state = link.state;
        link.close();
        if (state == Link.State.MEMBER) {
            events.disconnected(link.rank);
        } else if (state != Link.State.REFUSED && state != Link.State.GONE) {
            strangers.remove(link);
            knocks.add(Knocks.Kind.NOISE);
            events.refused("a connection " + link.where() + "that proved nothing was closed: " + why);
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
        strangers.stream().filter(link -> link.isTooSlow(now)).toList().forEach(link -> drop(link, "it was too slow"));
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
            member.send(ControlFrame.empty(ControlFrame.HEARTBEAT));
        }
    }
}
