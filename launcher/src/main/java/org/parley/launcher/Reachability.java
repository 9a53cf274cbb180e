package org.parley.launcher;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.parley.config.Options;
import org.parley.transport.Interfaces;
import org.parley.transport.TransportException;

/**
 * For a preflight: listens at a port of this host, and tries those of others. Who connects is closed
 * at once; nothing is read.
 */
final class Reachability implements AutoCloseable {
    private static final int CONNECT_MILLIS = 3000;
    private static final int STACK = 128 * 1024;

    private final ServerSocket server;
    private final String interfaces;

    /**
     * Begins to listen.
     *
     * @param environment the job's variables, among them which interfaces are to be used
     */
    Reachability(final Map<String, String> environment) {
        interfaces = environment.getOrDefault(Options.variableOf(Interfaces.OPTION), "");
        ServerSocket made = null;
        try {
            made = new ServerSocket(0);
        } catch (final IOException e) {
            // Without a port there is nothing to tell, and nobody reaches this host.
            made = null;
        }
        server = made;
        if (made != null) {
            thread(this::accept);
        }
    }

    private static void thread(final Runnable what) {
        final Thread thread = new Thread(null, what, "parley-preflight", STACK);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            for (; ; ) {
                server.accept().close();
            }
        } catch (final IOException e) {
            // It has been closed.
            return;
        }
    }

    /** Returns where ranks of this host would listen, and this does, as {@code address port}. */
    List<String> listens() {
        if (server == null) {
            return List.of();
        }
        try {
            return Interfaces.choose(Interfaces.ofThisMachine(), interfaces, false).stream()
                    .map(address -> address.getHostAddress() + " " + server.getLocalPort())
                    .toList();
        } catch (final TransportException e) {
            // Ranks could not listen either: nobody reaches this host.
            return List.of();
        }
    }

    /**
     * Tries others, on a thread of its own.
     *
     * @param places for each, where it listens: {@code address port,...}
     * @param whenDone told for each the address that was reached, or an empty text
     */
    void reach(final List<String> places, final Consumer<List<String>> whenDone) {
        thread(() -> {
            final List<String> results = new ArrayList<>();
            for (final String place : places) {
                results.add(first(place));
            }
            whenDone.accept(results);
        });
    }

    private static String first(final String place) {
        for (final String one : place.split(",")) {
            final String[] words = one.split(" ");
            if (words.length == 2 && isReached(words[0], words[1])) {
                return words[0];
            }
        }
        return "";
    }

    private static boolean isReached(final String address, final String port) {
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(InetAddress.getByName(address), Integer.parseInt(port)), CONNECT_MILLIS);
            return true;
        } catch (final IOException | NumberFormatException e) {
            return false;
        }
    }

    @Override
    public void close() {
        try {
            if (server != null) {
                server.close();
            }
        } catch (final IOException e) {
            // It goes with the process.
            return;
        }
    }
}
