package org.parley.foam;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Cases for tests, the project's own. */
public final class Cases {
    /** Three blocks with different axes, graded by edge and by section, with all supported kinds of curves. */
    public static final String BLOCKS = """
            convertToMeters 0.1;
            vertices
            (
                (0 0 0) (1 0 0) (2.5 0 0) (0 1 0) (1 1.1 0) (2.5 1 0) (0 2 0) (1 2 0)
                (0 0 0.5) (1 0 0.5) (2.5 0 0.5) (0 1 0.5) (1 1.1 0.5) (2.5 1 0.5) (0 2 0.5) (1 2 0.5)
            );
            blocks
            (
                hex (0 1 4 3 8 9 12 11) (7 6 3) edgeGrading (2 2 2 1 1 2 2 1 1 1 1 1)
                hex (1 9 10 2 4 12 13 5) side (3 5 6) simpleGrading (1 -3 2)
                hex (3 4 7 6 11 12 15 14) (7 8 3) simpleGrading (2 ((0.3 0.5 4) (0.7 0.5 0.2)) 1)
            );
            edges
            (
                arc 1 2 (1.7 -0.2 0)
                arc 9 10 (1.7 -0.2 0.5)
                polyLine 6 3 ((-0.1 1.7 0) (-0.2 1.4 0))
                spline 14 11 ((-0.1 1.7 0.5) (-0.2 1.4 0.5))
                line 7 4
            );
            boundary
            (
                inlet { type patch; faces ((0 8 11 3) (3 11 14 6)); }
                outlet { type patch; faces ((2 5 13 10)); }
                walls { type wall; faces ((0 1 9 8) (1 2 10 9) (6 14 15 7)); }
                bottom { type symmetryPlane; faces ((0 3 4 1)); }
            );
            defaultPatch { name rest; type wall; }
            mergePatchPairs ();
            """;

    /** A box that repeats along x, between walls, with a plane and a surface of symmetry. */
    public static final String CHANNEL = """
            scale 0.1;
            L 3;
            vertices ((0 0 0) ($L 0 0) ($L 1 0) (0 1 0) (0 0 1) ($L 0 1) ($L 1 1) (0 1 1));
            blocks (hex (0 1 2 3 4 5 6 7) (8 6 4) simpleGrading (1 2 1));
            boundary
            (
                left { type cyclic; neighbourPatch right; faces ((0 4 7 3)); }
                right { type cyclic; neighbourPatch left; faces ((1 2 6 5)); }
                walls { type wall; faces ((0 1 5 4) (3 7 6 2)); }
                front { type symmetryPlane; faces ((0 3 2 1)); }
                back { type symmetry; inGroups (mine); faces ((0 5)); }
            );
            """;

    /** A square with a lid, of n by n cells, in the older form of patches. */
    public static String square(final int n) {
        return """
               convertToMeters 1;
               vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 0.1) (1 0 0.1) (1 1 0.1) (0 1 0.1));
               blocks 1 (hex (0 1 2 3 4 5 6 7) (%d %d 1) simpleGrading (1 1 1));
               patches
               (
                   wall lid ((3 7 6 2))
                   wall walls ((0 4 7 3) (2 6 5 1) (1 5 4 0))
                   empty frontAndBack ((0 3 2 1) (4 5 6 7))
               );
               """.formatted(n, n);
    }

    private Cases() {}

    /** Writes a case whose conditions fit the square. */
    static Path square(final Path folder, final int n) {
        write(
                folder,
                square(n),
                "lid { type fixedValue; value uniform (1 0 0); } walls { type noSlip; }"
                        + " frontAndBack { type empty; }",
                "\"lid|walls\" { type zeroGradient; } frontAndBack { type empty; }");
        return folder;
    }

    /** Writes a case whose conditions fit the blocks. */
    static Path blocks(final Path folder) {
        write(
                folder,
                BLOCKS,
                "inlet { type fixedValue; value uniform (1 0 0); } outlet { type zeroGradient; }"
                        + " wall { type noSlip; } bottom { type symmetryPlane; }",
                "outlet { type fixedValue; value uniform 0; }"
                        + " bottom { type symmetryPlane; } \".*\" { type zeroGradient; }");
        return folder;
    }

    /** Writes a case whose conditions fit the channel. */
    static Path channel(final Path folder) {
        write(
                folder,
                CHANNEL,
                "left { type cyclic; } right { type cyclic; } walls { type noSlip; }"
                        + " front { type symmetryPlane; } back { type symmetry; }",
                "left { type cyclic; } right { type cyclic; }"
                        + " walls { type zeroGradient; } front { type symmetryPlane; } back { type symmetry; }");
        return folder;
    }

    private static void write(final Path folder, final String mesh, final String u, final String p) {
        put(folder, "system/blockMeshDict", mesh);
        put(folder, "system/controlDict", """
                application icoFoam;
                startFrom startTime;
                startTime 0;
                stopAt endTime;
                endTime 0.02;
                deltaT 0.005;
                writeControl timeStep;
                writeInterval 2;
                writeFormat ascii;
                writePrecision 8;
                """);
        put(folder, "system/fvSchemes", """
                ddtSchemes { default Euler; }
                gradSchemes { default Gauss linear; }
                divSchemes { default none; div(phi,U) Gauss linear; }
                laplacianSchemes { default Gauss linear corrected; }
                interpolationSchemes { default linear; }
                snGradSchemes { default corrected; }
                """);
        put(folder, "system/fvSolution", """
                solvers
                {
                    p { solver PCG; preconditioner DIC; tolerance 1e-06; relTol 0.05; }
                    pFinal { $p; relTol 0; }
                    U { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-05; relTol 0; }
                }
                PISO { nCorrectors 2; nNonOrthogonalCorrectors 1; pRefCell 0; pRefValue 0; }
                """);
        put(folder, "system/decomposeParDict", """
                numberOfSubdomains 4;
                method simple;
                simpleCoeffs { n (2 2 1); delta 0.001; }
                """);
        put(folder, "constant/transportProperties", "nu nu [0 2 -1 0 0 0 0] 0.01;\n");
        put(
                folder,
                "0/U",
                "dimensions [0 1 -1 0 0 0 0];\ninternalField uniform (0.1 0 0);\nboundaryField\n{\n"
                        + u.replace("} ", "}\n") + "\n}\n");
        put(
                folder,
                "0/p",
                "dimensions [0 2 -2 0 0 0 0];\ninternalField uniform 0;\nboundaryField\n{\n" + p.replace("} ", "}\n")
                        + "\n}\n");
    }

    /** Writes a file with its header. */
    static void put(final Path folder, final String path, final String text) {
        final String name = path.substring(path.lastIndexOf('/') + 1);
        final String type = name.equals("U") ? "volVectorField" : name.equals("p") ? "volScalarField" : "dictionary";
        try {
            Files.createDirectories(folder.resolve(path).getParent());
            Files.writeString(
                    folder.resolve(path),
                    "FoamFile\n{\n    version 2.0;\n    format ascii;\n    class " + type + ";\n    object " + name
                            + ";\n}\n" + text);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Replaces one text in a file, which has to be there. */
    static void edit(final Path file, final String from, final String to) {
        try {
            final String text = Files.readString(file);
            if (!text.contains(from)) {
                throw new IllegalArgumentException(file + " has no '" + from + "'");
            }
            Files.writeString(file, text.replace(from, to));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
