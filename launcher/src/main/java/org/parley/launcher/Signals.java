package org.parley.launcher;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;

/** Signals by name and number, as Linux has them on all machines that we run on. */
final class Signals {
    static final int BASE = 128;

    private static final Map<String, Integer> NUMBERS = Map.ofEntries(
            Map.entry("HUP", 1),
            Map.entry("INT", 2),
            Map.entry("QUIT", 3),
            Map.entry("ILL", 4),
            Map.entry("TRAP", 5),
            Map.entry("ABRT", 6),
            Map.entry("BUS", 7),
            Map.entry("FPE", 8),
            Map.entry("KILL", 9),
            Map.entry("USR1", 10),
            Map.entry("SEGV", 11),
            Map.entry("USR2", 12),
            Map.entry("PIPE", 13),
            Map.entry("ALRM", 14),
            Map.entry("TERM", 15),
            Map.entry("XCPU", 24),
            Map.entry("XFSZ", 25),
            Map.entry("SYS", 31));

    /** What the launcher hears and passes on. */
    private static final List<String> HEARD = List.of("INT", "TERM", "HUP", "USR1", "USR2");

    /** Told of signals; on a thread of the JVM's. */
    interface Listener {
        void signalled(String name);
    }

    private Signals() {}

    static int number(final String name) {
        return NUMBERS.get(name);
    }

    /** Returns the signal that an exit code stands for, or null. */
    static String ofExitCode(final int code) {
        for (final Map.Entry<String, Integer> signal : NUMBERS.entrySet()) {
            if (code == BASE + signal.getValue()) {
                return signal.getKey();
            }
        }
        return null;
    }

    /**
     * Sends the process' signals to a listener from now on. By reflection, because the compiler
     * warns of sun.misc.Signal in a way that no annotation answers, and there is nothing else.
     */
    static void listen(final Listener listener) {
        try {
            final Class<?> signal = Class.forName("sun.misc.Signal");
            final Class<?> handler = Class.forName("sun.misc.SignalHandler");
            final Object proxy = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(),
                    new Class<?>[] {handler},
                    (self, method, arguments) -> heard(self, method, arguments, listener));
            final Method handle = signal.getMethod("handle", signal, handler);
            for (final String name : HEARD) {
                handle.invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
            }
        } catch (final ReflectiveOperationException e) {
            // A JVM without them, or with -Xrs: then signals do what they do by themselves.
            return;
        }
    }

    private static Object heard(
            final Object self, final Method method, final Object[] arguments, final Listener listener) {
        return switch (method.getName()) {
            case "handle" -> {
                final String name = arguments[0].toString();
                listener.signalled(name.startsWith("SIG") ? name.substring(3) : name);
                yield null;
            }
            case "hashCode" -> System.identityHashCode(self);
            case "equals" -> self == arguments[0];
            default -> "parley's signal handler";
        };
    }
}
