package org.parley.launcher;

import java.nio.file.Path;
import java.util.List;
import org.parley.wireup.JobFolder;

/** {@code parley clean}: removes what killed jobs have left. */
final class CleanCommand implements Command {
    private static final String DRY_RUN = "--dry-run";

    @Override
    public String name() {
        return "clean";
    }

    @Override
    public String summary() {
        return "Remove what killed jobs have left; every run does so too.";
    }

    @Override
    public String operands() {
        return "";
    }

    @Override
    public List<Flag> flags() {
        return List.of(Flag.plain("Only say what would be removed.", DRY_RUN));
    }

    @Override
    public int run(final Arguments arguments) {
        if (!arguments.rest().isEmpty()) {
            throw new UsageException(arguments.rest().get(0) + " is one word too many");
        }
        final boolean isDry = arguments.has(DRY_RUN);
        final List<Path> found = isDry ? JobFolder.abandoned() : JobFolder.removeAbandoned();
        found.forEach(path -> System.out.println((isDry ? "would remove " : "removed ") + path));
        if (found.isEmpty()) {
            System.out.println("nothing to remove in " + JobFolder.root());
        }
        return 0;
    }
}
