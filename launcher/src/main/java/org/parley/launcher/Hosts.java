package org.parley.launcher;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.parley.transport.Reason;
import org.parley.wireup.HostName;
import org.parley.wireup.Placement;

/**
 * Where ranks may run, in the spellings of mpirun and mpiexec: {@code h}, {@code h:4}, {@code
 * user@h}, {@code [::1]:4}, and in files also {@code h slots=4 max_slots=8}.
 */
final class Hosts {
    private static final Set<String> HERE = Set.of("localhost", "127.0.0.1", "::1");
    private static final Pattern FORM =
            Pattern.compile("((?:[^@\\[\\]]+@)?)(?:\\[([^\\]]+)\\]|([^@:\\[\\]]+))(?::(.*))?");
    private static final Pattern WORD = Pattern.compile("(slots|max_slots|max-slots)=(.*)");

    /** Of an IPv6 address without brackets. */
    private static final Pattern ADDRESS =
            Pattern.compile("((?:[^@]+@)?)((?=[0-9a-fA-F.]*:[0-9a-fA-F.]*:)[0-9a-fA-F:.%\\w]*)");

    /** One of them, with what it takes. */
    private static final class Host {
        final String target;
        final String name;
        final boolean isHere;
        int slots;
        int most = Integer.MAX_VALUE;

        Host(final String target, final String name, final boolean isHere) {
            this.target = target;
            this.name = name;
            this.isHere = isHere;
        }
    }

    /**
     * Ranks on hosts.
     *
     * @param placement which rank is on which
     * @param targets each host as a remote shell knows it
     * @param local the number of this machine, or -1
     */
    record Layout(Placement placement, List<String> targets, int local) {

        /** Returns the numbers of all other machines. */
        List<Integer> remote() {
            final List<Integer> result = new ArrayList<>();
            for (int host = 0; host < targets.size(); host++) {
                if (host != local) {
                    result.add(host);
                }
            }
            return result;
        }
    }

    private final Map<String, Host> hosts = new LinkedHashMap<>();

    private Hosts() {}

    /**
     * Reads the values of {@code --host}.
     *
     * @param lists each with commas
     */
    static Hosts of(final List<String> lists) {
        final Hosts result = new Hosts();
        for (final String list : lists) {
            for (final String part : list.split(",", -1)) {
                if (part.isBlank()) {
                    throw new UsageException("--host " + Failures.clean(list)
                            + (list.isBlank() ? " names no host" : ": there is no host beside a comma"));
                }
                result.add(part.strip(), "--host " + Failures.clean(list));
            }
        }
        return result;
    }

    /** Reads a host file. */
    static Hosts ofFile(final Path file) {
        final Hosts result = new Hosts();
        try {
            int number = 0;
            for (final String line : Files.readAllLines(file)) {
                number++;
                final String text = line.replaceFirst("#.*", "").strip();
                if (!text.isEmpty()) {
                    result.add(text, Failures.clean(file.toString()) + " line " + number);
                }
            }
        } catch (final IOException e) {
            throw new UsageException("cannot read the host file " + file + ": " + Reason.of(e));
        }
        if (result.hosts.isEmpty()) {
            throw new UsageException("the host file " + file + " names no host");
        }
        return result;
    }

    /** Returns those of a file that are named on the command line, in that order. */
    Hosts only(final Hosts named) {
        if (named.hosts.isEmpty()) {
            return this;
        }
        final Hosts result = new Hosts();
        for (final Map.Entry<String, Host> entry : named.hosts.entrySet()) {
            final Host host = hosts.get(entry.getKey());
            if (host == null) {
                throw new UsageException("--host " + entry.getValue().name + ": the host file does not have it");
            }
            result.hosts.put(entry.getKey(), host);
        }
        return result;
    }

    private void add(final String text, final String where) {
        final String[] words = text.split("\\s+");
        Matcher form = ADDRESS.matcher(words[0]);
        final boolean isAddress = form.matches();
        if (!isAddress) {
            form = FORM.matcher(words[0]);
            if (!form.matches() || "".equals(form.group(4))) {
                throw new UsageException(where + ": " + Failures.clean(words[0]) + " is no host");
            }
        }
        final String user = form.group(1);
        final String name = form.group(2) != null ? form.group(2) : form.group(3);
        int slots = isAddress || form.group(4) == null ? 1 : slots(form.group(4), where);
        int most = Integer.MAX_VALUE;
        for (int i = 1; i < words.length; i++) {
            final Matcher word = WORD.matcher(words[i]);
            if (!word.matches()) {
                throw new UsageException(where + ": what is " + Failures.clean(words[i]) + "?");
            }
            if (word.group(1).equals("slots")) {
                slots = slots(word.group(2), where);
            } else {
                most = slots(word.group(2), where);
            }
        }
        if ((user + name).startsWith("-") || !(user + name).equals(Failures.clean(user + name))) {
            throw new UsageException(where + ": " + Failures.clean(words[0]) + " is no host");
        }
        final boolean isHere = user.isEmpty() && isHere(name);
        final Host host = hosts.computeIfAbsent(
                isHere ? "" : user + name, key -> new Host(user + name, isHere ? HostName.own() : name, isHere));
        host.slots = Math.min(RunOptions.MOST_RANKS, host.slots + Math.min(slots, most));
        host.most = Math.min(host.most, most);
    }

    private static int slots(final String text, final String where) {
        try {
            final int slots = Integer.parseInt(text);
            if (slots > 0 && slots <= RunOptions.MOST_RANKS) {
                return slots;
            }
        } catch (final NumberFormatException e) {
            // Said below.
        }
        throw new UsageException(
                where + ": " + Failures.clean(text) + " is no number of slots from 1 to " + RunOptions.MOST_RANKS);
    }

    /** Whether a name is this machine's, as far as that can be told without asking the network. */
    private static boolean isHere(final String name) {
        final String own = HostName.own();
        final boolean isOwn = name.equals(own) || own.startsWith(name + ".");
        return HERE.contains(name) || isOwn || isOwnAddress(name);
    }

    private static boolean isOwnAddress(final String name) {
        if (!name.matches("[0-9.]+|.*:.*")) {
            return false;
        }
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .anyMatch(address -> address.getHostAddress().equals(name));
        } catch (final SocketException e) {
            return false;
        }
    }

    /**
     * Puts ranks on hosts.
     *
     * @param asked how many; 0: as many as there are slots
     * @param otherwise how many if the user says nothing of hosts either
     * @param perHost at most so many on each, which then are its slots; 0: as each host says
     * @param inTurn whether hosts take ranks in turn, not one after the other
     */
    Layout place(final int asked, final int otherwise, final int perHost, final boolean inTurn) {
        final List<Host> all = new ArrayList<>(hosts.values());
        if (all.isEmpty()) {
            final Host here = new Host("localhost", HostName.own(), true);
            here.slots = perHost > 0 ? perHost : otherwise;
            all.add(here);
        }
        final int[] slots = new int[all.size()];
        final int[] most = new int[all.size()];
        long total = 0;
        for (int i = 0; i < slots.length; i++) {
            most[i] = Math.min(all.get(i).most, perHost > 0 ? perHost : Integer.MAX_VALUE);
            slots[i] = Math.min(most[i], perHost > 0 ? perHost : all.get(i).slots);
            total += slots[i];
        }
        if (asked == 0 && total > RunOptions.MOST_RANKS) {
            throw new UsageException("the hosts have " + total + " slots, and a job at most " + RunOptions.MOST_RANKS
                    + " ranks: -n says how many");
        }
        final int ranks = asked > 0 ? asked : (int) total;
        final List<Integer> order = inTurn ? inTurn(ranks, slots, most) : oneByOne(ranks, slots, most);
        if (order.size() < ranks) {
            throw new UsageException(ranks + " ranks do not fit on " + all.size()
                    + (all.size() == 1 ? " host" : " hosts")
                    + (perHost > 0 ? " with -ppn " + perHost : ": the host file's max_slots allow " + order.size()));
        }
        return layout(all, order);
    }

    /** A rank for each host in turn: first within slots, then, where these do not suffice, beyond. */
    private static List<Integer> inTurn(final int ranks, final int[] slots, final int[] most) {
        final int[] count = new int[slots.length];
        final List<Integer> order = new ArrayList<>();
        for (final int[] limit : List.of(slots, most)) {
            for (boolean isFull = false; order.size() < ranks && !isFull; ) {
                isFull = true;
                for (int host = 0; host < count.length && order.size() < ranks; host++) {
                    if (count[host] < limit[host]) {
                        count[host]++;
                        order.add(host);
                        isFull = false;
                    }
                }
            }
        }
        return order;
    }

    /** Slots of a host after the other; what is beyond them in turn, and then neighbours stay together. */
    private static List<Integer> oneByOne(final int ranks, final int[] slots, final int[] most) {
        final int[] count = new int[slots.length];
        int left = ranks;
        for (int host = 0; host < count.length; host++) {
            count[host] = Math.min(left, slots[host]);
            left -= count[host];
        }
        for (boolean isFull = false; left > 0 && !isFull; ) {
            isFull = true;
            for (int host = 0; host < count.length && left > 0; host++) {
                if (count[host] < most[host]) {
                    count[host]++;
                    left--;
                    isFull = false;
                }
            }
        }
        final List<Integer> order = new ArrayList<>();
        for (int host = 0; host < count.length; host++) {
            for (int i = 0; i < count[host]; i++) {
                order.add(host);
            }
        }
        return order;
    }

    /** Hosts without ranks are none of the job's. */
    private static Layout layout(final List<Host> all, final List<Integer> order) {
        final List<String> names = new ArrayList<>();
        final List<String> targets = new ArrayList<>();
        final int[] number = new int[all.size()];
        int local = -1;
        final Set<Integer> used = Set.copyOf(order);
        for (int host = 0; host < number.length; host++) {
            if (used.contains(host)) {
                number[host] = names.size();
                local = all.get(host).isHere ? names.size() : local;
                names.add(all.get(host).name);
                targets.add(all.get(host).target);
            }
        }
        return new Layout(
                new Placement(
                        names, order.stream().mapToInt(host -> number[host]).toArray()),
                targets,
                local);
    }
}
