package org.parley.launcher;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.parley.wireup.ControlFrame;

/**
 * What an agent tells of its host once it has the plan.
 *
 * @param version Parley's
 * @param home where that is
 * @param java the version of Java, and where it is
 * @param processors how many this user may use
 * @param cores the CPUs of each core, as {@link Bindings} has them
 * @param trouble why the plan cannot be followed there; empty: it can
 * @param warning what is not as planned but does no harm; may be empty
 * @param library for a preflight: a hash of Parley's files
 * @param listens for a preflight: addresses and port where other hosts can try to reach this one
 */
record Facts(
        String version,
        String home,
        String java,
        int processors,
        List<String> cores,
        String trouble,
        String warning,
        String library,
        List<String> listens) {

    ControlFrame.Builder write(final ControlFrame.Builder frame) {
        frame.text(version).text(home).text(java).number(processors);
        texts(frame, cores);
        frame.text(trouble).text(warning).text(library);
        return texts(frame, listens);
    }

    static Facts read(final ControlFrame frame) throws IOException {
        final String version = frame.text();
        final String home = frame.text();
        final String java = frame.text();
        final int processors = frame.number();
        final List<String> cores = texts(frame);
        final String trouble = frame.text();
        final String warning = frame.text();
        final String library = frame.text();
        return new Facts(version, home, java, processors, cores, trouble, warning, library, texts(frame));
    }

    static ControlFrame.Builder texts(final ControlFrame.Builder frame, final List<String> texts) {
        frame.number(texts.size());
        texts.forEach(frame::text);
        return frame;
    }

    static List<String> texts(final ControlFrame frame) throws IOException {
        final List<String> result = new ArrayList<>();
        for (int left = frame.number(); left > 0; left--) {
            result.add(frame.text());
        }
        return result;
    }
}
