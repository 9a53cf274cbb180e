package org.parley;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;

/**
 * Makes objects of the classes that the receiving program has: they need not be those that the library's own loader
 * would find, as for ranks that share a JVM.
 */
final class ProgramInput extends ObjectInputStream {
    ProgramInput(final InputStream in) throws IOException {
        super(in);
    }

    @Override
    protected Class<?> resolveClass(final ObjectStreamClass description) throws IOException, ClassNotFoundException {
        try {
            return Class.forName(
                    description.getName(), false, Thread.currentThread().getContextClassLoader());
        } catch (final ClassNotFoundException e) {
            // Primitive types are among those that only the other way knows.
            return super.resolveClass(description);
        }
    }
}
