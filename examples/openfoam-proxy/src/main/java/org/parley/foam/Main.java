package org.parley.foam;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.parley.Communicator;
import org.parley.JobException;
import org.parley.Parley;
import org.parley.PeerFailedException;
import org.parley.foam.blockmesh.BlockMesh;
import org.parley.foam.decompose.Decomposition;
import org.parley.foam.decompose.Reconstruction;
import org.parley.foam.dictionary.FoamException;
import org.parley.foam.fvm.IcoFoam;
import org.parley.foam.mesh.Mesh;
import org.parley.foam.mesh.PolyMeshFiles;

/** A rank of icofoam. The first rank makes the mesh and the parts where they are not there; then all solve. */
public final class Main {
    private final Arguments arguments;
    private final Parley parley;
    private final Communicator world;
    private final PrintStream out;

    private Main(final Arguments arguments, final Parley parley, final PrintStream out) {
        this.arguments = arguments;
        this.parley = parley;
        this.world = parley.world();
        this.out = out;
    }

    /**
     * Runs a rank.
     *
     * @param words options: see {@code icofoam --help}.
     */
    public static void main(final String[] words) {
        final String rank = System.getenv("PARLEY_RANK");
        try {
            final Arguments arguments = Arguments.parse(words);
            if (!run(arguments)) {
                System.exit(1);
            }
        } catch (final IllegalArgumentException e) {
            if (rank == null || rank.equals("0")) {
                System.err.println("icofoam: " + e.getMessage());
            } else {
                awaitFirst();
            }
            System.exit(2);
        } catch (final JobException | PeerFailedException e) {
            System.err.println("icofoam: " + e.getMessage());
            System.exit(1);
        }
    }

    /** The first rank says what is wrong, for all; if another ended before, the job would end without that. */
    private static void awaitFirst() {
        try (Parley parley = Parley.init()) {
            parley.world().barrier();
        } catch (final JobException | PeerFailedException e) {
            // It has.
        }
    }

    private static boolean run(final Arguments arguments) {
        try (Parley parley = Parley.init()) {
            return new Main(arguments, parley, System.out).run();
        }
    }

    /**
     * Runs this rank of a job that is there already.
     *
     * @param words options, as on the command line.
     * @param parley the membership in the job.
     * @param out where the first rank's log goes.
     * @return whether the case could be run; if not, the first rank has said why on stderr.
     */
    public static boolean run(final List<String> words, final Parley parley, final PrintStream out) {
        return new Main(Arguments.parse(words.toArray(String[]::new)), parley, out).run();
    }

    private boolean run() {
        Path temporary = null;
        try {
            Path folder = arguments.folder();
            final boolean first = world.rank() == 0;
            if (first && arguments.synthetic() && folder == null) {
                temporary = Files.createTempDirectory("icofoam");
                folder = temporary;
                // A job that is stopped does not come to its end.
                final Path made = temporary;
                Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(made), "icofoam-case"));
            }
            if (world.size() == 1 && arguments.reconstruct() && !arguments.synthetic()) {
                return reconstruct(folder);
            }
            if (!prepare(folder)) {
                return false;
            }
            return solve(Path.of(shared(folder)));
        } catch (final IOException e) {
            throw new UncheckedIOException("no folder for the case", e);
        } finally {
            if (temporary != null) {
                remove(temporary);
            }
        }
    }

    /** On one rank there is nothing to put together after a run: then it is all that is done, of a run before. */
    private boolean reconstruct(final Path folder) {
        try {
            checkPicture();
            final Case whole = Case.of(folder);
            out.println("Reconstructed times " + String.join(" ", Reconstruction.reconstruct(whole)));
            if (arguments.picture() != null) {
                Picture.write(whole, arguments.picture());
            }
            return true;
        } catch (final FoamException e) {
            System.err.println("icofoam: " + e.getMessage());
            return false;
        }
    }

    /** What the first rank does while the others wait; false on all of them if it fails. */
    private boolean prepare(final Path folder) {
        final int[] good = {1};
        if (world.rank() == 0) {
            try {
                prepareFirst(folder);
            } catch (final FoamException e) {
                System.err.println("icofoam: " + e.getMessage());
                good[0] = 0;
            }
        }
        world.bcast(good, 0, 1, 0);
        return good[0] == 1;
    }

    private void checkPicture() {
        if (arguments.picture() != null) {
            Picture.check(arguments.picture());
        }
    }

    private void prepareFirst(final Path folder) {
        checkPicture();
        if (arguments.synthetic()) {
            Cavity.write(folder, arguments.cells(), arguments.steps(), arguments.reynolds());
        }
        final Case caze = Case.of(folder);
        final int ranks = world.size();
        final int parts = caze.processors();
        if (ranks > 1 && parts > 0 && parts != ranks) {
            throw new FoamException(
                    folder,
                    0,
                    "is decomposed into " + parts + ", but there are " + ranks + " ranks: run with -n " + parts
                            + ", or remove the folders processor*");
        }
        if (ranks > 1 && parts == ranks) {
            return;
        }
        if (!caze.exists("constant/polyMesh/owner")) {
            final Mesh mesh = BlockMesh.create(caze.blockMeshDict());
            PolyMeshFiles.write(folder.resolve("constant/polyMesh"), mesh, PolyMeshFiles.DIGITS);
        }
        if (ranks > 1) {
            Decomposition.decompose(caze, ranks);
        }
    }

    /** The first rank's path, on all ranks. */
    private String shared(final Path folder) {
        final byte[] path = new byte[4096];
        if (world.rank() == 0) {
            final byte[] text = folder.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8);
            if (text.length > path.length) {
                throw new IllegalArgumentException("-case: the path is longer than " + path.length + " bytes");
            }
            System.arraycopy(text, 0, path, 0, text.length);
        }
        world.bcast(path, 0, path.length, 0);
        int length = 0;
        while (length < path.length && path[length] != 0) {
            length++;
        }
        return new String(path, 0, length, StandardCharsets.UTF_8);
    }

    private boolean solve(final Path folder) {
        final boolean alone = world.size() == 1;
        try {
            final Case whole = Case.of(folder);
            final Case mine = alone ? whole : whole.processor(world.rank());
            if (arguments.progress() && world.rank() == 0) {
                mine.onStep(new Progress());
            }
            new IcoFoam(mine, world, out).run();
            // All ranks have written what is read and removed below.
            world.barrier();
            finish(whole);
            return true;
        } catch (final FoamException e) {
            if (alone) {
                System.err.println("icofoam: " + e.getMessage());
                return false;
            }
            // Others may wait for this rank: the job ends, and the launcher says why.
            parley.abort(1, "icofoam: " + e.getMessage());
            throw e;
        }
    }

    private void finish(final Case whole) {
        if (world.rank() != 0) {
            return;
        }
        if (world.size() > 1 && (arguments.reconstruct() || arguments.picture() != null)) {
            Reconstruction.reconstruct(whole);
        }
        if (arguments.picture() != null) {
            Picture.write(whole, arguments.picture());
        }
    }

    private static void remove(final Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(folder)) {
            for (final Path path : (Iterable<Path>) paths.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(path);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot remove " + folder, e);
        }
    }
}
