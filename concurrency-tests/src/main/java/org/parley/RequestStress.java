package org.parley;

import java.util.Map;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.parley.config.Options;
import org.parley.engine.Engine;
import org.parley.engine.Payload;
import org.parley.engine.ReceiveOperation;
import org.parley.wireup.SinglePlace;

/** Who sees that a request has ended, without holding the progress word, sees its status and the data. */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not ended yet")
@Outcome(id = "1, 100, 42", expect = Expect.ACCEPTABLE, desc = "ended, with all")
@State
public class RequestStress {
    /** Only its pool of operations is used. */
    private static final Engine ENGINE = new Engine(new SinglePlace(), Options.load(Map.of()), ThreadLevel.SERIALIZED);

    private static final Payload NOTHING = new Payload();

    private final ActiveRequest request = new ActiveRequest(ENGINE);
    private final Status status = new Status();
    private int data;

    /** The thread that makes progress. */
    @Actor
    public void arrive() {
        final ReceiveOperation operation = ENGINE.newReceive(null, null, 0, 0, 0, NOTHING);
        data = 42;
        request.completed(operation);
    }

    /**
     * A thread that tests the request.
     *
     * @param seen whether it has ended; 100 + the source, which is 0 where none was set before; content
     */
    @Actor
    public void look(final III_Result seen) {
        if (request.isDone()) {
            request.fill(status);
            seen.r1 = 1;
            seen.r2 = 100 + status.source();
            seen.r3 = data;
        }
    }
}
