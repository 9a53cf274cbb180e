package org.parley.wireup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.parley.config.Options;
import org.parley.transport.JobSecret;

/** Without a launcher, rank 0 tells the others who is missing, and who came instead. */
class RankZeroTest {
    private final JobSecret secret = JobSecret.create();
    private final Options options = Options.load(Map.of("wireup.timeout", "1s"));

    private ControlFrame meetAlone(List<JobSecret> strangers) throws IOException {
        InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        RankZero root = new RankZero("test", 2, List.of(anywhere), secret, options);
        InetSocketAddress address = root.addresses().get(0);
        for (JobSecret stranger : strangers) {
            try (Caller caller = new Caller(address, stranger)) {
                assertThat(caller.join(1, 2).type()).isEqualTo(ControlFrame.REFUSED);
            }
        }
        try (Caller zero = new Caller(address, secret)) {
            assertThat(zero.join(0, 2).type()).isEqualTo(ControlFrame.WELCOME);
            zero.contribute("", "address");
            ControlFrame answer = zero.receive();
            assertThat(answer.type()).isEqualTo(ControlFrame.HOPELESS);
            return answer;
        }
    }

    @Test
    void shouldNameWhoIsMissing() throws IOException {
        assertThat(meetAlone(List.of()).text())
                .startsWith("rank 1 did not join the job within")
                .doesNotContain("refused");
    }

    @Test
    void shouldTellWhoWasRefused() throws IOException {
        assertThat(meetAlone(List.of(JobSecret.create(), JobSecret.create())).text())
                .startsWith("rank 1 did not join the job within")
                .contains(
                        "; refused meanwhile: 2, the last: a program at 127.0.0.1 that calls itself rank 1 (pid 4712)")
                .endsWith(" was refused: it does not have the token of job test");
    }
}
