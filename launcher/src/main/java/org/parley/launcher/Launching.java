package org.parley.launcher;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.parley.config.Options;
import org.parley.wireup.ControlFrame;

/**
 * How agents are started on other hosts.
 *
 * @param shell the remote shell and its arguments, without host and command
 * @param home where Parley is there
 * @param java where the JDK is there
 * @param fanout how many agents one process starts
 * @param timeoutNanos how long all may take to be there
 */
record Launching(List<String> shell, String home, String java, int fanout, long timeoutNanos) {
    private static final String OPENSSH = "ssh";

    /**
     * What the other side's shell runs: any shell takes these quotes. A missing file is named there,
     * where it is missing.
     */
    private static final String SCRIPT =
            "[ -x \"$1/bin/parley\" ] || { echo \"there is no Parley in $1 here: install it"
                    + " there, or --set launch.home=DIR\" >&2; exit 127; }; "
                    + "[ -x \"$2/bin/java\" ] || { echo \"there is no Java in $2 here: install it there, or --set"
                    + " launch.java=DIR\" >&2; exit 127; }; "
                    + "JAVA_HOME=$2; export JAVA_HOME; exec \"$1/bin/parley\" agent";

    static Launching of(final Options options) {
        final String home = options.text(Options.LAUNCH_HOME);
        final String java = options.text(Options.LAUNCH_JAVA);
        return new Launching(
                List.of(options.text(Options.LAUNCH_SSH).strip().split("\\s+")),
                home.isEmpty() ? Main.home() : home,
                java.isEmpty() ? System.getProperty("java.home") : java,
                (int) Math.max(1, Math.min(Integer.MAX_VALUE, options.number(Options.LAUNCH_FANOUT))),
                options.number(Options.LAUNCH_TIMEOUT));
    }

    /** Returns the remote shell, for people. */
    String shellName() {
        return shell.get(0).substring(shell.get(0).lastIndexOf('/') + 1);
    }

    /** Says what is wrong before anything is started. */
    void check() {
        if (Tools.find(shell.get(0)) == null) {
            throw new UsageException(
                    Options.LAUNCH_SSH + "=" + String.join(" ", shell) + ": there is no program " + shell.get(0));
        }
        if (home.isEmpty()) {
            throw new UsageException("this Parley is no distribution that other hosts could have: --set "
                    + Options.LAUNCH_HOME + "=DIR names one there");
        }
    }

    /**
     * Returns what starts an agent.
     *
     * @param target the host as the remote shell knows it
     */
    List<String> command(final String target) {
        final List<String> result = new ArrayList<>(Tools.ownSession());
        result.addAll(Tools.dieWithParent());
        result.addAll(shell);
        if (shellName().equals(OPENSSH)) {
            // No terminal, no forwarded display, and never a question that nobody answers.
            final long seconds = Math.max(1, TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) - 2);
            result.addAll(List.of("-T", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=" + seconds));
        }
        result.add(target);
        result.add("exec /bin/sh -c " + quoted(SCRIPT) + " parley-agent " + quoted(home) + " " + quoted(java));
        return result;
    }

    private static String quoted(final String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    ControlFrame.Builder write(final ControlFrame.Builder frame) {
        return Facts.texts(frame, shell).text(home).text(java).number(fanout).longNumber(timeoutNanos);
    }

    static Launching read(final ControlFrame frame) throws IOException {
        final List<String> shell = Facts.texts(frame);
        final String home = frame.text();
        final String java = frame.text();
        final int fanout = frame.number();
        return new Launching(shell, home, java, fanout, frame.longNumber());
    }
}
