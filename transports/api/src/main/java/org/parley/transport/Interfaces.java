package org.parley.transport;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * On which of this machine's addresses a rank listens. By itself: on those of all interfaces that are
 * up, but not on bridges of containers and virtual machines, which lead nowhere from outside; on the
 * loopback where all ranks are on this machine, or where there is nothing else. Any thread.
 */
public final class Interfaces {
    /** Option that names interfaces or networks to listen on; empty: choose. */
    public static final String OPTION = "tcp.interfaces";

    private static final Pattern VIRTUAL = Pattern.compile("(docker|virbr|br-|veth|cni|flannel|lxc).*");
    private static final Pattern CIDR = Pattern.compile("([0-9a-fA-F.:]+)/(\\d{1,3})");

    /**
     * One address of one interface.
     *
     * @param name the interface's
     * @param address the address
     * @param prefix bits of it that name its network
     * @param loopback whether nobody else can reach it
     * @param virtual whether it is a bridge inside this machine
     */
    public record Local(String name, InetAddress address, int prefix, boolean loopback, boolean virtual) {}

    private Interfaces() {}

    /**
     * Looks at this machine.
     *
     * @throws TransportException if that cannot be
     */
    public static List<Local> ofThisMachine() {
        final List<Local> all = new ArrayList<>();
        try {
            for (final NetworkInterface nic :
                    NetworkInterface.networkInterfaces().toList()) {
                if (!nic.isUp()) {
                    continue;
                }
                final boolean virtual = VIRTUAL.matcher(nic.getName()).matches()
                        || Files.isDirectory(Path.of("/sys/class/net", nic.getName(), "bridge"));
                for (final InterfaceAddress address : nic.getInterfaceAddresses()) {
                    all.add(new Local(
                            nic.getName(),
                            address.getAddress(),
                            address.getNetworkPrefixLength(),
                            nic.isLoopback(),
                            virtual));
                }
            }
        } catch (final SocketException e) {
            throw new TransportException("cannot list this machine's network interfaces: " + e.getMessage(), e);
        }
        return all;
    }

    /**
     * Chooses addresses to listen on.
     *
     * @param all this machine's
     * @param wish option {@code tcp.interfaces}
     * @param isOneMachine whether all ranks are here
     * @return at least one
     * @throws TransportException if the wish names nothing that is there
     */
    public static List<InetAddress> choose(final List<Local> all, final String wish, final boolean isOneMachine) {
        final String text = wish.strip();
        final boolean excludes = text.startsWith("^");
        final List<String> names = new ArrayList<>();
        for (final String part : (excludes ? text.substring(1) : text).split(",")) {
            if (!part.isBlank()) {
                check(all, part.strip());
                names.add(part.strip());
            }
        }
        if (!excludes && !names.isEmpty()) {
            return addresses(all.stream()
                    .filter(local -> names.stream().anyMatch(name -> matches(local, name)))
                    .toList());
        }
        final List<Local> rest = all.stream()
                .filter(local -> names.stream().noneMatch(name -> matches(local, name)))
                .toList();
        final List<InetAddress> outside = addresses(rest.stream()
                .filter(local -> !local.loopback()
                        && !local.virtual()
                        && !local.address().isLinkLocalAddress())
                .toList());
        final List<InetAddress> inside =
                addresses(rest.stream().filter(Local::loopback).toList());
        final List<InetAddress> chosen = isOneMachine && !inside.isEmpty() || outside.isEmpty() ? inside : outside;
        if (chosen.isEmpty()) {
            throw new TransportException(
                    "tcp.interfaces=" + wish + " leaves no address to listen on; there are " + listed(all));
        }
        return isOneMachine && chosen == inside ? chosen.subList(0, 1) : chosen;
    }

    private static List<InetAddress> addresses(final List<Local> locals) {
        return locals.stream()
                .map(Local::address)
                .sorted(Comparator.comparing(Inet6Address.class::isInstance))
                .toList();
    }

    private static void check(final List<Local> all, final String part) {
        if (all.stream().noneMatch(local -> matches(local, part))) {
            throw new TransportException("tcp.interfaces names \"" + part
                    + "\", which is no interface of this machine that is up, nor a network that one is in"
                    + " (as 10.1.0.0/16); there are " + listed(all));
        }
    }

    private static String listed(final List<Local> all) {
        return String.join(
                ", ",
                all.stream()
                        .map(local -> local.name() + " "
                                + local.address().getHostAddress().replaceAll("%.*", "") + "/" + local.prefix())
                        .toList());
    }

    private static boolean matches(final Local local, final String part) {
        if (local.name().equals(part)) {
            return true;
        }
        final var cidr = CIDR.matcher(part);
        if (!cidr.matches()) {
            return false;
        }
        try {
            // Digits only: no name is looked up.
            return isWithin(local.address(), InetAddress.getByName(cidr.group(1)), Integer.parseInt(cidr.group(2)));
        } catch (final UnknownHostException e) {
            return false;
        }
    }

    private static boolean isWithin(final InetAddress address, final InetAddress network, final int prefix) {
        final byte[] a = address.getAddress();
        final byte[] b = network.getAddress();
        if (a.length != b.length || prefix > 8 * a.length) {
            return false;
        }
        for (int bit = 0; bit < prefix; bit++) {
            if (((a[bit / 8] ^ b[bit / 8]) >> 7 - bit % 8 & 1) != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Orders a peer's sockets: those in a network of this machine first.
     *
     * @param sockets the peer's
     * @param mine this machine's addresses
     */
    public static List<InetSocketAddress> nearestFirst(final List<InetSocketAddress> sockets, final List<Local> mine) {
        return sockets.stream()
                .sorted(Comparator.comparing(socket -> mine.stream()
                        .noneMatch(local ->
                                !local.loopback() && isWithin(socket.getAddress(), local.address(), local.prefix()))))
                .toList();
    }

    /**
     * Returns a socket's address for people.
     *
     * @param address the socket's
     */
    public static String nameOf(final SocketAddress address) {
        if (!(address instanceof InetSocketAddress socket) || socket.getAddress() == null) {
            return String.valueOf(address);
        }
        final String host = socket.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + socket.getPort();
    }
}
