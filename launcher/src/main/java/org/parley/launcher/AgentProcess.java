package org.parley.launcher;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.parley.JobException;
import org.parley.transport.Protocol;
import org.parley.wireup.ControlFrame;

/**
 * A host's part of a job: does there what the launcher does on its own machine, passes on what goes
 * to and comes from hosts below, and ends with the pipe to who started it. It reads nothing else.
 */
final class AgentProcess {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Before the plan says another. */
    private static final long FIRST_SILENCE = 30 * SECOND;

    private final EventLoop loop = new EventLoop();
    private final AgentLink parent = new AgentLink(
            new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out), "launcher", new Above());
    private int host = -1;
    private Plan plan;
    private OutputWindow window;
    private RankInput input;
    private News news;
    private LocalHost local;
    private Branches branches;
    private Staging staging;
    private Reachability reachability;
    private long lastTick = System.nanoTime();
    private boolean isOver;

    /**
     * Serves until the pipe ends.
     *
     * @return exit code
     */
    int run() {
        // Whoever prints in this process must not print between frames.
        System.setOut(System.err);
        parent.send(ByteBuffer.wrap(AgentFrame.PREAMBLE));
        parent.send(new ControlFrame.Builder(AgentFrame.HELLO)
                .number(Protocol.version())
                .text(Main.version())
                .text(Main.home())
                .build());
        parent.start(false);
        tick();
        try {
            while (!isOver) {
                loop.step();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close();
        }
        return 0;
    }

    private void close() {
        if (local != null) {
            local.close();
        }
        if (staging != null) {
            staging.close();
        }
        if (branches != null) {
            branches.close();
        }
    }

    private void tick() {
        final long now = System.nanoTime();
        final boolean isLate = now - lastTick > 3 * SECOND;
        lastTick = now;
        if (isLate) {
            parent.forgive(now);
        }
        final long limit = plan == null ? FIRST_SILENCE : plan.silenceNanos();
        if (parent.tick(now, limit) == AgentLink.Silence.DEAD) {
            System.err.println(
                    "has heard nothing of who started it for " + parent.silentSeconds(now) + " s, and ends its ranks");
            isOver = true;
        }
        if (branches != null) {
            branches.tick(now, isLate);
        }
        loop.after(SECOND, this::tick);
    }

    private void arrived(final ControlFrame frame) {
        try {
            final int to = frame.number();
            if (plan == null) {
                begin(to, frame);
                return;
            }
            if (to != host) {
                branches.send(to, ControlFrame.of(frame.type(), frame.raw()));
            }
            if (to == host || to == AgentFrame.ALL) {
                handle(frame);
            }
        } catch (final IOException e) {
            System.err.println("does not understand who started it: " + e.getMessage());
            isOver = true;
        } catch (final JobException e) {
            news.broken("host " + plan.placement().hosts().get(host) + ": " + e.getMessage());
        }
    }

    private void begin(final int number, final ControlFrame frame) throws IOException {
        if (frame.type() != AgentFrame.PLAN) {
            throw new IOException("a frame of type " + frame.type() + " comes before the plan");
        }
        host = number;
        final List<Integer> branch = frame.numbers();
        final Plan general = Plan.read(frame);
        news = new News(host, parent::send);
        window = new OutputWindow(host, parent::send);
        input = new RankInput(bytes -> parent.send(new ControlFrame.Builder(AgentFrame.INPUT_TAKEN)
                .number(host)
                .number(bytes)
                .build()));
        staging = new Staging(general.job() + "." + host);
        plan = here(general);
        branches = new Branches(loop, general, branch.subList(1, branch.size()), new Below());
        branches.start();
        local = new LocalHost(plan, host, "." + host, input, window, news);
        reachability = general.isPreflight() ? new Reachability(plan.environment()) : null;
        news.ready(host, facts());
    }

    /** The plan with paths as they are on this host. */
    private Plan here(final Plan general) {
        final boolean isThere = Files.isDirectory(general.folder());
        final Path folder = isThere ? general.folder() : Path.of(System.getProperty("user.home"));
        return general.on(folder, Main.home(), System.getProperty("java.home"), staging);
    }

    private Facts facts() {
        String trouble = "";
        String warning = "";
        if (!plan.folder().equals(plan.wantedFolder())) {
            final String text = "there is no folder " + plan.wantedFolder();
            if (plan.isFolderAsked()) {
                trouble = text;
            } else {
                warning = text + ": ranks there run in " + plan.folder();
            }
        }
        return new Facts(
                Main.version(),
                Main.home(),
                System.getProperty("java.version") + " in " + System.getProperty("java.home"),
                Runtime.getRuntime().availableProcessors(),
                plan.bindToCore() ? Bindings.toCores().cores() : List.of(),
                trouble,
                warning,
                plan.isPreflight() ? Library.hash() : "",
                reachability == null ? List.of() : reachability.listens());
    }

    private void handle(final ControlFrame frame) throws IOException {
        switch (frame.type()) {
            case AgentFrame.OUTPUT_TAKEN -> window.taken(frame.number());
            case AgentFrame.INPUT -> input.add(frame.bytes());
            case AgentFrame.FILE -> news.copied(host, staging.write(frame));
            case AgentFrame.REACH -> reach(Facts.texts(frame));
            default -> {
                if (!Orders.apply(frame, local)) {
                    throw new IOException("a frame has the unknown type " + frame.type());
                }
            }
        }
    }

    private void reach(final List<String> places) {
        if (reachability != null) {
            reachability.reach(
                    places,
                    results ->
                            parent.send(Facts.texts(new ControlFrame.Builder(AgentFrame.REACHED).number(host), results)
                                    .build()));
        }
    }

    /** What comes from who started this. */
    private final class Above implements AgentLink.Listener {
        @Override
        public void arrived(final ControlFrame frame) {
            loop.post(() -> AgentProcess.this.arrived(frame));
        }

        @Override
        public void ended(final String why) {
            loop.post(() -> isOver = true);
        }
    }

    /** What comes from hosts below is passed on as it is. */
    private final class Below implements Branches.Listener {
        @Override
        public void arrived(final ControlFrame frame) {
            parent.send(ControlFrame.of(frame.type(), frame.raw()));
        }

        @Override
        public void lost(final List<Integer> hosts, final String how) {
            news.lost(hosts, how);
        }

        @Override
        public void quiet(final int which, final long seconds) {
            news.quiet(which, seconds);
        }

        @Override
        public void said(final int which, final String line) {
            System.err.println(plan.placement().hosts().get(which) + " says: " + line);
        }
    }
}
