package org.parley.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A virtual machine of {@link Guests}, and what may happen to it. Any thread. */
public final class Guest {
    /** The network card that RDMA runs over, as guests name it; {@code lan0} is the other one. */
    public static final String RDMA_CARD = "rdma0";

    /** The longest packets that the RDMA network's switch passes. */
    public static final int SWITCH_MTU = 4200;

    private static final String MEMORY = "640M";

    /** With all its files in it. */
    private static final String MOVABLE_MEMORY = "1152M";

    /** Of the other card. */
    private static final int CARD_MTU = 1500;

    private static final long PATIENCE_SECONDS = 240;
    private static final int CLOSE_SECONDS = 10;
    private static final int CONSOLE_LINES = 30;

    /** A login to an emulated machine takes a second, a command over a login that is there already does not. */
    private static final List<String> SHARED_LOGIN =
            List.of("-o", "ControlPath=" + Network.FOLDER + "/%n.login", "-o", "ServerAliveInterval=0");

    private final Network network;
    private final int number;
    private final Guests.Device device;
    private final boolean isMovable;
    private final String name;
    private Path image;
    private Process process;
    private int moves;

    Guest(final Network network, final int index, final Guests.Device device, final boolean isMovable) {
        this.network = network;
        this.number = index + 1;
        this.device = device;
        this.isMovable = isMovable;
        this.name = "guest-" + (char) ('a' + index);
    }

    void start(final Path itsImage) {
        image = itsImage;
        process = startQemu(List.of());
    }

    private Process startQemu(final List<String> more) {
        // A session of its own: Linux shares processors between sessions, as it shares them between hosts' jobs.
        final List<String> words = new ArrayList<>(List.of("setsid", "--wait"));
        if (device.isPvrdma()) {
            words.addAll(List.of("env", "LD_PRELOAD=" + image.resolve("fabric.so")));
            words.add("FABRIC=" + Network.FOLDER + "/fabric");
            words.add("FABRIC_MUX=" + mux());
        }
        words.addAll(List.of("qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"));
        words.addAll(List.of("-machine", device.isPvrdma() ? "pc" : "q35"));
        words.addAll(List.of("-accel", "tcg,thread=multi", "-cpu", "max", "-m", memory()));
        words.addAll(List.of("-kernel", image.resolve("vmlinuz").toString()));
        words.addAll(List.of("-append", parameters(), "-initrd"));
        words.add(
                isMovable
                        ? Network.FOLDER + "/" + Guests.MOVABLE
                        : image.resolve("initrd").toString());
        words.addAll(List.of("-serial", "file:" + Network.FOLDER + "/" + file("console")));
        words.addAll(List.of("-qmp", "unix:" + Network.FOLDER + "/" + file("monitor") + ",server=on,wait=off"));
        words.addAll(List.of("-device", "virtio-rng-pci"));
        if (!isMovable) {
            words.addAll(folder("root", "/", true));
            words.addAll(folder("layer", image.resolve("layer").toString(), true));
            words.addAll(folder("testbed", Network.FOLDER.toString(), false));
        }
        words.addAll(card("virtio-net-pci", cable(), "52:54:00:77:00:0" + number, ",romfile="));
        final String rdmaAddress = "52:54:00:78:00:0" + number;
        if (device.isPvrdma()) {
            words.addAll(card(device.card(), rdmaCable(), rdmaAddress, ",addr=10.0,multifunction=on,romfile="));
            words.addAll(List.of("-object", "memory-backend-ram,id=memory,share=on,size=" + memory()));
            words.addAll(List.of("-machine", "memory-backend=memory", "-chardev", "socket,id=mux,path=" + mux()));
            words.addAll(List.of("-device", "pvrdma,addr=10.1,ibdev=fabric,netdev=none,mad-chardev=mux"));
        } else {
            words.addAll(card(device.card(), rdmaCable(), rdmaAddress, ",romfile="));
        }
        words.addAll(more);
        return Script.start(network.onSwitch(words));
    }

    private String memory() {
        return isMovable ? MOVABLE_MEMORY : MEMORY;
    }

    /** Returns the name of a file of the QEMU that runs it now. */
    private String file(final String what) {
        return name + (moves == 0 ? "" : "-" + moves) + "." + what;
    }

    private String cable() {
        return name + (moves == 0 ? "" : "-" + moves);
    }

    private String rdmaCable() {
        return name + "-rdma" + (moves == 0 ? "" : "-" + moves);
    }

    private String mux() {
        return Network.FOLDER + "/" + name + ".mux";
    }

    private String parameters() {
        return String.join(
                " ",
                "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable no_timer_check",
                "guest.name=" + name,
                "guest.lan=" + address(),
                "guest.rdma=" + rdmaAddress(),
                "guest.nic=" + device.module(),
                "guest.device=" + (device.isPvrdma() ? "pvrdma" : "rxe"),
                "guest.mtu=1500",
                "guest.visible=" + visible());
    }

    /** Returns the folder in /tmp that the tree lies in; empty if it is elsewhere. */
    private static String visible() {
        final Path tree = Path.of("").toAbsolutePath();
        return tree.startsWith("/tmp") && tree.getNameCount() > 1 ? "/tmp/" + tree.getName(1) : "";
    }

    private static List<String> folder(final String tag, final String path, final boolean isReadOnly) {
        final String options = ",security_model=none,multidevs=remap" + (isReadOnly ? ",readonly=on" : "");
        return List.of(
                "-fsdev",
                "local,id=" + tag + ",path=" + path + options,
                "-device",
                "virtio-9p-pci,fsdev=" + tag + ",mount_tag=" + tag);
    }

    private static List<String> card(
            final String model, final String cable, final String hardwareAddress, final String options) {
        return List.of(
                "-netdev",
                "tap,id=" + cable + ",ifname=" + cable + ",script=no,downscript=no",
                "-device",
                model + ",netdev=" + cable + ",mac=" + hardwareAddress + options);
    }

    void awaitReady() {
        try {
            Script.await(this::isReady, name, PATIENCE_SECONDS);
        } catch (final IllegalStateException e) {
            throw new IllegalStateException(e.getMessage() + "; its console: " + console(), e);
        }
        final List<String> words = new ArrayList<>(List.of(Network.SSH.split(" ")));
        words.addAll(SHARED_LOGIN);
        words.addAll(List.of("-M", "-N", "-f", name));
        Script.run(onHead(words), PATIENCE_SECONDS);
    }

    private List<String> onHead(final List<String> words) {
        return network.host(0).command(words.toArray(String[]::new));
    }

    private boolean isReady() throws IOException {
        if (!process.isAlive()) {
            throw new IllegalStateException(
                    name + " ended: " + new String(process.getInputStream().readAllBytes()));
        }
        final Path log = network.file(file("console"));
        return Files.exists(log) && Files.readString(log).contains("Server listening on 0.0.0.0");
    }

    /** Returns its name, as {@code hostname} prints it there. */
    public String name() {
        return name;
    }

    /** Returns its address in the network that the head is in, too. */
    public String address() {
        return "10.77.0." + (100 + number);
    }

    /** Returns its address in the network of RDMA. */
    public String rdmaAddress() {
        return "10.78.0." + number;
    }

    /** Returns the name of its verbs device. */
    public String verbs() {
        return device.verbs();
    }

    /**
     * Returns a command that runs another on this guest, in {@link Network#FOLDER}, and ends with its code.
     *
     * @param words what runs there
     */
    public List<String> command(final String... words) {
        final StringBuilder line =
                new StringBuilder("cd ").append(Network.FOLDER).append(" && exec");
        for (final String word : words) {
            line.append(" '").append(word.replace("'", "'\\''")).append('\'');
        }
        final List<String> command = new ArrayList<>(List.of(Network.SSH.split(" ")));
        command.addAll(SHARED_LOGIN);
        command.addAll(List.of(name, line.toString()));
        return onHead(command);
    }

    /**
     * Runs a command on this guest.
     *
     * @param words a command that ends soon
     * @return what it printed
     * @throws IllegalStateException with that if it ended with another code than 0
     */
    public String run(final String... words) {
        return Script.run(command(words), PATIENCE_SECONDS);
    }

    /**
     * Lets the switch's port of its RDMA card pass no longer packets, which nobody is told of.
     *
     * @param mtu {@link #SWITCH_MTU} at first
     */
    public void narrow(final int mtu) {
        set(rdmaCable(), "mtu", String.valueOf(mtu));
    }

    /** Stops it as a hypervisor does that moves it elsewhere: nobody in it notices, and its clocks stand, too. */
    public void freeze() {
        ask("stop", "");
    }

    /** Ends {@link #freeze}. */
    public void thaw() {
        ask("cont", "");
    }

    /** Pulls the cable of its RDMA card, which the card notices. */
    public void unplug() {
        plug(false);
    }

    /** Ends {@link #unplug}. */
    public void plugIn() {
        plug(true);
    }

    private void plug(final boolean isUp) {
        ask("set_link", "\"name\": \"" + rdmaCable() + "\", \"up\": " + isUp);
    }

    private String ask(final String command, final String arguments) {
        try (Monitor monitor = monitor()) {
            return monitor.ask(command, arguments);
        }
    }

    private Monitor monitor() {
        return new Monitor(network.file(file("monitor")));
    }

    /**
     * Moves it to another QEMU while it runs, as vMotion does: its memory is copied while it works on, then it stands for a moment, and
     * goes on there. Its addresses stay.
     *
     * @throws IllegalStateException with what QEMU said if it cannot be moved: guests of {@link Guests#movable} can
     */
    public void migrate() {
        if (!isMovable) {
            throw new IllegalStateException(name + " is not movable");
        }
        final Process left = process;
        try (Monitor source = monitor()) {
            moves++;
            final String socket = "unix:" + Network.FOLDER + "/" + file("move");
            lay(cable(), CARD_MTU);
            lay(rdmaCable(), SWITCH_MTU);
            process = startQemu(List.of("-incoming", socket));
            Script.await(this::isAsked, name + "'s new place");
            try (Monitor target = monitor()) {
                source.ask("migrate-set-parameters", "\"max-bandwidth\": " + Integer.MAX_VALUE);
                source.ask("migrate", "\"uri\": \"" + socket + "\"");
                Script.await(() -> hasLeft(source), name + "'s copy", PATIENCE_SECONDS);
                Script.await(() -> target.ask("query-status", "").contains("\"running\": true"), name + " elsewhere");
            }
            // Only now: what came before would wait in the card, and be received long after it has lost its meaning.
            set(cable(), "master", "switch");
            set(rdmaCable(), "master", "fabric");
        }
        Script.innermost(left.toHandle()).destroyForcibly();
    }

    private boolean isAsked() {
        try {
            monitor().close();
            return true;
        } catch (final UncheckedIOException e) {
            // Not yet.
            return false;
        }
    }

    /** Lays a cable that leads nowhere yet. */
    private void lay(final String cable, final int mtu) {
        Script.run(network.onSwitch(List.of("ip", "tuntap", "add", "dev", cable, "mode", "tap")));
        set(cable, "mtu", String.valueOf(mtu), "up");
    }

    private void set(final String cable, final String... how) {
        final List<String> words = new ArrayList<>(List.of("ip", "link", "set", "dev", cable));
        words.addAll(List.of(how));
        Script.run(network.onSwitch(words));
    }

    private boolean hasLeft(final Monitor source) {
        final String told = source.ask("query-migrate", "");
        if (told.contains("\"status\": \"failed\"")) {
            throw new IllegalStateException(name + " cannot be moved: " + told);
        }
        return told.contains("\"status\": \"completed\"");
    }

    /** Returns the last lines of its console, and what QEMU said. */
    public String console() {
        try {
            final Path file = network.file(file("console"));
            final List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - CONSOLE_LINES), lines.size()));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether it runs. */
    public boolean isUp() {
        return process.isAlive();
    }

    /** Ends the guest as a power cut does. */
    public void kill() {
        Script.innermost(process.toHandle()).destroyForcibly();
        try {
            process.waitFor(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
