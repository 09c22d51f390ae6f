"""Random numbers: Philox4x32-10 word for word, and TensorFlow's ways from words to numbers."""

from typing import NamedTuple

import ml_dtypes
import numpy as np

from references import Like, ref

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


class Stream(NamedTuple):
    """A key and the counter of the first block, which is a number of 128 bits."""

    key: int
    counter: int

    def block(self, i):
        counter = (self.counter + i) % (1 << 128)
        return philox(halves(counter) + halves(counter >> 64), halves(self.key))


def stateful(seed, seed2, skip):
    return Stream(seed, (seed2 % (1 << 64) << 64) + skip)


def keyed(key, counter):
    return Stream(int(key[0]), int(counter[0]) + (int(counter[1]) << 64))


def mixed(seed):
    mix = philox(halves(int(seed[0])) + halves(int(seed[1])), [0x3EC8F720, 0x02461E29])
    return Stream(mix[0] | mix[1] << 32, (mix[2] | mix[3] << 32) << 64)


def words(count, stream):
    """At least `count` words of the stream, in whole blocks."""
    return np.array([w for i in range((count + 3) // 4) for w in stream.block(i)], np.uint64)


def unit(dtype, w):
    """Numbers in [0, 1)."""
    if dtype == np.float64:
        w = w.reshape(-1, 2)
        bits = (w[:, 0] & np.uint64(0xFFFFF)) << np.uint64(32) | w[:, 1]
        return bits.astype(np.float64) / 2.0**52
    bits = {np.dtype(np.float32): 23, np.dtype(np.float16): 10, np.dtype(ml_dtypes.bfloat16): 7}
    kept = bits[np.dtype(dtype)]
    return (w & np.uint64((1 << kept) - 1)).astype(np.float64) / 2.0**kept


def uniform(shape, stream, dtype):
    count = int(np.prod(shape))
    return unit(dtype, words(2 * count, stream))[:count].reshape(shape)


def normals(w, wide):
    u = unit(wide, w).astype(wide).reshape(-1, 2)
    radius = np.sqrt(-2 * np.log(np.maximum(u[:, 0], wide(1e-7))))
    angle = (2 * np.pi * u[:, 1].astype(np.float64)).astype(wide)
    return np.stack([np.sin(angle) * radius, np.cos(angle) * radius], 1).reshape(-1)


def normal(shape, stream, dtype):
    count = int(np.prod(shape))
    wide = np.float64 if dtype == np.float64 else np.float32
    return normals(words(2 * count + 2, stream), wide)[:count].reshape(shape)


def truncated_normal(shape, stream, dtype):
    """Groups of a block's numbers, each from its own part of the stream."""
    count, out = int(np.prod(shape)), []
    wide, each = (np.float64, 2) if dtype == np.float64 else (np.float32, 4)
    for group in range((count + each - 1) // each):
        part = Stream(stream.key, stream.counter + group * each * 64)
        drawn = normals(words(64, part), wide)
        out += list(drawn[np.abs(drawn) < 2][:each])
    return np.array(out[:count], wide).reshape(shape)


def bits(shape, stream, dtype):
    count = int(np.prod(shape))
    w = words(2 * count, stream).astype(np.uint32)
    return np.frombuffer(w.tobytes(), dtype)[:count].reshape(shape)


def integers(shape, stream, low, high):
    wide = np.uint32 if low.dtype == np.int32 else np.uint64
    drawn = bits(shape, stream, np.dtype(wide)).reshape(-1)
    span = int(high) - int(low)
    return np.array([int(low) + int(x) % span for x in drawn], low.dtype).reshape(shape)


def permuted(value, stream):
    if value.size == 0 or value.ndim == 0:
        return value
    order = list(range(len(value)))
    w = words(len(order), stream)
    for i in range(len(order) - 1):
        k = i + int(w[i]) % (len(order) - i)
        order[i], order[k] = order[k], order[i]
    return value[order]


for name, make in (
    ("RandomUniform", uniform),
    ("RandomStandardNormal", normal),
    ("TruncatedNormal", truncated_normal),
):
    ref(name, lambda shape, dtype, make=make, **s: make(shape, stateful(**s), dtype))
for name, make in (
    ("StatelessRandomUniformV2", uniform),
    ("StatelessRandomNormalV2", normal),
    ("StatelessTruncatedNormalV2", truncated_normal),
    ("StatelessRandomUniformFullIntV2", bits),
):
    ref(name, lambda shape, key, c, _, dtype, make=make: make(shape, keyed(key, c), dtype))
ref("RandomUniformInt", lambda shape, low, high, **s: integers(shape, stateful(**s), low, high))
ref(
    "StatelessRandomUniformIntV2",
    lambda shape, key, c, _, low, high: integers(shape, keyed(key, c), low, high),
)
ref("RandomShuffle", lambda value, **s: permuted(value, stateful(**s)))
ref("StatelessShuffle", lambda value, key, c, _: permuted(value, keyed(key, c)))


def key_counter(seed):
    stream = mixed(seed)
    return np.array([stream.key], np.uint64), np.array([0, stream.counter >> 64], np.uint64)


ref("StatelessRandomGetKeyCounter", key_counter)
ref("RandomSplit", lambda seed, num: bits((num, 2), mixed(seed), seed.dtype))
ref("RandomFoldIn", lambda seed, data: np.append(bits((1,), mixed(seed), data.dtype), data))

# Their values are held against TensorFlow's, in tests/recorded.
ref("RandomGamma", lambda shape, alpha, **_: Like((*shape, *alpha.shape)))
ref("RandomPoissonV2", lambda shape, rate, **_: Like((*shape, *rate.shape)))
ref("Multinomial", lambda logits, samples, **_: Like((len(logits), samples)))
ref("StatelessRandomGammaV3", lambda shape, *_: Like(shape))
ref("StatelessRandomPoisson", lambda shape, *_, **__: Like(shape))
ref("StatelessRandomBinomial", lambda shape, *_, **__: Like(shape))
ref("KeyedRandomBinomial", lambda shape, *_, **__: Like(shape))
ref("StatelessMultinomial", lambda logits, samples, *_, **__: Like((len(logits), samples)))
