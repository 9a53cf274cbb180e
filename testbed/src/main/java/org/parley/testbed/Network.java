package org.parley.testbed;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Hosts {@code node-a}, {@code node-b}, ... that a switch connects. All of it, addresses included,
 * is in namespaces whose first process ends with this JVM, however that ends; networks at the same
 * time have nothing in common. Hosts see this machine's files, but each has a /tmp and a /dev/shm of
 * its own, and all those of one network share {@link #FOLDER}.
 *
 * <p>Any thread.
 */
public final class Network implements AutoCloseable {
    /** Where each host finds the network's files, those of ssh among them; a folder to run jobs in. */
    public static final Path FOLDER = Path.of("/run/testbed");

    /** The command that logs in from one host of a network to another. */
    public static final String SSH = "ssh -F " + FOLDER + "/ssh_config";

    /** What makes namespaces that end with the command that made them. */
    static final List<String> UNSHARE =
            List.of("unshare", "--mount", "--pid", "--ipc", "--uts", "--mount-proc", "--fork", "--kill-child");

    private static final List<String> TOOLS =
            List.of("ip", "bridge", "tc", "ss", "unshare", "nsenter", "ssh", "ssh-keygen");
    private static final String TRIAL = "mount -t tmpfs trial /run && ip link add name trial type bridge"
            + " && ip link add name one type veth peer name other";
    private static final Path SSHD = Path.of("/usr/sbin/sshd");
    private static final long CLOSE_SECONDS = 10;

    /** How names and addresses are. */
    public enum Addressing {
        /** Addresses of IPv4 (IPv6 on the link only, as everywhere); names in /etc/hosts. */
        IPV4,
        /** Addresses of IPv6 only. */
        IPV6,
        /** As {@link #IPV4}, but only ssh's configuration knows the names. */
        NAMELESS
    }

    private final Process process;
    private final ProcessHandle switchInit;
    private final List<Host> hosts = new ArrayList<>();

    private Network(final List<String> names, final Addressing addressing) {
        final List<String> words = new ArrayList<>(UNSHARE);
        words.add("--net");
        words.addAll(Script.words("network.sh"));
        words.add(addressing.name());
        words.addAll(names);
        process = Script.start(words);
        switchInit = Script.awaitReady(process, "the network");
    }

    /**
     * Says what this machine lacks for a network.
     *
     * @return the reason why there can be none, or nothing
     */
    public static Optional<String> lacks() {
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("only root can make hosts of namespaces");
        }
        final List<String> missing = new ArrayList<>();
        TOOLS.stream().filter(tool -> !isOnPath(tool)).forEach(missing::add);
        if (!Files.isExecutable(SSHD)) {
            missing.add(SSHD.toString());
        }
        if (!missing.isEmpty()) {
            return Optional.of("hosts of namespaces need " + String.join(", ", missing)
                    + " (Debian: apt-get install iproute2 util-linux openssh-client openssh-server)");
        }
        try {
            Script.run(List.of("unshare", "--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "sh", "-c", TRIAL));
            return Optional.empty();
        } catch (final IllegalStateException e) {
            return Optional.of("hosts of namespaces cannot be made here (in a container?): " + e.getMessage());
        }
    }

    static boolean isOnPath(final String tool) {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
    }

    /**
     * Starts hosts.
     *
     * @param count how many, 1 to 26
     * @param addressing how names and addresses are
     * @throws IllegalStateException with what the machine said, if it cannot
     */
    public static Network of(final int count, final Addressing addressing) {
        final List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add("node-" + (char) ('a' + i));
        }
        final Network network = new Network(names, addressing);
        try {
            final String prefix = addressing == Addressing.IPV6 ? "fd77::" : "10.77.0.";
            for (int i = 0; i < count; i++) {
                network.hosts.add(new Host(network, names.get(i), prefix + (i + 1)));
            }
            network.hosts.forEach(Host::awaitReady);
            return network;
        } catch (final RuntimeException e) {
            network.close();
            throw e;
        }
    }

    /** Returns the hosts, in the order of their letters. */
    public List<Host> hosts() {
        return List.copyOf(hosts);
    }

    /**
     * Returns a host.
     *
     * @param index from 0
     */
    public Host host(final int index) {
        return hosts.get(index);
    }

    /**
     * Returns where this process finds a file that hosts find in {@link #FOLDER}.
     *
     * @param name its name there
     */
    public Path file(final String name) {
        return Path.of("/proc/" + switchInit.pid() + "/root" + FOLDER).resolve(name);
    }

    /**
     * Returns a command that runs where the switch is, an interface {@code switch} that has a port
     * named after each host.
     *
     * @param words the command there
     */
    List<String> onSwitch(final List<String> words) {
        final List<String> command = new ArrayList<>(List.of("nsenter", "--all", "--target=" + switchInit.pid()));
        command.addAll(words);
        return command;
    }

    /** Ends all processes of all hosts, and with them the hosts and the network. */
    @Override
    public void close() {
        switchInit.destroyForcibly();
        try {
            process.waitFor(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
