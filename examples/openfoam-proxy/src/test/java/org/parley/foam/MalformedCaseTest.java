package org.parley.foam;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.parley.foam.decompose.Decomposition;
import org.parley.foam.dictionary.FoamException;
import org.parley.foam.fvm.IcoFoam;

/** Cases with a mistake: each is told with the file, the line and the word, and nothing else is thrown. */
class MalformedCaseTest {
    @TempDir
    Path folder;

    /** All that the command does, but the ranks. */
    private static void use(final Path folder) {
        final Case caze = Case.of(folder);
        MeshFiles.make(caze);
        Decomposition.decompose(caze, 4);
        new IcoFoam(Case.of(folder), null, null).run();
    }

    @Test
    void shouldRunTheCaseWithoutAMistake() {
        use(Cases.blocks(folder));
        assertTrue(Files.exists(folder.resolve("0.02/U")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "system/blockMeshDict | vertices | points | entry 'vertices' is missing",
                "system/blockMeshDict | (0 0 0) (1 0 0) | (0 0) (1 0 0) | blockMeshDict:11: entry 'vertices': expected a number",
                "system/blockMeshDict | (0 0 0) (1 0 0) | name v0 (0 0 0) (1 0 0) | blockMeshDict:11: entry 'vertices'",
                "system/blockMeshDict | hex (3 | prism (3 | blockMeshDict:18: block 'prism' is not supported",
                "system/blockMeshDict | hex (3 4 | hex (3 40 | blockMeshDict:18: there is no vertex 40",
                "system/blockMeshDict | hex (3 4 | hex (4 3 | blockMeshDict:18: the points of block",
                "system/blockMeshDict | hex (3 4 | hex (3 3 | blockMeshDict:18: vertex 3 is there twice",
                "system/blockMeshDict | hex (3 4 7 | hex (3 7 | blockMeshDict:18: a hex has eight vertices",
                "system/blockMeshDict | (7 8 3) | (7 8) | blockMeshDict:18: a block has three numbers",
                "system/blockMeshDict | (7 8 3) | (7 8 0) | blockMeshDict:18: a block has three numbers",
                "system/blockMeshDict | (7 8 3) | (7 8.5 3) | blockMeshDict:18: a list of whole numbers",
                "system/blockMeshDict | (7 8 3) | (700000 80000 3) | blockMeshDict:18: a block of more than",
                "system/blockMeshDict | (7 8 3) | (6 8 3) | blockMeshDict:18: block 2 and block 0 divide",
                "system/blockMeshDict | simpleGrading (2 (( | simpleGrading (3 (( | blockMeshDict:18: the points of block",
                "system/blockMeshDict | simpleGrading (2 (( | fullGrading (2 (( | blockMeshDict:18: grading 'fullGrading'",
                "system/blockMeshDict | (0.3 0.5 4) | (0.3 0.5 0) | blockMeshDict:18: a ratio of cells cannot be 0",
                "system/blockMeshDict | (0.3 0.5 4) | (-0.3 0.5 4) | blockMeshDict:18: a section of a grading",
                "system/blockMeshDict | edgeGrading (2 2 2 | edgeGrading (2 2 | blockMeshDict:16: a grading has 1, 3 or 12",
                "system/blockMeshDict | arc 1 2 (1.7 -0.2 0) | arc 1 2 (1.5 0 0) | blockMeshDict:22: the arc's three points",
                "system/blockMeshDict | arc 1 2 (1.7 -0.2 0) | arc 1 2 origin (1.7 0 0) | blockMeshDict:22: arc by 'origin'",
                "system/blockMeshDict | polyLine 6 3 | BSpline 6 3 | blockMeshDict:24: edge 'BSpline' is not supported",
                "system/blockMeshDict | polyLine 6 3 | polyLine 6 33 | blockMeshDict:24: there is no vertex 33",
                "system/blockMeshDict | (2 5 13 10) | (2 5 13 11) | blockMeshDict:31: patch 'outlet': [2, 5, 13, 11] is no face",
                "system/blockMeshDict | (2 5 13 10) | (1 4 12 9) | blockMeshDict:31: patch 'outlet': [1, 4, 12, 9] lies between",
                "system/blockMeshDict | (2 5 13 10) | (2 5 13 99) | blockMeshDict:31: patch 'outlet': there is no vertex 99",
                "system/blockMeshDict | (2 5 13 10) | (0 7) | blockMeshDict:31: there is no block 0 with a face 7",
                "system/blockMeshDict | (2 5 13 10) | (0 8 11 3) | blockMeshDict:31: the face [0, 8, 11, 3] belongs",
                "system/blockMeshDict | type symmetryPlane | type wedge | blockMeshDict:33: patch 'bottom': type 'wedge'",
                "system/blockMeshDict | type symmetryPlane | type cyclic | blockMeshDict:33: entry 'neighbourPatch' is missing",
                "system/blockMeshDict | type symmetryPlane | neighbourPatch walls; type cyclic | patch 'bottom': there is no cyclic",
                "system/blockMeshDict | outlet { | inlet { | blockMeshDict:31: patch 'inlet' is there twice",
                "system/blockMeshDict | mergePatchPairs () | mergePatchPairs ((a b)) | 'mergePatchPairs' is not supported",
                "system/blockMeshDict | name rest; type wall | name rest; type cyclic | defaultPatch: type 'cyclic'",
                "system/blockMeshDict | boundary | bounds | entry 'boundary' is missing",
                "system/blockMeshDict | mergePatchPairs (); | mergePatchPairs () | blockMeshDict:36: entry 'mergePatchPairs' has no ';'",
                "system/blockMeshDict | convertToMeters 0.1; | convertToMeters #calc \"1\"; | blockMeshDict:8: #calc is not supported",
                "system/blockMeshDict | convertToMeters 0.1; | #codeStream { }; | blockMeshDict:8: #codeStream is not supported",
                "system/blockMeshDict | convertToMeters 0.1; | #include \"none\" | blockMeshDict:8: #include \"none\": there is no file",
                "system/blockMeshDict | convertToMeters 0.1; | #include \"blockMeshDict\" | files include each other",
                "system/blockMeshDict | convertToMeters 0.1; | convertToMeters $x; | blockMeshDict:8: '$x' names no entry",
                "system/blockMeshDict | convertToMeters 0.1; | convertToMeters 0.1 0.2; | blockMeshDict:8: nothing may follow",
                "system/blockMeshDict | convertToMeters 0.1; | /* convertToMeters 0.1; | blockMeshDict:8: the comment '/*'",
                "system/blockMeshDict | convertToMeters 0.1; | \"convert; | blockMeshDict:8: the string",
                "system/blockMeshDict | convertToMeters 0.1; | \"(((\" 1; | blockMeshDict:8: keyword \"(((\" is no regular",
                "system/blockMeshDict | format ascii | format binary | blockMeshDict:4: format 'binary' is not supported",
                "system/controlDict | deltaT 0.005; | | entry 'deltaT' is missing",
                "system/controlDict | deltaT 0.005 | deltaT -1 | controlDict:13: deltaT -1.0 has to be more than 0",
                "system/controlDict | deltaT 0.005 | deltaT fast | controlDict:13: entry 'deltaT': expected a number",
                "system/controlDict | writeInterval 2 | writeInterval 0 | controlDict:15: writeInterval 0.0 is too small",
                "system/controlDict | writeControl timeStep | writeControl cpuTime | controlDict:14: writeControl 'cpuTime'",
                "system/controlDict | startFrom startTime | startFrom now | controlDict:9: startFrom 'now' is unknown",
                "system/controlDict | startTime 0; | startTime 7; | has no folder of the start time 7",
                "system/controlDict | stopAt endTime | stopAt never | controlDict:11: stopAt 'never' is unknown",
                "system/controlDict | writeFormat ascii | writeFormat binary | controlDict:16: writeFormat 'binary'",
                "system/controlDict | writeFormat ascii | writeCompression on | controlDict:16: writeCompression 'on'",
                "system/controlDict | writePrecision 8 | writePrecision 0 | controlDict:17: writePrecision 0",
                "system/controlDict | writePrecision 8; | timeFormat short; | controlDict:17: timeFormat 'short'",
                "system/decomposeParDict | method simple | method scotch | decomposeParDict:9: method 'scotch' is not supported",
                "system/decomposeParDict | n (2 2 1) | n (2 2 2) | decomposeParDict:10: n has to be three numbers",
                "system/decomposeParDict | simpleCoeffs | coefs | entry 'simpleCoeffs' is missing",
                "system/decomposeParDict | Subdomains 4 | Subdomains 3 | decomposeParDict:8: numberOfSubdomains is 3",
                "0/U | (0.1 0 0) | (0.1 0) | U:9: entry 'internalField': expected a number, found ')'",
                "0/U | uniform (0.1 0 0) | nonuniform List<vector> 2((1 0 0) (0 0 0)) | U:9: entry 'internalField' has 2 values",
                "0/U | uniform (0.1 0 0) | nonuniform List<vector> 3((1 0 0) (0 0 0)) | U:9: the list has 2 elements, but begins with 3",
                "0/U | uniform (0.1 0 0) | nonuniform List<vector> 2000000000((1 0 0)) | U:9: the file ends before",
                "0/U | uniform (0.1 0 0) | nonuniform List<vector> -1((1 0 0)) | U:9: a list cannot have -1 elements",
                "0/U | class volVectorField | class volScalarField | U:9: entry 'internalField': expected a number",
                "0/U | [0 1 -1 0 0 0 0] | [0 1 -1] | U:8: dimensions have seven exponents, here are 3",
                "0/U | [0 1 -1 0 0 0 0] | [m s] | U:8: dimensions by names of units",
                "0/U | bottom { type symmetryPlane; } | | boundaryField has no entry for patch 'bottom'",
                "0/U | bottom { type symmetryPlane; } | bottom { type noSlip; } | condition 'noSlip' does not fit patch 'bottom'",
                "0/U | inlet { type fixedValue; | inlet { type cyclic; | U:12: condition 'cyclic' does not fit patch 'inlet'",
                "0/U | inlet { type fixedValue; | inlet { type mapped; | 'mapped'",
                "0/U | boundaryField | boundary | entry 'boundaryField' is missing",
                "0/p | type zeroGradient; | type zeroGradient | p:14: entry 'type' has no ';' at its end",
                "0/p | boundaryField | { boundaryField | p:10: expected a keyword, found '{'",
                "constant/transportProperties | nu nu | mu mu | entry 'nu' is missing",
                "constant/transportProperties | 0.01 | thin | transportProperties:8: entry 'nu': expected a number, found 'thin'",
                "system/fvSchemes | default Euler | default leapfrog | 'leapfrog'",
                "system/fvSolution | solver PCG | solver Magic | 'Magic'",
                "system/fvSolution | $p; | $q; | fvSolution:11: '$q' names no entry"
            })
    void shouldNameFileLineAndWord(final String file, final String from, final String to, final String message) {
        Cases.blocks(folder);
        Cases.edit(folder.resolve(file), from, to == null ? "" : to);
        final FoamException e = assertThrows(FoamException.class, () -> use(folder));
        assertTrue(e.getMessage().contains(message), e::getMessage);
        assertTrue(e.getMessage().startsWith(folder.toString()), e::getMessage);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "points | 2((0 | expected",
                "faces | 4(-1 | has point -1",
                "owner | 9999999 | no cell of a mesh",
                "neighbour | 0 | expected a cell after its owner",
                "boundary | 7 | patches, but begins with 7"
            })
    void shouldTellWhatIsWrongInAMesh(final String file, final String number, final String message) throws IOException {
        final Case caze = Case.of(Cases.blocks(folder));
        MeshFiles.make(caze);
        final Path path = folder.resolve("constant/polyMesh").resolve(file);
        final String text = Files.readString(path);
        // The first line after the opening of the list; of the boundary the count.
        final String broken = file.equals("boundary")
                ? text.replaceFirst("\n\\d+\n\\(", "\n" + number + "\n(")
                : text.replaceFirst("\n\\(\n(\\d+\\(\\d+|\\(0|\\d+)", "\n(\n" + number);
        assertTrue(!broken.equals(text));
        Files.writeString(path, broken);
        final FoamException e = assertThrows(FoamException.class, caze::mesh);
        assertTrue(e.getMessage().startsWith(path.toString()), e::getMessage);
        assertTrue(e.getMessage().contains(message), e::getMessage);
    }

    @Test
    void shouldRefuseCyclicPatchesThatDoNotMatch() {
        final Case caze = Case.of(Cases.channel(folder));
        Cases.edit(folder.resolve("system/blockMeshDict"), "($L 1 1)", "($L 1 1.5)");
        MeshFiles.make(caze);
        final FoamException e = assertThrows(FoamException.class, caze::mesh);
        assertTrue(e.getMessage().contains("of cyclic patch 'left' does not match"), e::getMessage);
    }

    /** Words are dropped, doubled and swapped, and ends are cut off: an error or none, but of one kind. */
    @ParameterizedTest
    @ValueSource(strings = {"system/blockMeshDict", "system/controlDict", "system/decomposeParDict", "0/U", "0/p"})
    void shouldThrowNothingElseAtRandomMistakes(final String file) throws IOException {
        Cases.blocks(folder);
        final Path path = folder.resolve(file);
        final String text = Files.readString(path);
        final Random random = new Random(file.hashCode());
        int refused = 0;
        for (int i = 0; i < 40; i++) {
            Files.writeString(path, mutate(text, random));
            try {
                final Case caze = Case.of(folder);
                MeshFiles.make(caze);
                final String time = caze.runTime().name();
                caze.fields(time).forEach((name, kind) -> caze.readField(time, name, kind));
                Decomposition.decompose(Case.of(folder), 4);
                removeParts();
            } catch (final FoamException e) {
                assertTrue(e.getMessage().startsWith(folder.toString()), e::getMessage);
                refused++;
            }
        }
        assertTrue(refused > 5, () -> "few mistakes were found in " + file);
    }

    private void removeParts() throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (final Path path : (Iterable<Path>) paths.sorted(Comparator.reverseOrder())::iterator) {
                if (folder.relativize(path).toString().startsWith("processor")) {
                    Files.delete(path);
                }
            }
        }
    }

    private static String mutate(final String text, final Random random) {
        final List<String> words = new ArrayList<>(Arrays.asList(text.split("(?<=[\\s();{}])|(?=[();{}])")));
        final int at = random.nextInt(words.size());
        switch (random.nextInt(4)) {
            case 0 -> words.remove(at);
            case 1 -> words.add(at, words.get(random.nextInt(words.size())));
            case 2 -> Collections.swap(words, at, random.nextInt(words.size()));
            default -> words.subList(at, words.size()).clear();
        }
        return String.join("", words);
    }
}
