package org.parley;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads a program's classes anew for each rank of a JVM, so that each has static state of its own.
 * The library and what it stands on come from the parent: native memory and JNA exist once.
 */
final class RankClassLoader extends URLClassLoader {
    private static final List<String> SHARED =
            List.of("java.", "javax.", "jdk.", "sun.", "org.parley.", "org.agrona.", "com.sun.", "org.slf4j.");

    private final Class<?> program;

    private RankClassLoader(final URL[] classPath, final Class<?> program) {
        super(classPath, program.getClassLoader());
        this.program = program;
    }

    static void runMain(final Class<?> program, final String[] arguments) throws Exception {
        try (RankClassLoader loader = new RankClassLoader(classPath(), program)) {
            Thread.currentThread().setContextClassLoader(loader);
            final Class<?> own = loader.loadClass(program.getName());
            own.getMethod("main", String[].class).invoke(null, (Object) arguments.clone());
        } catch (final InvocationTargetException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw new ParleyException("the program failed: " + e.getCause(), e.getCause());
        }
    }

    private static URL[] classPath() throws MalformedURLException {
        final List<URL> urls = new ArrayList<>();
        for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(new URL[0]);
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            if (isShared(name)) {
                return super.loadClass(name, resolve);
            }
            final Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try {
                return findClass(name);
            } catch (final ClassNotFoundException e) {
                return super.loadClass(name, resolve);
            }
        }
    }

    /** The program itself is its rank's own even where it lives in a package of the library. */
    private boolean isShared(final String name) {
        return SHARED.stream().anyMatch(name::startsWith)
                && !name.equals(program.getName())
                && !name.startsWith(program.getName() + "$");
    }
}
