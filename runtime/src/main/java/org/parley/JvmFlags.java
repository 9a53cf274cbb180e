package org.parley;

/** The JVM options that Agrona needs; checked before any of its types is touched. */
final class JvmFlags {
    private static final String OPENED = "jdk.internal.misc";

    private JvmFlags() {}

    static void check() {
        if (!Object.class.getModule().isOpen(OPENED, Parley.class.getModule())) {
            throw new IllegalStateException("this JVM must be started with the option --add-opens java.base/"
                    + OPENED
                    + "=ALL-UNNAMED (the launcher, parley run, adds it; else put it on the"
                    + " command line or in the variable JDK_JAVA_OPTIONS)");
        }
    }
}
