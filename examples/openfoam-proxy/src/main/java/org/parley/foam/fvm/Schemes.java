package org.parley.foam.fvm;

import org.parley.foam.dictionary.Dictionary;
import org.parley.foam.dictionary.Tokens;

/** What fvSchemes says of icoFoam's terms. */
final class Schemes {
    /** How the face's value is made in convection. */
    enum Convection {
        LINEAR,
        UPWIND,
        LINEAR_UPWIND,
        /** Between linear and upwind, by the gradient along the face's difference. */
        LIMITED_LINEAR_V
    }

    /**
     * How a gradient along the normal is made.
     *
     * @param limit share of the correction for directions that are not along the normal: 1 all, 0 none
     * @param orthogonal whether the distance between centres is taken, not the one along the normal
     */
    record SnGrad(double limit, boolean orthogonal) {}

    final boolean backward;
    final Convection convection;

    /** Of limitedLinearV: 1 for most upwind, near 0 for most linear. */
    final double limit;

    final SnGrad viscosity;
    final SnGrad pressure;

    Schemes(final Dictionary fvSchemes) {
        backward = backward(fvSchemes);
        for (final String field : new String[] {"p", "U"}) {
            final Tokens gradient = find(fvSchemes, "gradSchemes", "grad(" + field + ")");
            gauss(gradient);
            linear(gradient);
            gradient.expectEnd();
        }
        final Tokens scheme = find(fvSchemes, "divSchemes", "div(phi,U)");
        convection = convection(scheme);
        limit = convection == Convection.LIMITED_LINEAR_V ? limit(scheme) : 0;
        scheme.expectEnd();
        viscosity = laplacian(fvSchemes, "laplacian(nu,U)");
        pressure = laplacian(fvSchemes, "laplacian((1|A(U)),p)");
        for (final String term : new String[] {"flux(HbyA)", "interpolate((1|A(U)))", "dotInterpolate(S,U_0)"}) {
            final Dictionary schemes = fvSchemes.dictionaryOrEmpty("interpolationSchemes");
            if (schemes.has(term)
                    || schemes.has("default")
                            && !schemes.tokens("default").text().equals("none")) {
                final Tokens interpolation = schemes.tokens(schemes.has(term) ? term : "default");
                linear(interpolation);
                interpolation.expectEnd();
            }
        }
    }

    /** Whether convection takes what lies between cells' and faces' centres. */
    boolean needsPlaces() {
        return convection == Convection.LINEAR_UPWIND || convection == Convection.LIMITED_LINEAR_V;
    }

    private static Tokens find(final Dictionary fvSchemes, final String kind, final String term) {
        final Dictionary schemes = fvSchemes.dictionary(kind);
        if (schemes.has(term)) {
            return schemes.tokens(term);
        }
        if (!schemes.has("default") || schemes.tokens("default").text().equals("none")) {
            throw fvSchemes.error(kind, kind + " has no entry for " + term + " and no default");
        }
        return schemes.tokens("default");
    }

    private static boolean backward(final Dictionary fvSchemes) {
        final Tokens scheme = find(fvSchemes, "ddtSchemes", "ddt(U)");
        final boolean euler = scheme.accept("Euler");
        if (!euler && !scheme.accept("backward")) {
            throw scheme.unexpected("Euler or backward");
        }
        scheme.expectEnd();
        return !euler;
    }

    private static void gauss(final Tokens scheme) {
        if (!scheme.accept("Gauss")) {
            throw scheme.unexpected("Gauss");
        }
    }

    private static void linear(final Tokens scheme) {
        if (!scheme.accept("linear")) {
            throw scheme.unexpected("linear");
        }
    }

    private static double limit(final Tokens scheme) {
        final double limit = scheme.number();
        if (!(limit >= 0 && limit <= 1)) {
            throw scheme.error("limitedLinearV " + limit + " has to be between 0 and 1");
        }
        return limit;
    }

    private static Convection convection(final Tokens scheme) {
        gauss(scheme);
        final Convection found;
        if (scheme.accept("linear")) {
            found = Convection.LINEAR;
        } else if (scheme.accept("upwind")) {
            found = Convection.UPWIND;
        } else if (scheme.accept("linearUpwind")) {
            found = Convection.LINEAR_UPWIND;
            scheme.text();
        } else if (scheme.accept("limitedLinearV")) {
            found = Convection.LIMITED_LINEAR_V;
        } else {
            throw scheme.unexpected("linear, upwind, linearUpwind or limitedLinearV");
        }
        return found;
    }

    private static SnGrad laplacian(final Dictionary fvSchemes, final String term) {
        final Tokens scheme = find(fvSchemes, "laplacianSchemes", term);
        gauss(scheme);
        linear(scheme);
        final SnGrad found;
        if (scheme.accept("orthogonal")) {
            found = new SnGrad(0, true);
        } else if (scheme.accept("uncorrected")) {
            found = new SnGrad(0, false);
        } else if (scheme.accept("corrected")) {
            found = new SnGrad(1, false);
        } else if (scheme.accept("limited")) {
            scheme.accept("corrected");
            final double limit = scheme.number();
            if (!(limit >= 0 && limit <= 1)) {
                throw fvSchemes.error("laplacianSchemes", term + ": limited " + limit + " has to be between 0 and 1");
            }
            found = new SnGrad(limit, false);
        } else {
            throw scheme.unexpected("orthogonal, uncorrected, corrected or limited");
        }
        scheme.expectEnd();
        return found;
    }
}
