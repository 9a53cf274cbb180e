package org.parley.testbed;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A host of a {@link Network}, and what may happen to it. Any thread. */
public final class Host {
    private static final String INTERFACE = "eth0";

    /** An address of nobody: what is sent there arrives nowhere, and nobody says so. */
    private static final String NOBODY = "02:00:00:00:00:99";

    private static final int CLOSE_SECONDS = 10;

    private final Network network;
    private final String name;
    private final String address;
    private final Process process;
    private ProcessHandle init;

    Host(final Network network, final String name, final String address) {
        this.network = network;
        this.name = name;
        this.address = address;
        final List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", name));
        words.addAll(Network.UNSHARE);
        words.addAll(Script.words("host.sh"));
        words.add(name);
        words.addAll(visible());
        process = Script.start(network.onSwitch(words));
    }

    /** Where we are, this JVM, and the distribution under test: hosts run the same. Folders come before what is in them. */
    private static List<String> visible() {
        final List<String> paths =
                new ArrayList<>(List.of(System.getProperty("java.class.path").split(":")));
        paths.add(System.getProperty("java.home"));
        paths.add(System.getProperty("user.dir"));
        paths.add(System.getProperty("test.dist", "/"));
        return paths.stream()
                .map(path -> Path.of(path).toAbsolutePath().toString())
                .sorted()
                .toList();
    }

    void awaitReady() {
        init = Script.awaitReady(process, name);
        final String listens = "Server listening on " + (address.contains(":") ? "::" : "0.0.0.0");
        Script.await(() -> Files.readString(network.file(name + ".log")).contains(listens), name + "'s sshd");
    }

    /** Returns its name, as {@code hostname} prints it there. */
    public String name() {
        return name;
    }

    /** Returns its address in the network. */
    public String address() {
        return address;
    }

    /** Returns the id of its first process, which its other processes end with. */
    public long pid() {
        return init.pid();
    }

    /**
     * Returns a command that runs another on this host, in {@link Network#FOLDER}.
     *
     * @param words what runs there
     */
    public List<String> command(final String... words) {
        return commandIn(Network.FOLDER, words);
    }

    List<String> commandIn(final Path folder, final String... words) {
        final List<String> command =
                new ArrayList<>(List.of("nsenter", "--all", "--target=" + pid(), "env", "--chdir=" + folder));
        command.addAll(List.of(words));
        return command;
    }

    /**
     * Runs a command on this host.
     *
     * @param words a command that ends soon
     * @return what it printed
     * @throws IllegalStateException with that if it ended with another code than 0
     */
    public String run(final String... words) {
        return Script.run(command(words));
    }

    /** Lets nothing through the host's cable, in either direction; nobody notices by itself. */
    public void isolate() {
        port("disabled");
    }

    /** Ends {@link #isolate}. */
    public void rejoin() {
        port("forwarding");
    }

    private void port(final String state) {
        Script.run(network.onSwitch(List.of("bridge", "link", "set", "dev", name, "state", state)));
    }

    /**
     * Lets nothing through between this host and another, in either direction.
     *
     * @param other which
     */
    public void cut(final Host other) {
        misdirect(other);
        other.misdirect(this);
    }

    private void misdirect(final Host other) {
        run("ip", "neighbour", "replace", other.address, "lladdr", NOBODY, "dev", INTERFACE, "nud", "permanent");
    }

    /**
     * Ends {@link #cut}.
     *
     * @param other the same
     */
    public void heal(final Host other) {
        run("ip", "neighbour", "delete", other.address, "dev", INTERFACE);
        other.run("ip", "neighbour", "delete", address, "dev", INTERFACE);
    }

    /**
     * Takes the way to another host, so that connecting fails at once.
     *
     * @param other which
     */
    public void loseRouteTo(final Host other) {
        run("ip", "route", "add", "unreachable", other.address);
    }

    /**
     * Ends {@link #loseRouteTo}.
     *
     * @param other the same
     */
    public void regainRouteTo(final Host other) {
        run("ip", "route", "delete", "unreachable", other.address);
    }

    /**
     * Slows what this host sends.
     *
     * @param rate as tc writes it: {@code 1mbit}
     */
    public void slow(final String rate) {
        run(("tc qdisc replace dev eth0 root tbf rate " + rate + " burst 32kb latency 400ms").split(" "));
    }

    /** Ends {@link #slow}. */
    public void fullSpeed() {
        run("tc", "qdisc", "delete", "dev", INTERFACE, "root");
    }

    /**
     * Adds an interface that is up and has an address, and whose cable ends at the switch's feet.
     *
     * @param device its name
     * @param itsAddress with the length of its prefix
     */
    public void addDeadEnd(final String device, final String itsAddress) {
        run("ip", "link", "add", "name", device, "type", "veth", "peer", "name", device + "-end");
        run("ip", "link", "set", "dev", device + "-end", "up");
        up(device, itsAddress);
    }

    /**
     * Adds a bridge that nothing is connected to, as Docker does.
     *
     * @param device its name
     * @param itsAddress with the length of its prefix
     */
    public void addBridge(final String device, final String itsAddress) {
        run("ip", "link", "add", "name", device, "type", "bridge");
        up(device, itsAddress);
    }

    private void up(final String device, final String itsAddress) {
        run("ip", "address", "add", itsAddress, "dev", device);
        run("ip", "link", "set", "dev", device, "up");
    }

    /**
     * Removes an interface that was added.
     *
     * @param device its name
     */
    public void remove(final String device) {
        run("ip", "link", "delete", "dev", device);
    }

    /** Returns the TCP ports that programs listen at, sshd's excepted. */
    public List<Integer> listening() {
        return run("ss", "--no-header", "--tcp", "--listening", "--numeric")
                .lines()
                .map(line -> line.split("\\s+")[3])
                .map(local -> Integer.valueOf(local.substring(local.lastIndexOf(':') + 1)))
                .filter(port -> port != 22)
                .distinct()
                .sorted()
                .toList();
    }

    /** Whether it runs. */
    public boolean isUp() {
        return init.isAlive();
    }

    /** Ends the host as a power cut does: all its processes at once. Its cable stays. */
    public void kill() {
        init.destroyForcibly();
        try {
            process.waitFor(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
