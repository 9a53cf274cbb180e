package org.parley.launcher;

/** The parley command. */
public final class Main {
    private Main() {}

    /**
     * Runs one command and exits with its code.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.out.println("parley " + Main.class.getPackage().getImplementationVersion());
    }
}
