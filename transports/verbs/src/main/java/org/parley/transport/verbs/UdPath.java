package org.parley.transport.verbs;

import org.parley.transport.JobSecret;
import org.parley.transport.TransportException;
import org.parley.transport.verbs.binding.QueuePair;

/** The way to a peer from where this rank is to where the peer is; when one of them moves, there is another one. */
final class UdPath {
    private final Adapter adapter;
    private final UdAddress theirs;
    private final long token;
    private final long peersToken;
    private long ah;
    private String lack;

    UdPath(final Adapter adapter, final UdAddress mine, final UdAddress theirs, final JobSecret secret) {
        this.adapter = adapter;
        this.theirs = theirs;
        token = mine.token(secret, theirs);
        peersToken = theirs.token(secret, mine);
    }

    UdAddress theirs() {
        return theirs;
    }

    /** Returns what this rank's datagrams begin with. */
    long token() {
        return token;
    }

    /** Returns what the peer's datagrams begin with. */
    long peersToken() {
        return peersToken;
    }

    /** Whether datagrams can be sent: the address handle is made by whoever is the first to ask, and again after {@link #retry}. */
    boolean isOpen() {
        if (ah == 0 && lack == null) {
            try {
                open();
            } catch (final TransportException e) {
                lack = e.getMessage();
            }
        }
        return ah != 0;
    }

    /** Makes the address handle, for which the system may ask the network where the peer is. */
    void open() {
        final FabricPort port = theirs.port();
        ah = adapter.context()
                .createAddressHandle(
                        new QueuePair.Path(adapter.portNumber(), adapter.gidIndex(), port.gid(), port.lid()));
    }

    /** A handle that could not be made is tried once more. */
    void retry() {
        lack = null;
    }

    /** Returns why there is none, in front of another text, or nothing. */
    String lack() {
        return lack == null ? "" : lack + ", and ";
    }

    long ah() {
        return ah;
    }

    /** The handle goes; nothing that is sent refers to it. */
    void close() {
        if (ah != 0) {
            final long handle = ah;
            ah = 0;
            adapter.context().destroyAddressHandle(handle);
        }
    }
}
