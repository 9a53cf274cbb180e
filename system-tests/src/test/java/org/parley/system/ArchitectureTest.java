package org.parley.system;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * Who may depend on whom. An arrow that is missing here needs a decision (docs/adr) before it needs
 * a line.
 */
@AnalyzeClasses(packages = "org.parley", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String TRANSPORT_API = "org.parley.transport";
    private static final String TRANSPORTS = "org.parley.transport.*..";
    private static final String COLLECTIVES = "org.parley.collectives..";
    private static final String[] PROGRAMS = {
        "org.parley.launcher..",
        "org.parley.benchmarks..",
        "org.parley.foam..",
        "org.parley.concurrency..",
        "org.parley.testbed.."
    };
    private static final String TEST_KIT = "org.parley.transport.tck..";

    private static final DescribedPredicate<JavaClass> PARLEY = resideInAPackage("org.parley..");

    /** The runtime owns the root package, so it is what is left of it. */
    private static final DescribedPredicate<JavaClass> RUNTIME = PARLEY.and(
                    not(resideInAPackage("org.parley.transport..")))
            .and(not(resideInAPackage(COLLECTIVES)))
            .and(not(resideInAnyPackage(PROGRAMS)))
            .as("the runtime");

    /** To those above, with the types of the transport API that it shows: options, availability. */
    private static final DescribedPredicate<JavaClass> RUNTIME_AS_SEEN = RUNTIME.or(resideInAPackage(TRANSPORT_API));

    private static final DescribedPredicate<JavaClass> LIBRARY = PARLEY.and(not(resideInAnyPackage(PROGRAMS)))
            .and(not(resideInAPackage(TEST_KIT)))
            .as("library modules");

    private static final DescribedPredicate<JavaClass> ELSEWHERE = not(PARLEY);

    @ArchTest
    static final ArchRule apiKnowsNobody = classes()
            .that()
            .resideInAPackage(TRANSPORT_API)
            .should()
            .onlyDependOnClassesThat(ELSEWHERE.or(resideInAPackage(TRANSPORT_API)))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule transportsKnowOnlyTheApi = classes()
            .that()
            .resideInAPackage(TRANSPORTS)
            .should()
            .onlyDependOnClassesThat(ELSEWHERE.or(resideInAPackage("org.parley.transport..")))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule transportsDoNotKnowEachOther =
            slices().matching("org.parley.transport.(*)..").should().notDependOnEachOther();

    @ArchTest
    static final ArchRule runtimeKnowsOnlyTheTransportApi = classes()
            .that(RUNTIME)
            .should()
            .onlyDependOnClassesThat(ELSEWHERE.or(RUNTIME).or(resideInAPackage(TRANSPORT_API)))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule collectivesKnowOnlyTheRuntime = classes()
            .that()
            .resideInAPackage(COLLECTIVES)
            .should()
            .onlyDependOnClassesThat(ELSEWHERE.or(RUNTIME).or(resideInAPackage(COLLECTIVES)))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule launcherKnowsOnlyTheRuntime = classes()
            .that()
            .resideInAPackage("org.parley.launcher..")
            .should()
            .onlyDependOnClassesThat(ELSEWHERE.or(RUNTIME_AS_SEEN).or(resideInAPackage("org.parley.launcher..")))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule benchmarksKnowOnlyTheRuntime = classes()
            .that()
            .resideInAPackage("org.parley.benchmarks..")
            .and()
            .resideOutsideOfPackage("org.parley.benchmarks.perf..")
            .should()
            .onlyDependOnClassesThat(ELSEWHERE.or(RUNTIME_AS_SEEN).or(resideInAPackage("org.parley.benchmarks..")))
            .allowEmptyShould(true);

    /** {@code parley perf} measures below messages. */
    @ArchTest
    static final ArchRule perfKnowsTheVerbsToo = classes()
            .that()
            .resideInAPackage("org.parley.benchmarks.perf..")
            .should()
            .onlyDependOnClassesThat(ELSEWHERE
                    .or(RUNTIME_AS_SEEN)
                    .or(resideInAnyPackage("org.parley.benchmarks..", "org.parley.transport.verbs.binding..")))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule examplesKnowOnlyTheRuntime = classes()
            .that()
            .resideInAPackage("org.parley.foam..")
            .should()
            .onlyDependOnClassesThat(ELSEWHERE.or(RUNTIME_AS_SEEN).or(resideInAPackage("org.parley.foam..")))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule nativeCallsHaveTheirPlaces = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "org.parley.transport.shm..", "org.parley.transport.verbs..", "org.parley.launcher..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.sun.jna..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule nettyIsTheTcpTransportsOwn = noClasses()
            .that()
            .resideOutsideOfPackage("org.parley.transport.tcp..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..")
            .allowEmptyShould(true);

    /** What a user's class path gets from us is short, and stays so. */
    @ArchTest
    static final ArchRule librariesStandOnFew = classes()
            .that(LIBRARY)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "org.parley..",
                    "java..",
                    "javax.management..",
                    "javax.net.ssl..",
                    "javax.net.ssl..",
                    "jdk.jfr..",
                    "jdk.net..",
                    "sun.misc..",
                    "org.agrona..",
                    "com.sun.jna..",
                    "io.netty..",
                    "org.slf4j..",
                    "org.HdrHistogram..")
            .allowEmptyShould(true);

    /** Several instances live in one JVM, a rank each: nothing of theirs may meet in a static. */
    @ArchTest
    static final ArchRule noStaticChanges = fields().that()
            .areDeclaredInClassesThat(LIBRARY)
            .and()
            .areStatic()
            .should()
            .beFinal()
            .allowEmptyShould(true);
}
