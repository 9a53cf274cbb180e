package org.parley.system.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.parley.system.Command;
import org.parley.system.Launch;
import org.parley.testbed.Host;
import org.parley.testbed.Network;

/** Whatever is killed of a job, wherever: all of the job ends, and the host is named. */
class HostFailureTest extends OnHosts {
    HostFailureTest() {
        super(4, Network.Addressing.IPV4);
    }

    /** Starts two ranks each on node-b and node-c that wait for each other for ever. */
    private Launch waiting() throws Exception {
        Launch job = program("node-b:2,node-c:2", "programs.Actor", "receive");
        for (int rank = 0; rank < 4; rank++) {
            job.awaitOut("rank " + rank + ": ");
        }
        return job;
    }

    /** Returns the JVM on a host that the host's other JVMs descend from. */
    private static ProcessHandle agent(Host host) {
        List<ProcessHandle> all = jvms(host);
        List<ProcessHandle> agents = all.stream()
                .filter(jvm ->
                        all.stream().noneMatch(other -> other.descendants().anyMatch(jvm::equals)))
                .toList();
        assertThat(agents).hasSize(1);
        return agents.get(0);
    }

    private void assertThatAllIsGone() {
        awaitQuiet(host('b'));
        awaitQuiet(host('c'));
    }

    @Test
    void shouldEndEverywhereWhenARankIsKilled() throws Exception {
        try (Launch job = waiting()) {
            host('c').run("kill", "-KILL", String.valueOf(job.pid(3)));
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(137);
            assertThat(block(result)).contains("FAILED  rank 3 of 4 on node-c").contains("ended by SIGKILL");
            assertThatAllIsGone();
        }
    }

    @Test
    void shouldPassOnTheCodeOfARankOnAnotherHost() throws Exception {
        try (Launch job = program("node-b,node-c", "programs.Actor", "receive", "exit-3")) {
            Command.Result result = job.end();

            assertThat(result.code()).isEqualTo(3);
            assertThat(block(result)).contains("FAILED  rank 1 of 2 on node-c");
        }
    }

    @Test
    void shouldEndEverywhereWhenTheLauncherIsKilled() throws Exception {
        try (Launch job = waiting()) {
            Launch.signal("KILL", job.pid());

            assertThatAllIsGone();
        }
    }

    @Test
    void shouldEndEverywhereWhenAnSshIsKilled() throws Exception {
        try (Launch job = waiting()) {
            ProcessHandle ssh = ProcessHandle.of(job.pid())
                    .orElseThrow()
                    .descendants()
                    .filter(process -> process.info().commandLine().orElse("").matches(".*ssh .*node-c.*"))
                    .findFirst()
                    .orElseThrow();
            Launch.signal("KILL", ssh.pid());
            Command.Result result = job.end();

            assertThat(result.code()).isNotZero();
            assertThat(block(result)).contains("node-c");
            assertThatAllIsGone();
        }
    }

    @Test
    void shouldEndEverywhereWhenAnAgentIsKilled() throws Exception {
        try (Launch job = waiting()) {
            Launch.signal("KILL", agent(host('c')).pid());
            Command.Result result = job.end();

            assertThat(result.code()).isNotZero();
            assertThat(block(result)).contains("node-c");
            assertThatAllIsGone();
        }
    }

    @Test
    void shouldEndEverywhereWhenAHostGoesDown() throws Exception {
        try (Launch job = program("node-b,node-d", "programs.Actor", "receive")) {
            job.awaitOut("rank 0: ");
            job.awaitOut("rank 1: ");
            host('d').kill();
            Command.Result result = job.end();

            assertThat(result.code()).isNotZero();
            assertThat(block(result)).contains("node-d");
            assertThatAllIsGone();
        }
    }

    /** The ranks of a host whose agent has gone go with it; those of the other one have the rest of the job to themselves. */
    @Test
    void shouldGoOnWithoutAHostWhereThatIsAskedFor() throws Exception {
        String[] words = {"--ft", "continue", "-v", "-cp", Launch.CLASSES, "programs.Survivor", "2", "barrier"};
        try (Launch job = start("run", "node-b:2,node-c:2", words)) {
            for (int rank = 0; rank < 4; rank++) {
                job.awaitOut("rank " + rank + ": barrier");
            }
            Launch.signal("KILL", agent(host('c')).pid());
            Command.Result result = job.end();

            assertGood(result);
            assertThat(result.out()).contains("rank 0: 2 are left, sum 1", "rank 1: 2 are left, sum 1");
            assertThat(result.err())
                    .contains("parley: 2 of 4 ranks have failed:", "\n    rank 2 on node-c", "\n    rank 3 on node-c");
            assertThatAllIsGone();
        }
    }
}
