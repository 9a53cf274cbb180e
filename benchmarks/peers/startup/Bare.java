/** The least that a JVM can do: the yardstick of the start-up comparison. */
public final class Bare {
    private Bare() {
    }

    /**
     * Prints one line.
     *
     * @param args unused
     */
    public static void main(final String[] args) {
        System.out.println("hello");
    }
}
