package org.parley.launcher;

import java.util.List;

/** {@code parley generate-completion}: prints what bash and zsh need to complete our options. */
final class CompletionCommand implements Command {
    @Override
    public String name() {
        return "generate-completion";
    }

    @Override
    public String summary() {
        return "Print a script that completes options in bash and zsh: source <(parley generate-completion).";
    }

    @Override
    public String operands() {
        return "";
    }

    @Override
    public List<Flag> flags() {
        return List.of();
    }

    @Override
    public int run(final Arguments arguments) {
        if (!arguments.rest().isEmpty()) {
            throw new UsageException(arguments.rest().get(0) + " is one word too many");
        }
        System.out.print(new Picocli(Main.commands()).completion());
        return 0;
    }
}
