package org.parley.transport.verbs;

import org.parley.transport.Transport;

/** Over connections. */
class RcDoorbellsTest extends Doorbells {
    @Override
    Transport newTransport() {
        return new RcTransport();
    }
}
