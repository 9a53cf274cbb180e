package org.parley.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.parley.config.Options;
import org.parley.transport.Availability;
import org.parley.transport.Transport;
import org.parley.transport.TransportContext;
import org.parley.wireup.JobFolder;

/**
 * Whether a transport can be used on this machine.
 *
 * @param name the transport
 * @param available whether it can
 * @param reason why not; or what there is to say about it, perhaps nothing
 */
public record TransportProbe(String name, boolean available, String reason) {

    /**
     * Probes all transports that this JVM can load, best first, as a rank would.
     *
     * @param options the options in force
     */
    public static List<TransportProbe> all(final Options options) {
        final List<TransportProbe> result = new ArrayList<>();
        final String job = "probe-" + ProcessHandle.current().pid();
        try (JobFolder folder = JobFolder.create(job)) {
            final TransportContext context = new TransportContext(job, 0, 2, 2, folder.path(), options);
            for (final Transport transport : ServiceLoader.load(Transport.class, Transport.class.getClassLoader())) {
                final Availability availability = transport.probe(context);
                result.add(new TransportProbe(transport.name(), availability.available(), availability.reason()));
            }
        }
        result.sort((a, b) -> Links.PREFERENCE.indexOf(a.name) - Links.PREFERENCE.indexOf(b.name));
        return result;
    }
}
