import java.nio.file.Files;
import java.nio.file.Path;
import org.parley.Parley;

/** Prints what a rank occupies while all are there: its share of memory in kB; rank 0 also what the machine has left. */
public class Many {
    public static void main(String[] args) throws Exception {
        try (Parley parley = Parley.init()) {
            parley.world().barrier();
            String share = "rank " + kilobytes("/proc/self/smaps_rollup", "Pss:");
            if (parley.world().rank() == 0) {
                share += "\nfree " + kilobytes("/proc/meminfo", "MemAvailable:");
            }
            parley.world().barrier();
            System.out.println(share);
        }
    }

    private static String kilobytes(String file, String key) throws Exception {
        return Files.readAllLines(Path.of(file)).stream()
                .filter(line -> line.startsWith(key))
                .findFirst()
                .orElseThrow()
                .replaceAll("\\D", "");
    }
}
