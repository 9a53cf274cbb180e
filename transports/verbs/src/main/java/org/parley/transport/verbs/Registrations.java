package org.parley.transport.verbs;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.parley.transport.SharedRegion;
import org.parley.transport.TransportException;
import org.parley.transport.verbs.binding.VerbsContext;

/**
 * Memory of this rank that the device knows. Only regions from Parley.allocate stay registered: their numbers are never given again, and
 * this process keeps them mapped by their owner's word, so that no registration can outlive what it stands for. Other memory is registered
 * for each transfer. The holder's of the progress word.
 */
final class Registrations implements AutoCloseable {
    private static final int ACCESS = VerbsContext.LOCAL_WRITE | VerbsContext.REMOTE_READ;

    private final VerbsContext context;
    private final Path folder;
    private final long largest;
    private final long most;
    private final Map<Integer, Cached> cached = new LinkedHashMap<>(16, 0.75f, true);
    private long cachedBytes;
    private long made;

    /** A region that stays registered. */
    private static final class Cached {
        private final SharedRegion file;
        private final VerbsContext.Region region;
        private int uses;

        private Cached(final SharedRegion file, final VerbsContext.Region region) {
            this.file = file;
            this.region = region;
        }
    }

    /**
     * A registration in use.
     *
     * @param region the device's
     * @param number of the SharedRegion that it stands for; 0: it ends with the use
     */
    record Use(VerbsContext.Region region, int number) {}

    Registrations(final VerbsContext context, final Path folder, final long largest, final long most) {
        this.context = context;
        this.folder = folder;
        this.largest = largest;
        this.most = most;
    }

    /** Returns a registration of memory for one transfer, or null: it cannot be had. */
    Use use(final long address, final long length, final int number) {
        try {
            if (number != 0) {
                final Cached found = find(number);
                if (found != null && isWithin(found, address, length)) {
                    found.uses++;
                    return new Use(found.region, number);
                }
            }
            if (length > largest) {
                return null;
            }
            made++;
            return new Use(context.register(address, length, ACCESS), 0);
        } catch (final TransportException e) {
            // The limit of locked memory: the message goes as frames.
            return null;
        }
    }

    private static boolean isWithin(final Cached found, final long address, final long length) {
        final long offset = address - found.file.ownersAddress();
        return offset >= 0 && offset <= found.file.bytes() - length;
    }

    private Cached find(final int number) {
        final Cached known = cached.get(number);
        if (known != null) {
            return known;
        }
        evict();
        final SharedRegion file = SharedRegion.open(folder, SharedRegion.PROCESS, number);
        final long bytes = file.bytes();
        if (file.isGivenUp() || bytes > largest || bytes > most) {
            file.close();
            return null;
        }
        for (final Iterator<Cached> oldest = cached.values().iterator();
                oldest.hasNext() && cachedBytes + bytes > most; ) {
            final Cached candidate = oldest.next();
            if (candidate.uses == 0) {
                oldest.remove();
                release(candidate);
            }
        }
        final Cached added;
        try {
            added = new Cached(file, context.register(file.ownersAddress(), bytes, ACCESS));
        } catch (final TransportException e) {
            file.close();
            throw e;
        }
        made++;
        cached.put(number, added);
        cachedBytes += bytes;
        return added;
    }

    /** Ends the registrations of memory that its owner has given up. */
    private void evict() {
        for (final Iterator<Cached> all = cached.values().iterator(); all.hasNext(); ) {
            final Cached candidate = all.next();
            if (candidate.uses == 0 && candidate.file.isGivenUp()) {
                all.remove();
                release(candidate);
            }
        }
    }

    private void release(final Cached old) {
        cachedBytes -= old.region.length();
        context.deregister(old.region);
        old.file.close();
    }

    /** A transfer is over. */
    void release(final Use use) {
        if (use.number() == 0) {
            context.deregister(use.region());
        } else {
            final Cached found = cached.get(use.number());
            found.uses--;
            if (found.uses == 0 && found.file.isGivenUp()) {
                cached.remove(use.number());
                release(found);
            }
        }
    }

    long made() {
        return made;
    }

    long cachedBytes() {
        return cachedBytes;
    }

    @Override
    public void close() {
        cached.values().forEach(old -> {
            context.deregister(old.region);
            old.file.close();
        });
        cached.clear();
        cachedBytes = 0;
    }
}
