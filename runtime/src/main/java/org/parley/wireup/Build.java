package org.parley.wireup;

/** Which Parley this is. */
final class Build {
    /** Name and version of the library that this JVM has loaded. */
    static final String NAME = name();

    private Build() {}

    private static String name() {
        final String version = Build.class.getPackage().getImplementationVersion();
        return "Parley " + (version == null ? "(unpacked classes)" : version);
    }
}
