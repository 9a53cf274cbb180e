package org.parley.foam;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Stream;
import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.dictionary.FoamException;
import org.parley.foam.dictionary.FoamWriter;
import org.parley.foam.dictionary.Numbers;
import org.parley.foam.mesh.Mesh;
import org.parley.foam.mesh.PolyMeshFiles;

/**
 * A case: a folder with system, constant and times. A rank's part of a decomposed case is one as well: its system and
 * its constant dictionaries are those of the whole, its mesh and its times are in processorN. Of one thread.
 */
public final class Case {
    /** Where a time's files are until all of them are there: no name of a time. */
    private static final String UNFINISHED = "unfinished";

    private final Path root;
    private final Path folder;
    private final Dictionary controlDict;
    private Path destination;
    private Dictionary fvSchemes;
    private Dictionary fvSolution;
    private Mesh mesh;
    private Consumer<RunTime> onStep = time -> {};

    private Case(final Path root, final Path folder) {
        this.root = root;
        this.folder = folder;
        this.destination = folder;
        this.controlDict = Dictionary.read(root.resolve("system/controlDict"), root);
        final String format = controlDict.word("writeFormat", "ascii");
        if (!format.equals("ascii")) {
            throw controlDict.error("writeFormat", "writeFormat '" + format + "' is not supported, only ascii is");
        }
        if (controlDict.has("writeCompression")
                && !controlDict.word("writeCompression").matches("uncompressed|no|off|false|n|f|none")) {
            throw controlDict.error(
                    "writeCompression",
                    "writeCompression '" + controlDict.word("writeCompression") + "' is not supported, only off is");
        }
    }

    /**
     * The case of a folder.
     *
     * @param folder which holds system/controlDict.
     * @return the case.
     */
    public static Case of(final Path folder) {
        if (!Files.isRegularFile(folder.resolve("system/controlDict"))) {
            throw new FoamException(folder, 0, "is no case: it has no system/controlDict");
        }
        return new Case(folder, folder);
    }

    /**
     * A rank's part of this case, decomposed.
     *
     * @param rank whose.
     * @return the part.
     */
    public Case processor(final int rank) {
        return new Case(root, root.resolve("processor" + rank));
    }

    /**
     * The folder of the whole case.
     *
     * @return where system is.
     */
    public Path root() {
        return root;
    }

    /**
     * The folder of the mesh and the times.
     *
     * @return the root, or a processorN in it.
     */
    public Path folder() {
        return folder;
    }

    /**
     * system/controlDict.
     *
     * @return its entries.
     */
    public Dictionary controlDict() {
        return controlDict;
    }

    /**
     * system/fvSchemes.
     *
     * @return its entries.
     */
    public Dictionary fvSchemes() {
        if (fvSchemes == null) {
            fvSchemes = system("fvSchemes");
        }
        return fvSchemes;
    }

    /**
     * system/fvSolution.
     *
     * @return its entries.
     */
    public Dictionary fvSolution() {
        if (fvSolution == null) {
            fvSolution = system("fvSolution");
        }
        return fvSolution;
    }

    /**
     * A dictionary of system.
     *
     * @param name such as {@code blockMeshDict}.
     * @return its entries.
     */
    public Dictionary system(final String name) {
        return Dictionary.read(root.resolve("system").resolve(name), root);
    }

    /**
     * blockMeshDict, in system or where it was before, in constant/polyMesh.
     *
     * @return its entries.
     */
    public Dictionary blockMeshDict() {
        final String older = "constant/polyMesh/blockMeshDict";
        return exists(older) ? dictionary(older) : system("blockMeshDict");
    }

    /**
     * constant/transportProperties.
     *
     * @return its entries.
     */
    public Dictionary transportProperties() {
        return Dictionary.read(root.resolve("constant/transportProperties"), root);
    }

    /**
     * The mesh in constant/polyMesh.
     *
     * @return read once.
     */
    public Mesh mesh() {
        if (mesh == null) {
            mesh = PolyMeshFiles.read(folder.resolve("constant/polyMesh"));
        }
        return mesh;
    }

    /**
     * The clock of a run from this case's start time.
     *
     * @return a new one.
     */
    public RunTime runTime() {
        return runTime(DoubleUnaryOperator.identity());
    }

    /**
     * The clock of a rank's part of a run. A run that was stopped may have left its last time with some ranks only.
     *
     * @param earliest returns the earliest of the ranks' start times, given this rank's.
     * @return a new one.
     */
    public RunTime runTime(final DoubleUnaryOperator earliest) {
        return new RunTime(this, onStep, earliest);
    }

    /**
     * Sets who is told of each step.
     *
     * @param listener is called as a step begins.
     */
    public void onStep(final Consumer<RunTime> listener) {
        onStep = listener;
    }

    /**
     * Significant digits of files and of the log: writePrecision.
     *
     * @return how many.
     */
    public int writePrecision() {
        final int precision = controlDict.integer("writePrecision", Numbers.PRECISION);
        if (precision < 1) {
            throw controlDict.error("writePrecision", "writePrecision " + precision + " has to be 1 or more");
        }
        return precision;
    }

    /**
     * Whether a file or folder is there.
     *
     * @param path from {@link #folder}.
     * @return whether.
     */
    public boolean exists(final String path) {
        return Files.exists(folder.resolve(path));
    }

    /**
     * Reads a field.
     *
     * @param time its folder's name.
     * @param name of it.
     * @param kind what it has to be.
     * @return the field, with an entry for each patch of the mesh.
     */
    public Field readField(final String time, final String name, final Field.Kind kind) {
        return FieldFiles.read(folder.resolve(time).resolve(name), root, kind, mesh());
    }

    /**
     * The fields of a time: files whose header names one of the kinds.
     *
     * @param time its folder's name.
     * @return kinds by the fields' names, in alphabetical order.
     */
    public Map<String, Field.Kind> fields(final String time) {
        final Map<String, Field.Kind> fields = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder.resolve(time))) {
            for (final Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                final Field.Kind kind = FieldFiles.kind(file);
                if (kind != null) {
                    fields.put(file.getFileName().toString(), kind);
                }
            }
        } catch (final IOException e) {
            throw new FoamException(folder.resolve(time), 0, "cannot be listed: " + e);
        }
        return fields;
    }

    /**
     * How many parts the case is decomposed into: folders processor0, processor1 and so on.
     *
     * @return how many; 0 if it is not.
     */
    public int processors() {
        int count = 0;
        while (Files.isDirectory(root.resolve("processor" + count + "/constant/polyMesh"))) {
            count++;
        }
        return count;
    }

    /** Lets the mesh go; it is read again when it is asked for. */
    public void forgetMesh() {
        mesh = null;
    }

    /**
     * Sets the mesh, which is then not read.
     *
     * @param made what constant/polyMesh holds.
     */
    public void mesh(final Mesh made) {
        mesh = made;
    }

    /**
     * Writes a field as OpenFOAM does.
     *
     * @param time its folder's name.
     * @param field what.
     */
    public void writeField(final String time, final Field field) {
        writeField(time, field, writePrecision());
    }

    /**
     * Writes a field with more or fewer digits than writePrecision.
     *
     * @param time its folder's name.
     * @param field what.
     * @param precision significant digits.
     */
    public void writeField(final String time, final Field field, final int precision) {
        FieldFiles.write(destination.resolve(time).resolve(field.name()), time, field, precision);
    }

    /**
     * Reads a dictionary.
     *
     * @param path from {@link #folder}.
     * @return its entries.
     */
    public Dictionary dictionary(final String path) {
        return Dictionary.read(folder.resolve(path), root);
    }

    /**
     * Writes a dictionary with OpenFOAM's header.
     *
     * @param path from {@link #folder}: its last name is the object's.
     * @param dictionary what.
     */
    public void writeDictionary(final String path, final Dictionary dictionary) {
        final Path file = destination.resolve(path);
        final String location = Path.of(path).getParent().toString();
        try (FoamWriter writer = FoamWriter.create(file, writePrecision())) {
            writer.header("dictionary", location, file.getFileName().toString());
            writer.topEntries(dictionary);
            writer.footer();
        }
    }

    /**
     * Writes the folder of a time so that whoever looks, and whoever stops the run, finds either all of its files or none.
     *
     * @param time its folder's name.
     * @param files writes them, by this case.
     */
    public void writeTime(final String time, final Runnable files) {
        final Path unfinished = folder.resolve(UNFINISHED);
        if (Files.exists(unfinished)) {
            remove(UNFINISHED);
        }
        destination = unfinished;
        try {
            files.run();
        } finally {
            destination = folder;
        }
        try {
            if (!Files.exists(unfinished)) {
                return;
            }
            if (exists(time)) {
                moveInto(unfinished.resolve(time), folder.resolve(time));
            } else {
                Files.move(unfinished.resolve(time), folder.resolve(time));
            }
        } catch (final IOException e) {
            throw new FoamException(folder.resolve(time), 0, "cannot be written: " + e);
        }
        remove(UNFINISHED);
    }

    /** Replaces files of a folder that was there; others in it stay. */
    private static void moveInto(final Path from, final Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (final Path path : (Iterable<Path>) paths.filter(Files::isRegularFile)::iterator) {
                final Path target = to.resolve(from.relativize(path));
                Files.createDirectories(target.getParent());
                Files.move(path, target, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Removes the folder of a time, with all that is in it. */
    void remove(final String time) {
        final Path old = folder.resolve(time);
        try (Stream<Path> paths = Files.walk(old)) {
            for (final Path path : (Iterable<Path>) paths.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(path);
            }
        } catch (final IOException e) {
            throw new FoamException(old, 0, "cannot be removed: " + e);
        }
    }

    /**
     * The times that have folders.
     *
     * @return in seconds, in ascending order.
     */
    public double[] times() {
        try (Stream<Path> names = Files.list(folder)) {
            return names.filter(Files::isDirectory)
                    .map(path -> path.getFileName().toString())
                    .filter(Case::isTime)
                    .mapToDouble(Double::parseDouble)
                    .sorted()
                    .toArray();
        } catch (final IOException e) {
            throw new FoamException(folder, 0, "cannot be listed: " + e);
        }
    }

    /**
     * The folder of a time.
     *
     * @param time in seconds.
     * @return its name as it is; null if there is none.
     */
    public String timeFolder(final double time) {
        try (Stream<Path> names = Files.list(folder)) {
            return names.filter(Files::isDirectory)
                    .map(path -> path.getFileName().toString())
                    .filter(Case::isTime)
                    .filter(name -> Math.abs(Double.parseDouble(name) - time) <= 1e-12 * Math.max(1, Math.abs(time)))
                    .findFirst()
                    .orElse(null);
        } catch (final IOException e) {
            throw new FoamException(folder, 0, "cannot be listed: " + e);
        }
    }

    private static boolean isTime(final String name) {
        return name.matches("[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?");
    }

    @Override
    public String toString() {
        return folder + " " + Arrays.toString(times());
    }
}
