"""Prints reference values for the accuracy test: `python3 generate.py > values.txt`. Needs mpmath.

A line names function and type; then come lines of the argument's bits, the correctly rounded result's bits and
the exact result's distance from it: 80 stands for 0, one unit for 1/128 of the result's last place, all in hex.
Arguments: where a function changes its ways, with neighbours; the angles nearest to multiples of pi/2; random
ones, uniform over the main range and by exponent over all. The one argument of the command, if given, multiplies
the number of random ones.
"""

import itertools
import random
import struct
import sys

from mpmath import mp, mpf

mp.prec = 220
MANY = int(sys.argv[1]) if len(sys.argv) > 1 else 1


class Type:
    def __init__(self, name, pack, integer, precision, low, high, count):
        self.name, self.pack, self.integer = name, pack, integer
        self.precision, self.low, self.high, self.count = precision, low, high, count * MANY

    def bits(self, x):
        return struct.unpack(self.integer, struct.pack(self.pack, x))[0]

    def number(self, bits):
        return struct.unpack(self.pack, struct.pack(self.integer, bits))[0]

    def nearest(self, x):
        return self.number(self.bits(x))

    def rounded(self, exact):
        """(bits, distance in 1/128 ulp), or None where the result overflows or is zero."""
        if exact == 0 or not mp.isfinite(exact):
            return None
        exponent = max(mp.frexp(exact)[1] - self.precision, self.low)
        scaled = mp.ldexp(abs(exact), -exponent)
        whole = int(mp.nint(scaled))
        if whole == 0 or mp.frexp(mpf(whole))[1] + exponent > self.high:
            return None
        value = float(mp.ldexp(mpf(whole), exponent))
        distance = int(mp.nint((scaled - whole) * 128))
        return self.bits(-value if exact < 0 else value), distance


TYPES = [
    Type("f64", "<d", "<Q", 53, -1074, 1024, 800),
    Type("f32", "<f", "<I", 24, -149, 128, 450),
]
HALF_PI = float(mp.pi / 2)


ALL = (-1074, 1023)
# name: exact function, main range, exponents by which to range over the rest, may be negative, turning points
ONE = {
    "exp": (mp.exp, (-20, 20), (-60, 9.5), True, [709.7, -708.4, -745.1, 88.7, -87.4, -103.9, 0.34657359, 1.0]),
    "exp2": (lambda x: mpf(2) ** x, (-20, 20), (-60, 10), True, [1023.9, -1022.0, -1074.0, 127.9, -126.0, -149.0, 0.5]),
    "exp10": (lambda x: mpf(10) ** x, (-9, 9), (-60, 8.2), True, [308.2, -307.6, -323.0, 38.5, -37.9, -44.8, 1.0, 2.0, 3.0, 22.0]),
    "exp_m1": (mp.expm1, (-2, 2), (-60, 9.5), True, [709.7, -37.0, -17.0, 88.7, 0.34657359, -0.34657359, 1.0397]),
    "ln": (mp.log, (0.1, 4), ALL, False, [0.999999, 1.000001, 0.70710678, 1.41421356, 2.0, 0.5, 1e-308]),
    "ln_1p": (mp.log1p, (-0.9, 2), (-70, 1023), True, [-0.29289, 0.41421356, 1.0, -0.5, 1e-9, -0.99999999]),
    "log2": (lambda x: mp.log(x, 2), (0.1, 4), ALL, False, [0.999999, 1.000001, 0.70710678, 1.41421356, 8.0, 0.5, 1e-308]),
    "log10": (mp.log10, (0.1, 4), ALL, False, [0.999999, 1.000001, 0.70710678, 1.41421356, 10.0, 1000.0, 1e22, 1e-308]),
    "sin": (mp.sin, (-30, 30), (-30, 1023), True, [HALF_PI * k for k in (0.5, 1, 1.5, 2, 3, 4, 7, 22, 1001, 1e9)] + [6381956970095103.0 * 2.0**797, 1e22, 16367173 * 2.0**72]),
    "cos": (mp.cos, (-30, 30), (-30, 1023), True, [HALF_PI * k for k in (0.5, 1, 1.5, 2, 3, 4, 7, 22, 1001, 1e9)] + [6381956970095103.0 * 2.0**797, 1e22, 16367173 * 2.0**72]),
    "tan": (mp.tan, (-30, 30), (-30, 1023), True, [HALF_PI * k for k in (0.5, 1, 1.5, 2, 3, 4, 7, 22, 1001, 1e9)] + [6381956970095103.0 * 2.0**797, 1e22, 16367173 * 2.0**72]),
    "asin": (mp.asin, (-1, 1), (-30, -0.001), True, [0.5, -0.5, 0.9999999, -0.9999999]),
    "acos": (mp.acos, (-1, 1), (-60, -0.001), True, [0.5, -0.5, 0.9999999, -0.9999999]),
    "atan": (mp.atan, (-4, 4), (-30, 80), True, [0.41421356, 1.0, 2.41421356, 1e15]),
    "sinh": (mp.sinh, (-5, 5), (-30, 9.5), True, [710.4, 89.4, 0.34657359, 1.0397]),
    "cosh": (mp.cosh, (-5, 5), (-30, 9.5), True, [710.4, 89.4, 0.34657359, 1.0397]),
    "tanh": (mp.tanh, (-3, 3), (-30, 4.6), True, [0.34657359, 1.0397, 9.0, 19.0]),
    "cbrt": (mp.cbrt, (0, 64), ALL, True, [1.0, 2.0, 4.0, 8.0, 27.0]),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), (0.2, 5), ALL, False, [1.0, 2.0, 4.0, 2.0**-500]),
    "erf": (mp.erf, (-3, 3), (-60, 2.6), True, [0.75, -0.75, 0.5, 5.9]),
    "erfc": (mp.erfc, (-3, 10), (-60, 4.75), True, [0.75, -0.75, 0.5, 26.5, 27.2, 9.1, 10.0, -5.9]),
}
TWO = {
    "atan2": (mp.atan2, (-4, 4), (-40, 40)),
    "pow": (lambda x, y: x**y, None, None),
    "hypot": (lambda x, y: mp.sqrt(x * x + y * y), (-4, 4), (-30, 30)),
}


def sign(may_be_negative):
    return random.choice((-1.0, 1.0)) if may_be_negative else 1.0


def by_exponent(t, low, high, may_be_negative):
    high = min(high, t.high - 1)
    low = max(low, t.low)
    return sign(may_be_negative) * 2.0 ** random.uniform(low, high) if high < 1000 else sign(may_be_negative) * (1 + random.random()) * 2.0 ** random.randint(low, int(high) - 1)


def hardest_angles(t, step):
    """For exponents `step` apart, the number nearest to a multiple of pi/2: a convergent of 2^e 2/pi."""
    bits = t.precision
    with mp.workprec(1500):
        for e in range(2 - bits, t.high - bits + 1, step):
            fraction = mp.ldexp(2 / mp.pi, e)
            fraction -= mp.floor(fraction)
            before, q = 0, 1
            while True:
                fraction = 1 / fraction
                whole = int(mp.floor(fraction))
                fraction -= whole
                if whole * q + before >= 2**bits:
                    break
                before, q = q, whole * q + before
            yield float(mp.ldexp(mpf(q), e))


def ones(t, spec):
    _, (low, high), exponents, negative, points = spec
    for x in points:
        if 2.0**t.low * 8 < abs(x) < 2.0 ** (t.high - 1):
            for step in range(-3, 4):
                yield t.number(t.bits(x) + step)
    for _ in range(t.count // 2):
        yield t.nearest(random.uniform(low, high))
        yield t.nearest(by_exponent(t, *exponents, negative))


def twos(t, name, spec):
    reach = t.high - 3
    for i in range(t.count):
        if name == "pow":
            x = random.uniform(0, 4) if i % 3 == 0 else by_exponent(t, t.low, t.high, False)
            if i % 3 == 1:
                x = 1 + random.uniform(-1, 1) * 2.0 ** random.randint(-t.precision // 2, -1)
            x = t.nearest(x)
            limit = reach * 1.04 / max(abs(float(mp.log(mpf(x), 2))), 1e-300) if x not in (0.0, 1.0) else 1.0
            limit = min(limit, 1e30)
            y = random.uniform(-limit, limit) * (1.0 if i % 2 else 2.0 ** random.uniform(-12, 0))
            if i % 7 == 0 and abs(y) > 1:
                y, x = float(int(y)), -x
            yield x, t.nearest(y)
        elif i % 2:
            yield t.nearest(random.uniform(*spec[1])), t.nearest(random.uniform(*spec[1]))
        else:
            common = random.uniform(t.low + 5, t.high - 5)
            pair = []
            for _ in range(2):
                exponent = min(max(common + random.uniform(*spec[2]), t.low), t.high - 2)
                pair.append(t.nearest(sign(True) * 2.0**exponent))
            yield tuple(pair)


def main():
    random.seed(1729)
    for t in TYPES:
        width = 16 if t.name == "f64" else 8
        for name, spec in list(ONE.items()) + list(TWO.items()):
            print(name, t.name)
            arguments = ((x,) for x in ones(t, spec)) if name in ONE else twos(t, name, spec)
            if name in ("sin", "cos", "tan"):
                hard = ((x,) for x in hardest_angles(t, 16 // min(MANY, 16)))
                arguments = itertools.chain(arguments, hard)
            for x in arguments:
                exact = spec[0](*(mpf(v) for v in x))
                result = t.rounded(exact) if isinstance(exact, mpf) else None
                if result:
                    print(*(f"{t.bits(v):0{width}x}" for v in x), f"{result[0]:0{width}x}", f"{result[1] + 128:02x}")


if __name__ == "__main__":
    main()
