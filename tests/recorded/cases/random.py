"""Random numbers by seed: streams of every dtype, the parameters' corners, refused shapes."""

import ml_dtypes
import numpy as np

from cases import b, call, f16, f32, f64, i32, i64, inf, nan, s, steps, u64

FLOATS = ("float16", "bfloat16", "float32", "float64")
SEEDS = ({"seed": 1, "seed2": 0}, {"seed": 87654321, "seed2": 42}, {"seed": 0, "seed2": 2**31 - 1})


def dtype(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


for op in ("RandomStandardNormal", "RandomUniform", "TruncatedNormal"):
    for name in FLOATS:
        call(op, i32([3, 5]), dtype=dtype(name), seed=12, seed2=34)
    for seeds in SEEDS:
        call(op, i32([9]), dtype=dtype("float32"), **seeds)
    call(op, i32([-1]), dtype=dtype("float32"), seed=1)
    call(op, i32([[1]]), dtype=dtype("float32"), seed=1)
    call(op, i64([0, 4]), dtype=dtype("float64"), seed=1)
for low, high in ((0, 10), (-5, 5), (-(2**31), 2**31 - 1), (7, 8), (3, 3), (5, 2)):
    call("RandomUniformInt", i32([7]), i32(low), i32(high), seed=3, seed2=4)
    call("RandomUniformInt", i32([5]), i64(low), i64(high), seed=3, seed2=4)
call("RandomUniformInt", i32([5]), i64(-(2**63)), i64(2**63 - 1), seed=3)
call("RandomUniformInt", i32([5]), i32(0), i64(5), seed=3)
call("RandomUniformInt", i32([5]), i32([0]), i32(5), seed=3)

for seeds in SEEDS:
    call("RandomGamma", i32([4]), f32([0.1, 0.5, 1.0, 1.5, 10.0]), **seeds)
call("RandomGamma", i32([2, 3]), f64([[0.3], [2.0]]), seed=5)
call("RandomGamma", i32([6]), f16(2.0), seed=5)
call("RandomGamma", i32([0]), f32([2.0]), seed=5)
call("RandomGamma", i32([2]), i32([2]), seed=5)
call("RandomGamma", i32([-2]), f32([2.0]), seed=5)
for seeds in SEEDS:
    call("RandomPoissonV2", i32([5]), f32([0.0, 0.5, 3.0, 9.9, 10.0, 25.0, 1000.0]), **seeds)
call("RandomPoissonV2", i32([5]), f64([0.5, 30.0]), seed=2, dtype=dtype("float64"))
call("RandomPoissonV2", i32([5]), f16([0.5, 30.0]), seed=2, dtype=dtype("float16"))
call("RandomPoissonV2", i32([5]), i32([1, 30]), seed=2, dtype=dtype("int32"))
call("RandomPoissonV2", i32([5]), f32([1]), seed=2, dtype=dtype("uint8"))

LOGITS = f32([[0.0, 1.0, -1.0, 0.5], [-inf, 0.0, 2.0, -inf]])
for seeds in SEEDS:
    call("Multinomial", LOGITS, i32(9), **seeds)
call("Multinomial", f64([[100.0, 100.5, 99.0]]), i32(9), seed=3, output_dtype=dtype("int32"))
call("Multinomial", f16([[0.5, 1, 2]]), i32(4), seed=3)
call("Multinomial", f32([[nan, 1.0]]), i32(4), seed=3)
call("Multinomial", LOGITS, i32(-1), seed=3)
call("Multinomial", LOGITS[0], i32(1), seed=3)
call("Multinomial", LOGITS, i32([1]), seed=3)
call("Multinomial", f32(np.ones((2, 0))), i32(1), seed=3)
call("Multinomial", LOGITS, i32(0), seed=3)

for seeds in SEEDS:
    call("RandomShuffle", i32(np.arange(11)), **seeds)
call("RandomShuffle", steps(np.float32, 5, 2), seed=9)
call("RandomShuffle", s(["a", "b", "c"]), seed=9)
call("RandomShuffle", b([True]), seed=9)
call("RandomShuffle", f32(1.0), seed=9)

KEY, COUNTER, PHILOX = u64([0x0123456789ABCDEF]), u64([2**64 - 2, 17]), i32(1)
for op in ("StatelessRandomNormalV2", "StatelessRandomUniformV2", "StatelessTruncatedNormalV2"):
    for name in FLOATS:
        call(op, i32([3, 5]), KEY, COUNTER, PHILOX, dtype=dtype(name))
    call(op, i32([3]), KEY, COUNTER, i32(3))
    call(op, i32([3]), KEY, COUNTER, i32(9))
    call(op, i32([3]), u64([1, 2]), COUNTER, PHILOX)
    call(op, i32([3]), KEY, u64([1, 2, 3]), PHILOX)
    call(op, i32([-3]), KEY, COUNTER, PHILOX)
for name in ("int32", "int64", "uint32", "uint64"):
    call("StatelessRandomUniformFullIntV2", i32([7]), KEY, COUNTER, PHILOX, dtype=dtype(name))
call("StatelessRandomUniformFullIntV2", i32([7]), KEY, COUNTER, PHILOX, dtype=dtype("float32"))
call("StatelessRandomUniformIntV2", i32([7]), KEY, COUNTER, PHILOX, i32(-3), i32(9))
call("StatelessRandomUniformIntV2", i32([7]), KEY, COUNTER, PHILOX, i64(-3), i64(2**40))
call("StatelessRandomUniformIntV2", i32([7]), KEY, COUNTER, PHILOX, i32(9), i32(9))
for seed in (i32([1, 2]), i32([-1, 0]), i64([2**40, -5]), i32([1]), i32([[1, 2]])):
    call("StatelessRandomGetKeyCounter", seed)
    call("StatelessRandomPoisson", i32([2, 3]), seed, f32([0.5, 9.0, 60.0]), dtype=dtype("int64"))
    call("StatelessRandomBinomial", i32([4]), seed, f32(30.0), f32(0.5))
    call("StatelessMultinomial", LOGITS, i32(5), seed)
    call("RandomSplit", seed, num=3)
    call("RandomFoldIn", seed, i32(11))
call("StatelessRandomGammaV3", i32([3, 4]), KEY, COUNTER, PHILOX, f32([0.1, 0.9, 1.0, 7.5]))
call("StatelessRandomGammaV3", i32([5]), KEY, COUNTER, PHILOX, f64(0.5))
call("StatelessRandomGammaV3", i32([5]), KEY, COUNTER, PHILOX, f32([1, 2]))
TRIALS, CHANCES = f32([[1.0], [12.0], [100.0]]), f32([0.0, 0.05, 0.4, 0.5, 0.8, 1.0])
call("StatelessRandomBinomial", i32([3, 3, 6]), i32([7, 8]), TRIALS, CHANCES)
call("StatelessRandomBinomial", i32([3, 6]), i32([7, 8]), f64(TRIALS), f64(CHANCES))
call("StatelessRandomBinomial", i32([3, 6]), i32([7, 8]), f16(TRIALS), f16(CHANCES),
     dtype=dtype("float32"))  # fmt: skip
call("StatelessRandomBinomial", i32([6, 3]), i32([7, 8]), TRIALS, CHANCES)
call("StatelessRandomBinomial", i32([2]), i32([7, 8]), f32([1, 2]), f32([0.1, 0.2, 0.3]))
call("StatelessRandomBinomial", i32([3]), i32([7, 8]), f32([-1, 2, 3]), f32([0.5, -0.2, 1.3]))
call("StatelessShuffle", i32(np.arange(12)), KEY, COUNTER, PHILOX)
call("StatelessShuffle", steps(np.float64, 4, 1, 2), KEY, COUNTER, PHILOX)
call("StatelessShuffle", s(["a", "b", "c"]), KEY, COUNTER, PHILOX)
