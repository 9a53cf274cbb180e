import org.parley.Parley;

/** Joins the job, prints one line, leaves. */
public final class Hello {
    private Hello() {
    }

    /**
     * Prints one line a rank.
     *
     * @param args unused
     */
    public static void main(final String[] args) {
        try (Parley parley = Parley.init()) {
            System.out.println("hello from " + parley.world().rank() + " of " + parley.world().size());
        }
    }
}
