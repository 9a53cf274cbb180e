package org.parley.engine;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** Who sees that an operation has ended, without holding the progress word, sees what it brought. */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not ended yet")
@Outcome(id = "24, 3, 42", expect = Expect.ACCEPTABLE, desc = "ended, with all")
@State
public class OperationStress {
    private final ReceiveOperation operation = new ReceiveOperation(0);
    private int data;

    /** The thread that makes progress. */
    @Actor
    public void arrive() {
        operation.matched(null, 3, 7, 24);
        data = 42;
        operation.finish();
    }

    /**
     * A thread that waits.
     *
     * @param seen length, source, content
     */
    @Actor
    public void look(final JJJ_Result seen) {
        if (operation.isDone()) {
            seen.r1 = operation.bytes();
            seen.r2 = operation.matchedSource();
            seen.r3 = data;
        }
    }
}
