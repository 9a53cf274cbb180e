package org.parley.concurrency;

import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** What every ring of ours stands on: who sees a record's length sees its body. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not published yet")
@Outcome(id = "0, 7", expect = Expect.ACCEPTABLE, desc = "body written, not published")
@Outcome(id = "1, 7", expect = Expect.ACCEPTABLE, desc = "published with its body")
@Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "published without its body")
@State
public class ReleaseStoreStress {
    private static final int LENGTH = 0;
    private static final int BODY = 64;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[128]);

    /** The sender: body first, length last with release order. */
    @Actor
    public void send() {
        buffer.putLong(BODY, 7);
        buffer.putLongRelease(LENGTH, 1);
    }

    /**
     * The receiver: length first, with acquire order.
     *
     * @param seen length and body
     */
    @Actor
    public void receive(JJ_Result seen) {
        seen.r1 = buffer.getLongVolatile(LENGTH);
        seen.r2 = buffer.getLong(BODY);
    }
}
