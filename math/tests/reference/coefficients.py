"""Prints the polynomial coefficients and split constants used in `math/src`.

Every polynomial interpolates its function at the Chebyshev nodes of the interval (near-minimax: the
error stays within a small factor of the best polynomial of that degree); coefficients are then rounded
to f64. The last column is the largest error of the rounded polynomial over the interval, relative to the
function approximated, in bits. Needs mpmath.
"""

from mpmath import mp, mpf

mp.prec = 400


def interpolate(f, lo, hi, degree):
    """Monomial coefficients (constant first) of the interpolant of `f` at Chebyshev nodes of [lo, hi]."""
    n = degree + 1
    xs = [(lo + hi) / 2 + (hi - lo) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    table = [f(x) for x in xs]
    for j in range(1, n):
        for i in range(n - 1, j - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (xs[i] - xs[i - j])
    poly = [table[-1]]
    for i in range(n - 2, -1, -1):
        shifted = [mpf(0)] + poly
        for k, c in enumerate(poly):
            shifted[k] -= xs[i] * c
        shifted[0] += table[i]
        poly = shifted
    return poly


def show(name, f, lo, hi, degree, parts=1):
    """With `parts=2` the constant term gets a second part, to be added to it."""
    lo, hi = mpf(lo), mpf(hi)
    exact = interpolate(f, lo, hi, degree)
    coefficients = [float(c) for c in exact]
    rest = float(exact[0] - coefficients[0]) if parts == 2 else 0.0
    worst = mpf(0)
    for k in range(301):
        x = lo + (hi - lo) * (k + mpf(1) / 3) / 302
        y = f(x)
        worst = max(worst, abs((mp.polyval([mpf(c) for c in reversed(coefficients)], x) + rest) / y - 1))
    print(f"{name}: [f64; {len(coefficients)}] // 2^{float(mp.log(worst, 2)):.1f} on [{float(lo):.4}, {float(hi):.4}]")
    for c in coefficients:
        print(f"    {c!r},")
    if parts == 2:
        print(f"rest of the constant: {rest!r}")


def split(name, value, bits, parts):
    """`value` as a sum of `parts` numbers of `bits` bits each, the last one a full f64."""
    print(name)
    for i in range(parts):
        if i == parts - 1:
            piece = mpf(float(value))
        else:
            exponent = mp.frexp(value)[1] - bits
            piece = mp.floor(mp.ldexp(value, -exponent))
            piece = mp.ldexp(piece, exponent)
        print(f"    {float(piece)!r},")
        value -= piece


def root(f):
    return lambda z: f(mp.sqrt(z))


LN2H = mp.log(2) / 2 * mpf("1.0001")
R2 = mp.sqrt(2)
S2 = ((R2 - 1) / (R2 + 1)) ** 2 * mpf("1.001")
Q2 = (mp.pi / 4) ** 2 * mpf("1.0001")
T2 = (R2 - 1) ** 2 * mpf("1.001")
TINY = mpf(2) ** -60

if __name__ == "__main__":
    show("EXP", lambda r: (mp.exp(r) - 1 - r) / r**2 if r else mpf(1) / 2, -LN2H, LN2H * mpf("1.001"), 10)
    show("EXP_F32", lambda r: (mp.exp(r) - 1 - r) / r**2 if r else mpf(1) / 2, -LN2H, LN2H * mpf("1.001"), 5)
    show("EXP_SINGLE (rounded to f32)", lambda r: (mp.exp(r) - 1 - r) / r**2 if r else mpf(1) / 2, -LN2H, LN2H * mpf("1.001"), 4)
    show("SINH", root(lambda r: (mp.sinh(r) - r) / r**3), TINY, LN2H**2, 5)
    show("COSH", root(lambda r: (mp.cosh(r) - 1 - r * r / 2) / r**4), TINY, LN2H**2, 5)
    show("LN", root(lambda s: (2 * mp.atanh(s) / s - 2) / s**2), TINY, S2, 6)
    show("LN_F32", root(lambda s: (2 * mp.atanh(s) / s - 2) / s**2), TINY, S2, 3)
    show("LN_TAIL", root(lambda s: (2 * mp.atanh(s) / s - 2 - 2 * s * s / 3) / s**4), TINY, S2, 8)
    show("SIN", root(lambda r: (mp.sin(r) - r) / r**3), TINY, Q2, 6)
    show("COS", root(lambda r: (mp.cos(r) - 1 + r * r / 2) / r**4), TINY, Q2, 5)
    show("SIN_F32", root(lambda r: (mp.sin(r) - r) / r**3), TINY, Q2, 3)
    show("COS_F32", root(lambda r: (mp.cos(r) - 1) / r**2), TINY, Q2, 4)
    show("ASIN", root(lambda x: (mp.asin(x) - x) / x**3), TINY, mpf("0.25001"), 13)
    show("ATAN", root(lambda t: (mp.atan(t) - t) / t**3), TINY, T2, 11)
    show("CBRT", lambda m: m ** (-mpf(1) / 3), mpf(1), mpf(2), 5)
    show("ERF", root(lambda x: mp.erf(x) / x - 1), TINY, mpf("0.5626"), 11)
    a = mpf(4)
    top = (28 - a) / (28 + a)
    bottom = (mpf("0.74") - a) / (mpf("0.74") + a)

    def scaled_erfc(t):
        x = a * (1 + t) / (1 - t)
        return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)

    show("ERFCX", scaled_erfc, bottom, top, 21, parts=2)
    split("LN2 (42 bits)", mp.log(2), 42, 2)
    split("LN2 (26 bits)", mp.log(2), 26, 2)
    split("LN10 (26 bits)", mp.log(10), 26, 2)
    split("LOG10_2 (42 bits)", mp.log(2) / mp.log(10), 42, 2)
    split("LOG2_E", 1 / mp.log(2), 53, 1)
    split("LOG2_E (26 bits)", 1 / mp.log(2), 26, 2)
    split("LOG10_E (26 bits)", 1 / mp.log(10), 26, 2)
    split("LOG2_10", mp.log(10) / mp.log(2), 53, 2)
    split("PI", mp.pi, 53, 2)
    split("QUARTER_PI (50 bits)", mp.pi / 4, 50, 2)
    split("LOG10_2", mp.log(2) / mp.log(10), 53, 1)
    split("TWO_THIRDS", mpf(2) / 3, 53, 2)
    split("CBRT 1/2, 1/4", mpf(2) ** (-mpf(1) / 3), 53, 1)
    split("", mpf(2) ** (-mpf(2) / 3), 53, 1)
    print("TWO_OVER_PI")
    mp.prec = 1500
    bits = int(mp.floor(mp.ldexp(2 / mp.pi, 64 * 20)))
    for i in range(20):
        print(f"    0x{(bits >> (64 * (19 - i))) & (2**64 - 1):016x},")
