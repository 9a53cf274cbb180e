package org.parley.engine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import org.parley.JobException;
import org.parley.config.Options;
import org.parley.transport.Availability;
import org.parley.transport.JobSecret;
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
    private static final String SHM = "shm";

    /**
     * Probes all transports that this JVM can load, best first, as a rank would.
     *
     * @param options the options in force
     */
    public static List<TransportProbe> all(final Options options) {
        final List<TransportProbe> result = new ArrayList<>();
        final String job = "probe-" + ProcessHandle.current().pid();
        try (JobFolder folder = JobFolder.create(job)) {
            probe(job, folder.path(), options, result);
        } catch (final JobException e) {
            // Only shared memory needs the folder.
            result.clear();
            probe(job, Path.of(System.getProperty("java.io.tmpdir")), options, result);
            result.removeIf(probe -> probe.name.equals(SHM));
            result.add(new TransportProbe(SHM, false, e.getMessage()));
        }
        result.sort(Comparator.comparingInt(probe -> Links.preference(probe.name)));
        return result;
    }

    private static void probe(
            final String job, final Path folder, final Options options, final List<TransportProbe> result) {
        final TransportContext context = new TransportContext(job, 0, 2, 2, folder, JobSecret.create(), options);
        for (final Transport transport : ServiceLoader.load(Transport.class, Transport.class.getClassLoader())) {
            final Availability availability = transport.probe(context);
            result.add(new TransportProbe(transport.name(), availability.available(), availability.reason()));
        }
    }
}
