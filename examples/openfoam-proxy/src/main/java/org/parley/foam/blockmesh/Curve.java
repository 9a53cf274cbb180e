package org.parley.foam.blockmesh;

import java.util.Arrays;
import org.parley.foam.dictionary.Token;
import org.parley.foam.dictionary.Tokens;

/** The shape of a block's edge between two vertices. */
abstract class Curve {
    private static final double SMALL = 1e-15;

    final int start;
    final int end;

    private Curve(final int start, final int end) {
        this.start = start;
        this.end = end;
    }

    /** The point at a parameter of 0 to 1. */
    abstract double[] position(double lambda);

    /** {@code arc 0 1 (x y z)} and the like. */
    static Curve read(final Tokens tokens, final double[] vertices) {
        final Token type = tokens.peek();
        final String name = tokens.word();
        final int start = vertex(tokens, vertices);
        final int end = vertex(tokens, vertices);
        if (start == end) {
            throw type.error("edge '" + name + "' ends where it begins, at vertex " + start);
        }
        final double[] first = Arrays.copyOfRange(vertices, 3 * start, 3 * start + 3);
        final double[] last = Arrays.copyOfRange(vertices, 3 * end, 3 * end + 3);
        return switch (name) {
            case "line" -> new PolyLine(start, end, first, new double[0], last);
            case "arc" -> {
                if (tokens.peek().kind() == Token.Kind.WORD) {
                    throw tokens.error("arc by " + tokens.peek() + " is not supported: give a point of the arc");
                }
                yield new Arc(start, end, first, tokens.vector(), last, type);
            }
            case "polyLine" -> new PolyLine(start, end, first, tokens.numbers(3), last);
            case "spline" -> new Spline(start, end, first, tokens.numbers(3), last);
            default -> throw type.error("edge '" + name + "' is not supported: arc, line, polyLine and spline are");
        };
    }

    private static int vertex(final Tokens tokens, final double[] vertices) {
        final Token token = tokens.peek();
        final int vertex = tokens.integer();
        if (vertex < 0 || vertex >= vertices.length / 3) {
            throw token.error("there is no vertex " + vertex + ": there are " + vertices.length / 3);
        }
        return vertex;
    }

    /** A circle's, through three points. */
    private static final class Arc extends Curve {
        private final double[] first;
        private final double[] last;
        private final double[] centre;
        private final double[] e1;
        private final double[] e2;
        private final double radius;
        private final double degrees;

        Arc(
                final int start,
                final int end,
                final double[] first,
                final double[] middle,
                final double[] last,
                final Token where) {
            super(start, end);
            this.first = first;
            this.last = last;
            final double[] a = minus(middle, first);
            final double[] b = minus(last, first);
            final double denominator = dot(a, a) * dot(b, b) - dot(a, b) * dot(a, b);
            if (Math.abs(denominator) < 1e-300) {
                throw where.error("the arc's three points lie on a straight line");
            }
            final double factor = 0.5 * (dot(b, b) - dot(a, b)) / denominator;
            final double[] across = cross(cross(a, b), a);
            centre = new double[3];
            for (int i = 0; i < 3; i++) {
                centre[i] = 0.5 * a[i] + factor * across[i] + first[i];
            }
            final double[] r1 = minus(first, centre);
            final double[] r2 = minus(middle, centre);
            final double[] r3 = minus(last, centre);
            radius = mag(r3);
            double angle = Math.acos(dot(r3, r1) / (mag(r3) * mag(r1))) * (180 / Math.PI);
            if (dot(cross(r1, r2), cross(r1, r3)) < 0) {
                angle = 360 - angle;
            }
            degrees = angle;
            double[] axis = degrees <= 180 ? cross(r1, r3) : cross(r3, r1);
            if (degrees <= 180 && mag(axis) / (mag(r1) * mag(r3)) < 0.001) {
                axis = cross(r1, r2);
            }
            final double[] e3 = unit(axis);
            final double along = dot(r1, e3);
            e1 = unit(new double[] {r1[0] - along * e3[0], r1[1] - along * e3[1], r1[2] - along * e3[2]});
            e2 = cross(e3, e1);
        }

        @Override
        double[] position(final double lambda) {
            if (lambda < SMALL) {
                return first;
            }
            if (lambda > 1 - SMALL) {
                return last;
            }
            final double angle = lambda * degrees * (Math.PI / 180);
            final double x = radius * Math.cos(angle);
            final double y = radius * Math.sin(angle);
            final double[] position = new double[3];
            for (int i = 0; i < 3; i++) {
                position[i] = e1[i] * x + e2[i] * y + centre[i];
            }
            return position;
        }
    }

    /** Straight from point to point; the parameter goes by length. */
    private static class PolyLine extends Curve {
        final double[] knots;
        private final double[] parameters;

        PolyLine(final int start, final int end, final double[] first, final double[] middle, final double[] last) {
            super(start, end);
            knots = new double[middle.length + 6];
            System.arraycopy(first, 0, knots, 0, 3);
            System.arraycopy(middle, 0, knots, 3, middle.length);
            System.arraycopy(last, 0, knots, middle.length + 3, 3);
            parameters = new double[knots.length / 3];
            for (int i = 1; i < parameters.length; i++) {
                parameters[i] = parameters[i - 1] + mag(minus(knot(i), knot(i - 1)));
            }
            final double length = parameters[parameters.length - 1];
            for (int i = 1; i < parameters.length - 1; i++) {
                parameters[i] /= length;
            }
            parameters[parameters.length - 1] = 1;
        }

        final double[] knot(final int i) {
            return Arrays.copyOfRange(knots, 3 * i, 3 * i + 3);
        }

        final int segments() {
            return parameters.length - 1;
        }

        @Override
        final double[] position(final double lambda) {
            if (lambda < SMALL) {
                return knot(0);
            }
            if (lambda > 1 - SMALL) {
                return knot(segments());
            }
            int segment = 1;
            while (parameters[segment] < lambda) {
                segment++;
            }
            segment--;
            final double mu = (lambda - parameters[segment]) / (parameters[segment + 1] - parameters[segment]);
            if (mu <= 0 || mu >= 1) {
                return knot(mu <= 0 ? segment : segment + 1);
            }
            return between(segment, mu);
        }

        double[] between(final int segment, final double mu) {
            final double[] from = knot(segment);
            final double[] to = knot(segment + 1);
            for (int i = 0; i < 3; i++) {
                from[i] += mu * (to[i] - from[i]);
            }
            return from;
        }
    }

    /** A Catmull-Rom spline through its points. */
    private static final class Spline extends PolyLine {
        Spline(final int start, final int end, final double[] first, final double[] middle, final double[] last) {
            super(start, end, first, middle, last);
        }

        @Override
        double[] between(final int segment, final double mu) {
            final double[] p0 = knot(segment);
            final double[] p1 = knot(segment + 1);
            final double[] position = new double[3];
            for (int i = 0; i < 3; i++) {
                final double before = segment == 0 ? 2 * p0[i] - p1[i] : knots[3 * segment - 3 + i];
                final double after = segment + 1 == segments() ? 2 * p1[i] - p0[i] : knots[3 * segment + 6 + i];
                position[i] = 0.5
                        * (2 * p0[i]
                                + mu
                                        * (-before
                                                + p1[i]
                                                + mu
                                                        * (2 * before
                                                                - 5 * p0[i]
                                                                + 4 * p1[i]
                                                                - after
                                                                + mu * (-before + 3 * p0[i] - 3 * p1[i] + after))));
            }
            return position;
        }
    }

    private static double[] minus(final double[] a, final double[] b) {
        return new double[] {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    }

    private static double dot(final double[] a, final double[] b) {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }

    private static double mag(final double[] a) {
        return Math.sqrt(dot(a, a));
    }

    private static double[] unit(final double[] a) {
        final double length = mag(a);
        return new double[] {a[0] / length, a[1] / length, a[2] / length};
    }

    private static double[] cross(final double[] a, final double[] b) {
        return new double[] {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    }
}
