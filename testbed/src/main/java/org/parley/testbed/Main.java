package org.parley.testbed;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * {@code [DEVICE] COUNT [COMMAND...]}: runs a command, or a shell, on the first of so many hosts; with a device, on a
 * host beside so many guests that have it.
 */
public final class Main {
    private static final int USAGE = 2;
    private static final int MOST_HOSTS = 26;

    private Main() {}

    /**
     * Runs it; the exit code is the command's.
     *
     * @param arguments as above
     */
    public static void main(final String[] arguments) throws Exception {
        final Optional<Guests.Device> device = device(arguments);
        final int at = device.isPresent() ? 1 : 0;
        final int most = device.isPresent() ? Guests.MOST : MOST_HOSTS;
        final int count =
                arguments.length > at && arguments[at].matches("\\d{1,2}") ? Integer.parseInt(arguments[at]) : 0;
        if (count < 1 || count > most) {
            System.err.println(
                    device.isPresent()
                            ? "usage: testbed/guests [rxe|vmxnet3|pvrdma] COUNT [COMMAND...]   (1 to " + most
                                    + " guests)"
                            : "usage: testbed/hosts COUNT [COMMAND...]   (1 to " + most + " hosts)");
            System.exit(USAGE);
        }
        final Optional<String> lack = device.map(Guests::lacks).orElseGet(Network::lacks);
        if (lack.isPresent()) {
            System.err.println(lack.get());
            System.exit(1);
        }
        final List<String> rest = Arrays.asList(arguments).subList(at + 1, arguments.length);
        final List<String> command = rest.isEmpty() ? List.of("bash") : rest;
        final int code;
        if (device.isPresent()) {
            try (Guests guests = Guests.of(count, device.get())) {
                code = run(guests.head(), command);
            }
        } else {
            try (Network network = Network.of(count, Network.Addressing.IPV4)) {
                code = run(network.host(0), command);
            }
        }
        System.exit(code);
    }

    private static Optional<Guests.Device> device(final String[] arguments) {
        return Arrays.stream(Guests.Device.values())
                .filter(device -> arguments.length > 0
                        && device.name().toLowerCase(Locale.ROOT).equals(arguments[0]))
                .findFirst();
    }

    private static int run(final Host host, final List<String> command) throws Exception {
        final ProcessBuilder builder = new ProcessBuilder(
                host.commandIn(Path.of(System.getProperty("user.dir")), command.toArray(String[]::new)));
        builder.environment().put("TESTBED_SSH", Network.SSH);
        return builder.inheritIO().start().waitFor();
    }
}
