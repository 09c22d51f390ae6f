"""Layers: normalisation, losses, embeddings, recurrent cells."""

import numpy as np

from cases import call, f16, f32, f64, i32, i64, steps

X = steps(np.float32, 2, 2, 3, 2, start=-1, step=0.1)
ONE, TWO = f32([1, 2]), f32([0.5, -0.5])
for training in (True, False):
    mean, variance = (f32([]), f32([])) if training else (f32([0.1, 0.2]), f32([1.5, 0.5]))
    call("FusedBatchNormV3", X, ONE, TWO, mean, variance, epsilon=0.01, is_training=training)
    call("FusedBatchNormV3", f16(X), ONE, TWO, mean, variance, is_training=training)
call("FusedBatchNormV3", X, f32([1]), TWO, f32([]), f32([]), is_training=True)
call("FusedBatchNormV3", X[0], ONE, TWO, f32([]), f32([]), is_training=True)
call(
    "FusedBatchNormV3",
    X,
    ONE,
    TWO,
    f32([0.1, 0.2]),
    f32([1.5, 0.5]),
    is_training=True,
    exponential_avg_factor=0.25,
)
call("BatchNormalization", X, f32([0.1, 0.2]), f32([1.5, 0.5]), ONE, TWO, variance_epsilon=0.1)
call("BatchNormalization", X, f32(0.1), f32(1.5), f32(1), f32(2), variance_epsilon=0.0)
call("BiasAddGrad", steps(np.float32, 2, 3))
call("BiasAddGrad", steps(np.float32, 2, 3, 2, 2), data_format="NCHW")
call("BiasAddGrad", f32([1, 2]))
LABELS, LOGITS = f32([0, 1, 0.5, 1, 0]), f32([-100, 100, 0.3, -2, 1000])
call("SigmoidCrossEntropyWithLogits", LABELS, LOGITS)
call("SigmoidCrossEntropyWithLogits", LABELS, f32([1, 2]))
call("SigmoidCrossEntropyWithLogits", LABELS, f64(LOGITS))
call("WeightedCrossEntropyWithLogits", LABELS, LOGITS, f32(2.5))
call("LogPoissonLoss", f32([0, 1, 2.5]), f32([0.1, -1, 2]))
call("LogPoissonLoss", f32([0, 1, 2.5]), f32([0.1, -1, 2]), compute_full_loss=True)
for op in ("SoftmaxV2", "LogSoftmaxV2"):
    call(op, steps(np.float32, 2, 3, 2), axis=1)
    call(op, steps(np.float32, 2, 3), axis=-2)
    call(op, f32([1, 2, 3]), axis=0)
    call(op, f32([1, 2, 3]), axis=1)
TABLE = steps(np.float32, 4, 3)
call("EmbeddingLookup", TABLE, i32([[3, 0], [1, 1]]))
call("EmbeddingLookup", TABLE, i64([2]), max_norm=1.0)
call("EmbeddingLookup", TABLE, i32([4]))
call("EmbeddingLookup", TABLE, i32([-1]))
for combiner in ("sum", "mean", "sqrtn"):
    call(
        "EmbeddingLookupSparse",
        TABLE,
        i32([0, 0, 2]),
        i32([1, 3, 0]),
        f32([1, 0.5, 2]),
        combiner=combiner,
    )
call("XwPlusB", f32([[1, 2]]), f32([[1, 2, 3], [4, 5, 6]]), f32([0, 0, 1]))
call("XwPlusB", f32([[1, 2, 3]]), f32([[1, 2, 3], [4, 5, 6]]), f32([0, 0, 1]))
call("ReluLayer", f32([[1, -2]]), f32([[1, 2, 3], [4, 1, 1]]), f32([0, 0, 1]))
for seed in (1, 77):
    call("Dropout", steps(np.float32, 4, 3), rate=0.4, seed=seed, seed2=5)
call("Dropout", steps(np.float64, 4, 3), rate=0.4, noise_shape=[4, 1], seed=3)
UNITS, WIDTH = 2, 3
call(
    "LstmCell",
    steps(np.float32, 2, WIDTH),
    steps(np.float32, 2, UNITS),
    steps(np.float32, 2, UNITS),
    steps(np.float32, WIDTH, 4 * UNITS, start=-1, step=0.1),
    steps(np.float32, UNITS, 4 * UNITS, start=1, step=-0.1),
    steps(np.float32, 4 * UNITS),
)
call(
    "GruCell",
    steps(np.float32, 2, WIDTH),
    steps(np.float32, 2, UNITS),
    steps(np.float32, WIDTH, 3 * UNITS, start=-1, step=0.1),
    steps(np.float32, UNITS, 3 * UNITS, start=1, step=-0.1),
    steps(np.float32, 2, 3 * UNITS, start=-1),
)
