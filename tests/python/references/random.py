"""Random numbers: Philox4x32-10 word for word, and TensorFlow's ways from words to numbers."""

import ml_dtypes
import numpy as np

from references import ref

MASK = 0xFFFFFFFF


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & MASK, (a >> 32) ^ c[3] ^ k[1], a & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


def halves(number):
    number %= 1 << 64
    return [number & MASK, number >> 32]


def words(count, seed, seed2):
    """At least `count` words of the stream, in whole blocks."""
    blocks = range((count + 3) // 4)
    values = [w for i in blocks for w in philox(halves(i) + halves(seed2), halves(seed))]
    return np.array(values, np.uint64)


def unit(dtype, count, seed, seed2):
    """Numbers in [0, 1)."""
    if dtype == np.float64:
        w = words(2 * count + 2, seed, seed2).reshape(-1, 2)
        bits = (w[:, 0] & np.uint64(0xFFFFF)) << np.uint64(32) | w[:, 1]
        return bits.astype(np.float64) / 2.0**52
    bits = {np.dtype(np.float32): 23, np.dtype(np.float16): 10, np.dtype(ml_dtypes.bfloat16): 7}
    kept = bits[np.dtype(dtype)]
    return (words(count, seed, seed2) & np.uint64((1 << kept) - 1)).astype(np.float64) / 2.0**kept


def uniform(shape, dtype, seed, seed2):
    count = int(np.prod(shape))
    return unit(dtype, count, seed, seed2)[:count].reshape(shape)


def normal(shape, dtype, seed, seed2):
    count = int(np.prod(shape))
    wide = np.float64 if dtype == np.float64 else np.float32
    u = unit(wide, count, seed, seed2).astype(wide)
    u = u[: len(u) // 2 * 2].reshape(-1, 2)
    radius = np.sqrt(-2 * np.log(np.maximum(u[:, 0], wide(1e-7))))
    angle = (2 * np.pi * u[:, 1].astype(np.float64)).astype(wide)
    out = np.stack([np.sin(angle) * radius, np.cos(angle) * radius], 1)
    return out.reshape(-1)[:count].reshape(shape)


def integers(shape, low, high, seed, seed2):
    count = int(np.prod(shape))
    if low.dtype == np.int32:
        w = [int(x) for x in words(count, seed, seed2)]
    else:
        w = [int(a) | int(b) << 32 for a, b in words(2 * count, seed, seed2).reshape(-1, 2)]
    span = int(high) - int(low)
    return np.array([int(low) + x % span for x in w[:count]], low.dtype).reshape(shape)


ref("RandomUniform", uniform)
ref("RandomStandardNormal", normal)
ref("RandomUniformInt", integers)
