"""NumPy references of the special functions: integrals and series, slow and plain."""

import math

import numpy as np

from references import ref

NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)
EULER = 0.57721566490153286


def each(function):
    """A function of Python floats, applied to every element of arrays that broadcast."""

    def call(*arrays):
        with np.errstate(all="ignore"):
            wide = np.broadcast_arrays(*[np.asarray(array, np.float64) for array in arrays])
            values = [
                function(*map(float, item)) for item in zip(*[w.ravel() for w in wide], strict=True)
            ]
            return np.array(values, np.float64).reshape(wide[0].shape)

    return call


def integral(function, low, high):
    """By Gauss and Legendre, for smooth functions."""
    half = (high - low) / 2
    return half * float(np.sum(WEIGHTS * function(low + half * (NODES + 1))))


def solve(function, low, high):
    """Where an increasing function is 0."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2


def lgamma(x):
    if x <= 0 and x == math.floor(x):
        return math.inf
    return math.lgamma(x)


def digamma(x):
    if math.isnan(x) or (x <= 0 and x == math.floor(x)):
        return math.nan
    if x == math.inf:
        return x
    shift = 0.0
    while x < 30:
        shift, x = shift + 1 / x, x + 1
    w = 1 / (x * x)
    return math.log(x) - 0.5 / x - w * (1 / 12 - w * (1 / 120 - w / 252)) - shift


def zeta(x, q):
    if x == 1:
        return math.inf
    if not x > 1 or math.isnan(q):
        return math.nan
    if q <= 0 and q == math.floor(q):
        return math.inf if x % 2 == 0 else math.nan
    if q < 0 and x != math.floor(x):
        return math.nan
    n = 40
    terms = sum((q + k) ** -x for k in range(n))
    end = q + n
    tail = end ** (1 - x) / (x - 1) + end**-x / 2 + x * end ** (-x - 1) / 12
    return terms + tail - x * (x + 1) * (x + 2) * end ** (-x - 3) / 720


def polygamma(a, x):
    if a < 0 or a != math.floor(a):
        return math.nan
    if a == 0:
        return digamma(x)
    return (-1) ** (int(a) + 1) * math.gamma(a + 1) * zeta(a + 1, x)


def igamma(a, x):
    if not a > 0 or not x >= 0:
        return math.nan
    if x == 0:
        return 0.0
    term = math.exp(a * math.log(x) - x - math.lgamma(a + 1))
    total = 0.0
    for n in range(1, 500):
        total += term
        term *= x / (a + n)
    return total


def igamma_grad_a(a, x):
    step = 1e-4 * a
    near = (igamma(a + step, x) - igamma(a - step, x)) / (2 * step)
    far = (igamma(a + 2 * step, x) - igamma(a - 2 * step, x)) / (4 * step)
    return (4 * near - far) / 3


def random_gamma_grad(a, x):
    density = math.exp((a - 1) * math.log(x) - x - math.lgamma(a))
    return -igamma_grad_a(a, x) / density


def betainc(a, b, x):
    if not a > 0 or not b > 0 or not 0 <= x <= 1:
        return math.nan
    if x in (0, 1):
        return x
    if x > 0.5:
        return 1 - betainc(b, a, 1 - x)
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    term = math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta) / a
    total = 0.0
    for n in range(2000):
        total += term
        term *= x * (a + b + n) / (a + 1 + n)
    return total


def lbeta(x):
    return each(lgamma)(x).sum(-1) - each(lgamma)(x.astype(np.float64).sum(-1))


def erfinv(x):
    if not abs(x) <= 1:
        return math.nan
    if abs(x) == 1:
        return math.copysign(math.inf, x)
    return math.copysign(solve(lambda y: (1 - abs(x)) - math.erfc(y), 0, 30), x)


def ndtri(p):
    if not 0 <= p <= 1:
        return math.nan
    if p in (0, 1):
        return -math.inf if p == 0 else math.inf
    return solve(lambda y: 0.5 * math.erfc(-y / math.sqrt(2)) - p, -40, 40)


def erfcinv(x):
    return -ndtri(x / 2) / math.sqrt(2)


def bessel_i(order, scaled):
    def call(x):
        turn = np.linspace(0, np.pi, 401)
        values = np.exp(x * np.cos(turn) - (abs(x) if scaled else 0)) * np.cos(order * turn)
        return float(np.mean((values[1:] + values[:-1]) / 2))

    return each(call)


def bessel_k(order, scaled):
    def call(x):
        t = np.linspace(0, 12, 4001)
        values = np.exp(-x * np.cosh(t) + (x if scaled else 0)) * np.cosh(order * t)
        return float(np.sum((values[1:] + values[:-1]) / 2) * (t[1] - t[0]))

    return each(call)


def bessel_j(order):
    def call(x):
        turn = np.linspace(0, np.pi, 401)
        values = np.cos(x * np.sin(turn) - order * turn)
        return float(np.mean((values[1:] + values[:-1]) / 2))

    return each(call)


def bessel_y(order):
    def call(x):
        sign = (-1) ** order
        near = integral(lambda t: np.sin(x * np.sin(t) - order * t), 0, np.pi)
        t = np.linspace(0, 12, 20001)
        values = (np.exp(order * t) + sign * np.exp(-order * t)) * np.exp(-x * np.sinh(t))
        # Simpson's rule
        weights = np.where(np.arange(len(t)) % 2 == 1, 4.0, 2.0)
        weights[[0, -1]] = 1
        return (near - float(np.sum(weights * values)) * (t[1] - t[0]) / 3) / np.pi

    return each(call)


def dawsn(x):
    return integral(lambda t: np.exp(t * t - x * x), 0, x)


def expint(x):
    if not x >= 0:
        return math.nan
    if x == 0:
        return -math.inf
    return EULER + math.log(x) + integral(lambda t: np.expm1(t) / t, 0, x)


def spence(x):
    if not x >= 0:
        return math.nan
    if x == 1:
        return 0.0
    if x < 0.5:
        log = math.log(x) if x > 0 else 0
        return math.pi**2 / 6 - log * math.log1p(-x) - spence(1 - x)
    return -integral(lambda t: np.log1p(t) / t, 0, x - 1)


ref("Lgamma", each(lgamma))
ref("Digamma", each(digamma))
ref("Polygamma", each(polygamma))
ref("Zeta", each(zeta))
ref("Igamma", each(igamma))
ref("Igammac", each(lambda a, x: 1 - igamma(a, x)))
ref("IgammaGradA", each(igamma_grad_a))
ref("RandomGammaGrad", each(random_gamma_grad))
ref("Betainc", each(betainc))
ref("Lbeta", lbeta)
ref("Erfc", each(math.erfc))
ref("Erfinv", each(erfinv))
ref("Ndtri", each(ndtri))
ref("Erfcinv", each(erfcinv))
ref("BesselI0", bessel_i(0, scaled=False))
ref("BesselI0e", bessel_i(0, scaled=True))
ref("BesselI1", bessel_i(1, scaled=False))
ref("BesselI1e", bessel_i(1, scaled=True))
ref("BesselK0", bessel_k(0, scaled=False))
ref("BesselK0e", bessel_k(0, scaled=True))
ref("BesselK1", bessel_k(1, scaled=False))
ref("BesselK1e", bessel_k(1, scaled=True))
ref("BesselJ0", bessel_j(0))
ref("BesselJ1", bessel_j(1))
ref("BesselY0", bessel_y(0))
ref("BesselY1", bessel_y(1))
ref("Dawsn", each(dawsn))
ref("Expint", each(expint))
ref("FresnelCos", each(lambda x: integral(lambda t: np.cos(np.pi * t * t / 2), 0, x)))
ref("FresnelSin", each(lambda x: integral(lambda t: np.sin(np.pi * t * t / 2), 0, x)))
ref("Spence", each(spence))
