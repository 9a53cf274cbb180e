package org.parley.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Virtual machines {@code guest-a}, {@code guest-b}, ... with real RDMA verbs, and a host of namespaces,
 * {@link #head()}, to start jobs from; one switch connects them all, and a second one the guests' network
 * cards for RDMA. Guests run Debian's kernel in QEMU's software emulation. They see this machine's files as
 * they are at the start, and write to copies; {@link Network#FOLDER} alone they share with the head, and
 * with each other. All of it ends with this JVM, however that ends.
 *
 * <p>Emulated processors say nothing about speed. Any thread.
 */
public final class Guests implements AutoCloseable {
    /** How many there may be. */
    public static final int MOST = 8;

    private static final String QEMU = "qemu-system-x86_64";
    private static final Path CACHE = Path.of(System.getProperty("user.home"), ".cache", "parley", "testbed");
    private static final List<String> SOURCES =
            List.of("guest-image.sh", "guest-init.sh", "guest.sh", "guest-fabric.c");

    /** What guests start from that move, in {@link Network#FOLDER}. */
    static final String MOVABLE = "movable.initrd";

    /** The code with which the image's script ends where this machine cannot have one. */
    private static final int LACKS = 3;

    private static final long IMAGE_MINUTES = 10;

    /** What makes verbs in a guest. */
    public enum Device {
        /** Soft-RoCE on a network card of virtio. */
        RXE("rxe0", "virtio-net-pci", "virtio_net"),
        /** Soft-RoCE on VMware's paravirtual network card. */
        VMXNET3("rxe0", "vmxnet3", "vmxnet3"),
        /** VMware's paravirtual RDMA device as QEMU emulates it: SEND and RECV only, no events. */
        PVRDMA("vmw_pvrdma0", "vmxnet3", "vmxnet3");

        private final String verbs;
        private final String card;
        private final String module;

        Device(final String verbs, final String card, final String module) {
            this.verbs = verbs;
            this.card = card;
            this.module = module;
        }

        /** Returns the name of the verbs device in a guest. */
        public String verbs() {
            return verbs;
        }

        /** Returns QEMU's name of the network card. */
        String card() {
            return card;
        }

        /** Returns the card's driver in the guest. */
        String module() {
            return module;
        }

        /** Whether an RDMA device of QEMU's shares the card's slot. */
        boolean isPvrdma() {
            return this == PVRDMA;
        }
    }

    private final Network network = Network.of(1, Network.Addressing.IPV4);
    private final List<Guest> guests = new ArrayList<>();

    private Guests() {}

    /**
     * Says what this machine lacks for guests, after it has tried to make what they boot from: where that is
     * not done already it takes a minute or two and the network.
     *
     * @param device what they are to have
     * @return the reason why there can be none, or nothing
     */
    public static Optional<String> lacks(final Device device) {
        final Optional<String> lack = Network.lacks();
        if (lack.isPresent()) {
            return lack;
        }
        if (!Network.isOnPath(QEMU)) {
            return Optional.of("guests need QEMU (Debian: apt-get install qemu-system-x86)");
        }
        try {
            if (!Files.readString(Path.of("/proc/misc")).contains(" tun\n")) {
                return Optional.of("guests need the kernel's driver tun (modprobe tun)");
            }
            final Image image = Image.make();
            if (image.lack().isPresent()) {
                return image.lack();
            }
            final String ofPvrdma =
                    Files.readString(image.folder().resolve("pvrdma.lacks")).strip();
            return device.isPvrdma() && !ofPvrdma.isEmpty() ? Optional.of(ofPvrdma) : Optional.empty();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Starts guests, and waits until they take logins.
     *
     * @param count how many, 1 to {@link #MOST}
     * @param device what they have
     * @throws IllegalStateException with a guest's console if it does not start
     */
    public static Guests of(final int count, final Device device) {
        return start(count, device, null);
    }

    /**
     * Starts guests with Soft-RoCE that {@link Guest#migrate} moves. They share no file with this machine, but have copies of this
     * JVM's JDK, of the usual commands, and of some more.
     *
     * @param count how many, 1 to {@link #MOST}
     * @param files more files, and folders
     * @throws IllegalStateException with a guest's console if it does not start
     */
    public static Guests movable(final int count, final List<Path> files) {
        return start(count, Device.RXE, files);
    }

    private static Guests start(final int count, final Device device, final List<Path> files) {
        final Path image;
        try {
            image = Image.make().folder();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        final Guests all = new Guests();
        try {
            final List<String> cables = new ArrayList<>(Script.words("guests.sh"));
            for (int i = 0; i < count; i++) {
                final Guest guest = new Guest(all.network, i, device, files != null);
                all.guests.add(guest);
                cables.addAll(List.of(guest.name(), guest.address(), guest.rdmaAddress()));
            }
            Script.run(all.network.onSwitch(cables));
            if (files != null) {
                final List<String> root = new ArrayList<>(Script.words("guest-root.sh"));
                root.addAll(List.of(image.toString(), System.getProperty("java.home")));
                files.forEach(file -> root.add(file.toAbsolutePath().toString()));
                Script.run(all.network.onSwitch(root));
            }
            all.guests.forEach(guest -> guest.start(image));
            all.guests.forEach(Guest::awaitReady);
            return all;
        } catch (final RuntimeException e) {
            all.close();
            throw e;
        }
    }

    /** Returns the host, not a virtual machine, that jobs are started from. */
    public Host head() {
        return network.host(0);
    }

    /** Returns the guests, in the order of their letters. */
    public List<Guest> guests() {
        return List.copyOf(guests);
    }

    /**
     * Returns a guest.
     *
     * @param index from 0
     */
    public Guest guest(final int index) {
        return guests.get(index);
    }

    /** Returns the command that logs in from the head to a guest, and from a guest to another. */
    public String ssh() {
        return Network.SSH;
    }

    /**
     * Returns where this process finds a file that guests and the head find in {@link Network#FOLDER}.
     *
     * @param name its name there
     */
    public Path file(final String name) {
        return network.file(name);
    }

    @Override
    public void close() {
        network.close();
    }

    /** What guests boot from: a folder, or the reason why there is none. */
    private record Image(Path folder, Optional<String> lack) {
        static Image make() throws IOException {
            final Path sources = Files.createTempDirectory("parley-testbed");
            try {
                for (final String source : SOURCES) {
                    Script.copy(source, sources.resolve(source));
                }
                final Path out = sources.resolve("out");
                final Path err = sources.resolve("err");
                final Process process = new ProcessBuilder(
                                "sh", sources.resolve(SOURCES.get(0)).toString(), CACHE.toString())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
                process.getOutputStream().close();
                if (!process.waitFor(IMAGE_MINUTES, TimeUnit.MINUTES)) {
                    process.descendants().forEach(ProcessHandle::destroyForcibly);
                    process.destroyForcibly();
                    throw new IllegalStateException(
                            "guests' image is not made in " + IMAGE_MINUTES + " minutes; see " + CACHE + "/build.log");
                }
                final String said = Files.readString(err).strip();
                return switch (process.exitValue()) {
                    case 0 -> new Image(Path.of(Files.readString(out).strip()), Optional.empty());
                    case LACKS -> new Image(null, Optional.of(said));
                    default -> throw new IllegalStateException("guests' image cannot be made: " + said);
                };
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while guests' image is made", e);
            } finally {
                for (final Path file : filesOf(sources)) {
                    Files.delete(file);
                }
                Files.delete(sources);
            }
        }

        private static List<Path> filesOf(final Path folder) {
            return Arrays.stream(folder.toFile().listFiles())
                    .map(java.io.File::toPath)
                    .toList();
        }
    }
}
