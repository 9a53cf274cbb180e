package programs;

import java.nio.file.Files;
import java.nio.file.Path;

/** Tells where it was loaded from, and how large the file {@code large} beside it is. */
public final class ClassPath {
    private ClassPath() {}

    /** Tells. */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(ClassPath.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        System.out.println("rank " + System.getenv("PARLEY_RANK") + ": " + folder + " "
                + Files.size(folder.resolve("programs/large")));
    }
}
