package org.parley.launcher;

import java.util.HashMap;
import java.util.Map;
import org.parley.config.Options;
import org.parley.transport.JobSecret;

/** Makes of what the user wants a plan that every host of the job can follow. */
final class Plans {
    private static final String OURS = "PARLEY_";

    private Plans() {}

    static Plan of(final JobSpec spec, final String job) {
        return of(spec, job, false);
    }

    /**
     * Makes one.
     *
     * @param isPreflight whether hosts are to be examined, not used
     */
    static Plan of(final JobSpec spec, final String job, final boolean isPreflight) {
        final Launching launching = Launching.of(spec.options());
        if (!spec.layout().remote().isEmpty()) {
            launching.check();
        }
        return new Plan(
                job,
                JobSecret.create(),
                spec.layout().placement(),
                spec.layout().targets(),
                launching,
                spec.program().command(),
                spec.program().isJava(),
                Main.home(),
                spec.copies() ? ProgramCopy.names(spec.program().users()) : Map.of(),
                environment(spec),
                spec.folder(),
                spec.folder(),
                spec.isFolderAsked(),
                spec.bindToCore(),
                spec.displayMap() || spec.verbose() || spec.isDrill(),
                isPreflight,
                spec.options().number(Options.SILENCE_TIMEOUT),
                Output.isInteractive());
    }

    /**
     * Ranks of this machine have the launcher's environment and its files of options; others get its
     * own variables, and, so that all have the same, every option as it is in force here.
     */
    private static Map<String, String> environment(final JobSpec spec) {
        if (spec.layout().remote().isEmpty()) {
            return spec.environment();
        }
        final Map<String, String> result = new HashMap<>();
        System.getenv().forEach((name, value) -> {
            if (name.startsWith(OURS) && !Options.isFixed(name)) {
                result.put(name, value);
            }
        });
        spec.options().settings().forEach(setting -> result.put(Options.variableOf(setting.key()), setting.value()));
        result.putAll(spec.environment());
        return result;
    }
}
