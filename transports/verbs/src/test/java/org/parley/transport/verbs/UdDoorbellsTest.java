package org.parley.transport.verbs;

import org.parley.transport.Transport;

/** Over datagrams. */
class UdDoorbellsTest extends Doorbells {
    @Override
    Transport newTransport() {
        return new UdTransport();
    }
}
