#!/usr/bin/env python3
"""Prints the polynomials of lane_math.h.

Each is nearly the one of its degree whose largest relative error, in the
function it serves, is least; it is found in 60 digits by Lawson's method.
Coefficients are rounded one after the other and the rest fitted again, so that
they make up for the roundings before them.
"""
import decimal
import struct
from decimal import Decimal as D

decimal.getcontext().prec = 60


def to_float(x):
    return D(struct.unpack("f", struct.pack("f", float(x)))[0])


def to_double(x):
    return D(float(x))


PI = D("3.14159265358979323846264338327950288419716939937510582097494")


def series(term, k, y):
    """term (1 + y / ((k + 1) (k + 2)) (1 + y / ((k + 3) (k + 4)) (...)))."""
    total = term
    while abs(term) > D("1e-58"):
        k += 2
        term *= y / (k * (k - 1))
        total += term
    return total


def cos_pi(x):
    """cos(pi x) for x in [0, 1]."""
    return series(D(1), 0, -(PI * x) ** 2)


def sin(x):
    return series(x, 1, -x * x)


def solve(rows, right):
    """Gaussian elimination with pivots."""
    n = len(rows)
    a = [row[:] + [b] for row, b in zip(rows, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(a[r][i]))
        a[i], a[pivot] = a[pivot], a[i]
        for r in range(i + 1, n):
            f = a[r][i] / a[i][i]
            if f:
                a[r] = [x - f * y for x, y in zip(a[r], a[i])]
    x = [D(0)] * n
    for i in reversed(range(n)):
        x[i] = (a[i][n] - sum(a[i][j] * x[j] for j in range(i + 1, n))) / a[i][i]
    return x


def nearest(values, first, last, rounds=12):
    """sum c_i x^i, i in [first, last], whose largest weighted error is small.

    Lawson's method: least squares, where points count more the larger their
    errors were so far. `values` has (x, target, weight) for each point.
    """
    powers = [[x**k for k in range(first, last + 1)] for x, _, _ in values]
    counts = [D(1)] * len(values)
    best = None
    for _ in range(rounds):
        n = last - first + 1
        matrix = [[D(0)] * n for _ in range(n)]
        right = [D(0)] * n
        for (_, t, w), p, count in zip(values, powers, counts):
            scale = count * w * w
            for i in range(n):
                right[i] += scale * p[i] * t
                for j in range(i + 1):
                    matrix[i][j] += scale * p[i] * p[j]
        for i in range(n):
            for j in range(i):
                matrix[j][i] = matrix[i][j]
        c = solve(matrix, right)
        errors = [abs(w * (sum(a * b for a, b in zip(c, p)) - t))
                  for (_, t, w), p in zip(values, powers)]
        worst = max(errors)
        if best is None or worst < best[1]:
            best = c, worst
        counts = [k * e for k, e in zip(counts, errors)]
        total = sum(counts)
        counts = [k / total for k in counts]
    return best


def fit(name, target, weight, low, high, degree, rounding, grid=240):
    xs = [(low + high) / 2 - (high - low) / 2 * cos_pi(D(i) / grid)
          for i in range(grid + 1)]
    values = [(x, target(x), weight(x)) for x in xs if x != 0]
    exact = values
    fixed = []
    for k in range(degree + 1):
        c, _ = nearest(values, k, degree)
        fixed.append(rounding(c[0]))
        values = [(x, t - fixed[-1] * x**k, w) for x, t, w in values]
    worst = max(abs(w * (sum(c * x**k for k, c in enumerate(fixed)) - t))
                for x, t, w in exact)
    print("%s: relative error 2^%.1f" % (name, float(worst.ln() / LN2)))
    for c in fixed:
        print("    %s,  // %r" % (float(c).hex(), float(c)))


LN2 = D(2).ln()


def main():
    # exp(r) = 1 + r + r^2 q(r)
    q = lambda r: (r.exp() - 1 - r) / r**2
    q_weight = lambda r: r**2 / r.exp()
    fit("exp, float", q, q_weight, -LN2 / 2, LN2 / 2, 4, to_float)
    fit("exp, double", q, q_weight, -LN2 / 2, LN2 / 2, 9, to_double)
    # log(1 + f) = f - f^2 / 2 + f^3 p(f)
    p = lambda f: ((1 + f).ln() - f + f**2 / 2) / f**3
    p_weight = lambda f: f**3 / (1 + f).ln()
    root = D(2).sqrt()
    fit("log, float", p, p_weight, 1 / root - 1, root - 1, 7, to_float)
    # log((1 + s) / (1 - s)) = 2 s + s z l(z), z = s^2
    def l(z):
        s = z.sqrt()
        return (((1 + s) / (1 - s)).ln() / s - 2) / z
    l_weight = lambda z: z / (2 + z)
    fit("log, double", l, l_weight, D(0), ((root - 1) / (root + 1))**2, 6, to_double)
    # ln(2) log2(1 + f) = f - f^2 / 2 + f^3 / 3 + f^4 g(f)
    g = lambda f: ((1 + f).ln() - f + f**2 / 2 - f**3 / 3) / f**4 / LN2
    g_weight = lambda f: f**4 * LN2 / (1 + f).ln()
    fit("power, float", g, g_weight, 1 / root - 1, root - 1, 8, to_float)
    # log2((1 + s) / (1 - s)) = (2 s + 2 s z / 3) / ln(2) + s z^2 h(z), z = s^2
    h = lambda z: (l(z) - D(2) / 3) / z / LN2
    h_weight = lambda z: z**2 * LN2 / (2 + z)
    fit("power, double", h, h_weight, D(0), ((root - 1) / (root + 1))**2, 7, to_double)
    # sin(r) = r (1 + z s(z)), z = r^2
    def s(z):
        r = z.sqrt()
        return (sin(r) / r - 1) / z
    s_weight = lambda z: z / (1 + z * s(z))
    fit("sin, float", s, s_weight, D(0), (PI / 2)**2, 3, to_float)


main()
