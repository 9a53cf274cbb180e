package org.parley.foam.fvm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Cases of the tests, as dictionaries that icoFoam reads as well. */
final class Cases {
    static final List<String> ALL = List.of(
            "cavity",
            "graded",
            "gamg",
            "presweeps",
            "skewed",
            "limited",
            "uncorrected",
            "cube",
            "backward",
            "cyclic",
            "inout",
            "adjusted",
            "blocks");

    private static final String LID = "movingWall { type fixedValue; value uniform (1 0 0); }"
            + " fixedWalls { type noSlip; } frontAndBack { type empty; }";
    private static final String WALLS =
            "movingWall { type zeroGradient; } fixedWalls { type zeroGradient; } frontAndBack { type empty; }";
    static final String PCG = "solver PCG; preconditioner DIC; tolerance 1e-06; relTol 0.05;";
    static final String SMOOTH = "solver smoothSolver; smoother symGaussSeidel; tolerance 1e-05; relTol 0;";

    private String mesh;
    private String velocity = LID;
    private String pressure = WALLS;
    private String start = "(0 0 0)";
    private String solverOfP = PCG;
    private String solverOfU = SMOOTH;
    private String ddt = "Euler";
    private String convection = "linear";
    private String snGrad = "orthogonal";
    private int nonOrthogonal;
    private double deltaT = 0.002;
    private double nu = 0.01;
    private int steps = 20;

    private Cases(final String mesh) {
        this.mesh = mesh;
    }

    /** Writes a case of {@link #ALL}. */
    static Path write(final Path folder, final String name) {
        final Cases made = of(name);
        made.write(folder);
        return folder;
    }

    /** Writes a cavity of a unit box. */
    static Path cavity(
            final Path folder,
            final int cells,
            final double reynolds,
            final double deltaT,
            final int steps,
            final String solverOfP,
            final String solverOfU) {
        final Cases made = new Cases(box(cells, cells, 1, 1, 0, "(1 1 1)"));
        made.nu = 1 / reynolds;
        made.deltaT = deltaT;
        made.steps = steps;
        made.solverOfP = solverOfP;
        made.solverOfU = solverOfU;
        made.write(folder);
        return folder;
    }

    private static Cases of(final String name) {
        final Cases made;
        switch (name) {
            case "cavity" -> {
                made = new Cases(box(20, 20, 1, 0.1, 0, "(1 1 1)"));
                made.deltaT = 0.005;
            }
            case "graded" -> {
                made = new Cases(box(24, 18, 1, 0.1, 0, "(2 0.5 1)"));
                made.snGrad = "corrected";
            }
            case "gamg" -> {
                made = new Cases(box(40, 32, 1, 0.1, 0, "(1 1 1)"));
                made.solverOfP = "solver GAMG; smoother GaussSeidel; tolerance 1e-06; relTol 0.05;";
                made.solverOfU = "solver PBiCGStab; preconditioner DILU; tolerance 1e-07; relTol 0;";
            }
            case "presweeps" -> {
                made = new Cases(box(40, 32, 1, 0.1, 0, "(1 1 1)"));
                made.solverOfP = "solver GAMG; smoother symGaussSeidel; nPreSweeps 1; nCellsInCoarsestLevel 20;"
                        + " mergeLevels 2; tolerance 1e-06; relTol 0.05;";
                made.solverOfU = "solver PBiCG; preconditioner DILU; tolerance 1e-07; relTol 0;";
            }
            case "skewed" -> {
                made = new Cases(box(20, 20, 1, 0.1, 0.4, "(1 1 1)"));
                made.snGrad = "corrected";
                made.nonOrthogonal = 1;
                made.solverOfU = "solver smoothSolver; smoother GaussSeidel; nSweeps 2; tolerance 1e-06; relTol 0.1;";
            }
            case "limited" -> {
                made = new Cases(box(20, 20, 1, 0.1, 0.6, "(1 1 1)"));
                made.snGrad = "limited 0.5";
                made.nonOrthogonal = 2;
                made.convection = "linearUpwind grad(U)";
                made.ddt = "backward";
            }
            case "uncorrected" -> {
                made = new Cases(box(20, 20, 1, 0.1, 0.3, "(1 1 1)"));
                made.snGrad = "uncorrected";
                made.convection = "upwind";
                made.solverOfP = "solver PCG; preconditioner diagonal; tolerance 1e-06; relTol 0;";
                made.solverOfU = "solver PBiCGStab; preconditioner diagonal; tolerance 1e-07; relTol 0;";
            }
            case "cube" -> {
                made = new Cases(box(12, 10, 8, 0.1, 0, "(1 1 1)"));
                made.velocity = LID.replace("empty", "noSlip");
                made.pressure = WALLS.replace("empty", "zeroGradient");
                made.deltaT = 0.005;
            }
            case "backward" -> {
                made = new Cases(box(20, 20, 1, 0.1, 0, "(1 1 1)"));
                made.ddt = "backward";
                made.deltaT = 0.005;
            }
            case "cyclic" -> {
                made = new Cases(
                        channel("type cyclic; neighbourPatch right;", "type cyclic; neighbourPatch left;", "wall"));
                made.start = "(0.3 0.05 0)";
                made.velocity = "left { type cyclic; } right { type cyclic; } top { type fixedValue;"
                        + " value uniform (1 0 0); } bottom { type noSlip; } frontAndBack { type empty; }";
                made.pressure = "left { type cyclic; } right { type cyclic; } top { type zeroGradient; }"
                        + " bottom { type zeroGradient; } frontAndBack { type empty; }";
            }
            case "inout" -> {
                made = new Cases(channel("type patch;", "type patch;", "symmetryPlane"));
                made.velocity = through("inletOutlet; inletValue uniform (0 0 0); value uniform (0 0 0)");
                made.pressure = outlet("fixedValue; value uniform 2");
                made.deltaT = 0.001;
            }
            case "adjusted" -> {
                made = new Cases(channel("type patch;", "type patch;", "symmetryPlane"));
                made.velocity = through("zeroGradient");
                made.pressure = outlet("zeroGradient");
                made.deltaT = 0.001;
                made.nu = 0.1;
            }
            case "blocks" -> {
                made = new Cases(BLOCKS);
                made.snGrad = "corrected";
                made.nonOrthogonal = 1;
            }
            default -> throw new IllegalArgumentException(name);
        }
        return made;
    }

    private static String through(final String outlet) {
        return "left { type fixedValue; value uniform (1 0 0); } right { type " + outlet + "; }"
                + " top { type noSlip; } bottom { type symmetryPlane; } frontAndBack { type empty; }";
    }

    private static String outlet(final String outlet) {
        return "left { type zeroGradient; } right { type " + outlet + "; } top { type zeroGradient; }"
                + " bottom { type symmetryPlane; } frontAndBack { type empty; }";
    }

    private static String box(
            final int nx, final int ny, final int nz, final double scale, final double skew, final String grading) {
        final String depth = nz == 1 ? "0.1" : "1";
        final double right = 1 + skew;
        return "scale " + scale + "; vertices ((0 0 0) (1 0 0) (" + right + " 1 0) (" + skew + " 1 0) (0 0 " + depth
                + ") (1 0 " + depth + ") (" + right + " 1 " + depth + ") (" + skew + " 1 " + depth + "));\n"
                + "blocks (hex (0 1 2 3 4 5 6 7) (" + nx + " " + ny + " " + nz + ") simpleGrading " + grading + ");\n"
                + "boundary ( movingWall { type wall; faces ((3 7 6 2)); }\n"
                + " fixedWalls { type wall; faces ((0 4 7 3) (2 6 5 1) (1 5 4 0)); }\n"
                + " frontAndBack { type " + (nz == 1 ? "empty" : "wall") + "; faces ((0 3 2 1) (4 5 6 7)); } );\n"
                + "mergePatchPairs ();";
    }

    private static String channel(final String left, final String right, final String bottom) {
        return "scale 0.1; vertices ((0 0 0) (2 0 0) (2 1 0) (0 1 0) (0 0 0.1) (2 0 0.1) (2 1 0.1) (0 1 0.1));\n"
                + "blocks (hex (0 1 2 3 4 5 6 7) (24 16 1) simpleGrading (1 1 1));\n"
                + "boundary ( left { " + left + " faces ((0 4 7 3)); } right { " + right + " faces ((2 6 5 1)); }\n"
                + " top { type wall; faces ((3 7 6 2)); } bottom { type " + bottom + "; faces ((1 5 4 0)); }\n"
                + " frontAndBack { type empty; faces ((0 3 2 1) (4 5 6 7)); } );\nmergePatchPairs ();";
    }

    private static final String BLOCKS = """
            scale 0.1;
            vertices ((0 0 0) (1 0 0) (2 0 0) (0 1 0) (1 1.2 0) (2 1 0) (0 2 0) (1 2 0) (2 2.1 0) (0 0 0.2) (1 0 0.2)
              (2 0 0.2) (0 1 0.2) (1 1.2 0.2) (2 1 0.2) (0 2 0.2) (1 2 0.2) (2 2.1 0.2));
            blocks (hex (0 1 4 3 9 10 13 12) (10 8 1) simpleGrading (1 1 1)
              hex (1 2 5 4 10 11 14 13) (12 8 1) simpleGrading (1 1 1)
              hex (3 4 7 6 12 13 16 15) (10 9 1) simpleGrading (1 2 1));
            boundary ( movingWall { type wall; faces ((6 15 16 7)); }
              fixedWalls { type wall; faces ((0 9 12 3) (3 12 15 6) (0 1 10 9) (1 2 11 10) (2 5 14 11) (4 13 14 5) (4 7 16 13)); }
              frontAndBack { type empty; faces ((0 3 4 1) (1 4 5 2) (3 6 7 4) (9 10 13 12) (10 11 14 13) (12 13 16 15)); } );
            mergePatchPairs ();
            """;

    private void write(final Path folder) {
        put(
                folder,
                "system/controlDict",
                "dictionary",
                "application icoFoam; startFrom startTime; startTime 0; stopAt endTime; endTime " + deltaT * steps
                        + "; deltaT " + deltaT + "; writeControl timeStep; writeInterval " + steps
                        + "; writeFormat ascii; writePrecision 12; timeFormat general; timePrecision 6;");
        put(
                folder,
                "system/fvSchemes",
                "dictionary",
                "ddtSchemes { default " + ddt + "; } gradSchemes { default Gauss linear; }\n"
                        + "divSchemes { default none; div(phi,U) Gauss " + convection + "; }\n"
                        + "laplacianSchemes { default Gauss linear " + snGrad + "; }\n"
                        + "interpolationSchemes { default linear; } snGradSchemes { default " + snGrad + "; }");
        put(
                folder,
                "system/fvSolution",
                "dictionary",
                "solvers { p { " + solverOfP + " } pFinal { $p; relTol 0; } U { " + solverOfU + " } }\n"
                        + "PISO { nCorrectors 2; nNonOrthogonalCorrectors " + nonOrthogonal
                        + "; pRefCell 0; pRefValue 0; }");
        put(folder, "constant/transportProperties", "dictionary", "nu [0 2 -1 0 0 0 0] " + nu + ";");
        put(folder, "system/blockMeshDict", "dictionary", mesh);
        put(
                folder,
                "0/U",
                "volVectorField",
                "dimensions [0 1 -1 0 0 0 0]; internalField uniform " + start + "; boundaryField { " + velocity + " }");
        put(
                folder,
                "0/p",
                "volScalarField",
                "dimensions [0 2 -2 0 0 0 0]; internalField uniform 0; boundaryField { " + pressure + " }");
    }

    /** How decomposePar is to cut a case. */
    static void decomposition(final Path folder, final int ranks) {
        final String n = ranks == 4 ? "(2 2 1)" : "(" + ranks + " 1 1)";
        put(
                folder,
                "system/decomposeParDict",
                "dictionary",
                "numberOfSubdomains " + ranks + "; method simple; simpleCoeffs { n " + n + "; delta 0.001; }");
    }

    static void put(final Path folder, final String path, final String type, final String text) {
        final Path file = folder.resolve(path);
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(
                    file,
                    "FoamFile { version 2.0; format ascii; class " + type + "; object " + file.getFileName() + "; }\n"
                            + text + "\n");
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
