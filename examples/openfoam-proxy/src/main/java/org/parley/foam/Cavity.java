package org.parley.foam;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.parley.foam.dictionary.FoamException;

/** The lid-driven cavity: a case of a unit box, full of fluid at rest, whose lid moves with unit speed. */
final class Cavity {
    private static final double COURANT = 0.5;

    private Cavity() {}

    /** Writes the case; one cell along z is a flow in two dimensions. */
    static void write(final Path folder, final int[] cells, final int steps, final double reynolds) {
        if (Files.exists(folder.resolve("system"))) {
            throw new FoamException(folder, 0, "is a case already: --cells makes one in a folder that has no system");
        }
        final boolean flat = cells[2] == 1;
        final double dt = COURANT / Math.max(cells[0], cells[1]);
        final String walls = flat ? "" : "(0 3 2 1) (4 5 6 7)";
        final String empty = flat ? "frontAndBack { type empty; faces ((0 3 2 1) (4 5 6 7)); }" : "";
        final String emptyField = flat ? "frontAndBack { type empty; }" : "";
        Map.of(
                        "system/controlDict",
                        "application icoFoam; startFrom startTime; startTime 0; stopAt endTime; endTime " + dt * steps
                                + "; deltaT " + dt + "; writeControl timeStep; writeInterval " + steps
                                + "; writeFormat ascii; writePrecision 6; timeFormat general; timePrecision 6;",
                        "system/fvSchemes",
                        "ddtSchemes { default Euler; } gradSchemes { default Gauss linear; }"
                                + " divSchemes { default none; div(phi,U) Gauss linear; }"
                                + " laplacianSchemes { default Gauss linear orthogonal; }"
                                + " interpolationSchemes { default linear; } snGradSchemes { default orthogonal; }",
                        "system/fvSolution",
                        "solvers { p { solver PCG; preconditioner DIC; tolerance 1e-06; relTol 0.05; }"
                                + " pFinal { $p; relTol 0; }"
                                + " U { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-05; relTol 0; } }"
                                + " PISO { nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }",
                        "system/blockMeshDict",
                        "depth " + (flat ? 1.0 / cells[0] : 1) + "; vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0)"
                                + " (0 0 $depth) (1 0 $depth) (1 1 $depth) (0 1 $depth));"
                                + " blocks (hex (0 1 2 3 4 5 6 7) (" + cells[0] + " " + cells[1] + " " + cells[2]
                                + ") simpleGrading (1 1 1));"
                                + " boundary (movingWall { type wall; faces ((3 7 6 2)); } fixedWalls { type wall;"
                                + " faces ((0 4 7 3) (2 6 5 1) (1 5 4 0) " + walls + "); } " + empty + ");",
                        "constant/transportProperties",
                        "nu " + 1 / reynolds + ";",
                        "0/U",
                        "dimensions [0 1 -1 0 0 0 0]; internalField uniform (0 0 0); boundaryField { movingWall"
                                + " { type fixedValue; value uniform (1 0 0); } fixedWalls { type noSlip; } "
                                + emptyField + " }",
                        "0/p",
                        "dimensions [0 2 -2 0 0 0 0]; internalField uniform 0; boundaryField { \".*Walls?\""
                                + " { type zeroGradient; } " + emptyField + " }")
                .forEach((path, text) -> write(folder.resolve(path), text));
    }

    private static void write(final Path file, final String text) {
        final String name = file.getFileName().toString();
        final String type = switch (name) {
            case "U" -> "volVectorField";
            case "p" -> "volScalarField";
            default -> "dictionary";
        };
        // OpenFOAM's files have an entry a line.
        final String lines = text.replace("; ", ";\n").replace("{ ", "{\n").replace("} ", "}\n");
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(
                    file,
                    "FoamFile { version 2.0; format ascii; class " + type + "; object " + name + "; }\n" + lines
                            + "\n");
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}
