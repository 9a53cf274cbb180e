package org.parley.launcher.doctor;

/** Whether queue pairs connect and carry bytes: below messages, with nothing of a session above. */
final class TransportLayer {
    /** Completions with which a connection ends that was sound. */
    private static final String[] LOST = {"retry counter exceeded", "RETRY_EXC", "flushed", "FLUSH_ERR"};

    private TransportLayer() {}

    /**
     * Connects two processes of this machine.
     *
     * @param host what it is called
     */
    static Examined toItself(final Jobs jobs, final String host) {
        final Examined result = new Examined(host, Layer.TRANSPORT);
        for (final String service : new String[] {"RC", "UD"}) {
            final Jobs.Result ended = jobs.pair("", "perf", "send_lat", "-s", "8", "-n", "50", "-c", service);
            if (ended.code() == 0) {
                result.fact(service + " connects two processes");
            } else {
                result.found(
                        isLost(ended) ? Code.D404 : Code.D401,
                        service + ": " + ended.reason(),
                        "ibv_rc_pingpong -g GID_INDEX & ibv_rc_pingpong -g GID_INDEX localhost tells whether it is"
                                + " the device; dmesg what its driver says");
            }
        }
        return result;
    }

    /**
     * Connects this machine and a peer that ssh has reached.
     *
     * @param here this machine's port
     * @param there the peer's
     */
    static Examined to(
            final String peer, final Jobs jobs, final String host, final PortFacts here, final PortFacts there) {
        final Examined result = new Examined(host + " and " + peer, Layer.TRANSPORT);
        for (final String service : new String[] {"RC", "UD"}) {
            final Jobs.Result ended = jobs.pair(peer, "perf", "send_lat", "-s", "8", "-n", "50", "-c", service);
            if (ended.code() == 0) {
                result.fact(service + " connects them");
            } else if (isLost(ended) && !result.facts().isEmpty()) {
                result.found(
                        Code.D404,
                        service + ": " + ended.reason(),
                        "if a virtual machine was migrated meanwhile, that is it: run this again; else see the switch");
            } else {
                result.found(
                        Code.D402,
                        service + ": " + ended.reason() + "; here " + here.text() + ", there " + there.text(),
                        "let both have addresses of one network on their RDMA cards and one RoCE version (device protocol of"
                                + " the adapter); --set verbs.gid.index= picks another GID, ibv_devinfo -v lists them");
            }
        }
        return result;
    }

    private static boolean isLost(final Jobs.Result ended) {
        for (final String sign : LOST) {
            if (ended.err().contains(sign)) {
                return true;
            }
        }
        return false;
    }
}
