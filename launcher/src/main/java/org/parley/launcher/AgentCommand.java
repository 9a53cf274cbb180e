package org.parley.launcher;

import java.util.List;

/** {@code parley agent}: what the launcher starts on other hosts by ssh; not for people. */
final class AgentCommand implements Command {
    @Override
    public String name() {
        return "agent";
    }

    @Override
    public String summary() {
        return "Runs a job's ranks on another host; started by parley run.";
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
        if (Output.isInputTerminal()) {
            throw new UsageException("agents are started by parley run, on the hosts of -H or --hostfile");
        }
        return new AgentProcess().run();
    }
}
