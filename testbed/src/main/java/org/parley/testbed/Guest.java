package org.parley.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A virtual machine of {@link Guests}, and what may happen to it. Any thread. */
public final class Guest {
    /** The network card that RDMA runs over, as guests name it; {@code lan0} is the other one. */
    public static final String RDMA_CARD = "rdma0";

    private static final String MEMORY = "640M";
    private static final long PATIENCE_SECONDS = 240;
    private static final int CLOSE_SECONDS = 10;
    private static final int CONSOLE_LINES = 30;

    /** A login to an emulated machine takes a second, a command over a login that is there already does not. */
    private static final List<String> SHARED_LOGIN =
            List.of("-o", "ControlPath=" + Network.FOLDER + "/%n.login", "-o", "ServerAliveInterval=0");

    private final Network network;
    private final int number;
    private final Guests.Device device;
    private final String name;
    private Process process;

    Guest(final Network network, final int index, final Guests.Device device) {
        this.network = network;
        this.number = index + 1;
        this.device = device;
        this.name = "guest-" + (char) ('a' + index);
    }

    void start(final Path image) {
        // A session of its own: Linux shares processors between sessions, as it shares them between hosts' jobs.
        final List<String> words = new ArrayList<>(List.of("setsid", "--wait"));
        if (device.isPvrdma()) {
            words.addAll(List.of("env", "LD_PRELOAD=" + image.resolve("fabric.so")));
            words.add("FABRIC=" + Network.FOLDER + "/fabric");
            words.add("FABRIC_MUX=" + mux());
        }
        words.addAll(List.of("qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"));
        words.addAll(List.of("-machine", device.isPvrdma() ? "pc" : "q35"));
        words.addAll(List.of("-accel", "tcg,thread=multi", "-cpu", "max", "-m", MEMORY));
        words.addAll(List.of("-kernel", image.resolve("vmlinuz").toString()));
        words.addAll(List.of("-initrd", image.resolve("initrd").toString(), "-append", parameters()));
        words.addAll(List.of("-serial", "file:" + Network.FOLDER + "/" + name + ".console"));
        words.addAll(List.of("-device", "virtio-rng-pci"));
        words.addAll(folder("root", "/", true));
        words.addAll(folder("layer", image.resolve("layer").toString(), true));
        words.addAll(folder("testbed", Network.FOLDER.toString(), false));
        words.addAll(card("virtio-net-pci", name, "52:54:00:77:00:0" + number, ",romfile="));
        final String rdmaAddress = "52:54:00:78:00:0" + number;
        if (device.isPvrdma()) {
            words.addAll(card(device.card(), name + "-rdma", rdmaAddress, ",addr=10.0,multifunction=on,romfile="));
            words.addAll(List.of("-object", "memory-backend-ram,id=memory,share=on,size=" + MEMORY));
            words.addAll(List.of("-machine", "memory-backend=memory", "-chardev", "socket,id=mux,path=" + mux()));
            words.addAll(List.of("-device", "pvrdma,addr=10.1,ibdev=fabric,netdev=none,mad-chardev=mux"));
        } else {
            words.addAll(card(device.card(), name + "-rdma", rdmaAddress, ",romfile="));
        }
        process = Script.start(network.onSwitch(words));
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
                "guest.mtu=1500");
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
        final Path log = network.file(name + ".log");
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

    /** Stops it as a hypervisor does that moves it elsewhere: nobody in it notices. */
    public void freeze() {
        signal("STOP", qemu());
        Script.await(() -> isStopped(qemu()) && isStopped(process.toHandle()), name + "'s standstill");
    }

    private static boolean isStopped(final ProcessHandle process) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            for (final Path thread : threads.toList()) {
                final String stat = Files.readString(thread.resolve("stat"));
                if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
                    return false;
                }
            }
            return true;
        }
    }

    private ProcessHandle qemu() {
        return Script.innermost(process.toHandle());
    }

    /** Ends {@link #freeze}. */
    public void thaw() {
        signal("CONT", qemu());
        // What has entered the namespaces stops with what it waits for, but does not go on with it.
        signal("CONT", process.toHandle());
    }

    private static void signal(final String what, final ProcessHandle to) {
        Script.run(List.of("kill", "-" + what, String.valueOf(to.pid())));
    }

    /** Returns the last lines of its console, and what QEMU said. */
    public String console() {
        try {
            final Path file = network.file(name + ".console");
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
        qemu().destroyForcibly();
        try {
            process.waitFor(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
