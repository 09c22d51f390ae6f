"""NumPy references of the elementwise ops."""

import math

import numpy as np

from references import ref


def in_float(function):
    """Half types are computed in float32, as the kernels do."""

    def call(*arrays):
        if arrays[0].dtype.itemsize == 2 and arrays[0].dtype.kind in "fV":
            arrays = [array.astype(np.float32) for array in arrays]
        with np.errstate(all="ignore"):
            return function(*arrays)

    return call


def floor_mod(x, y):
    if x.dtype.kind == "f":
        rest = np.fmod(x, y)
        return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)
    return np.where(y == -1, x.dtype.type(0), np.mod(x, np.where(y == -1, x.dtype.type(1), y)))


def floor_div(x, y):
    if x.dtype.kind == "f":
        return np.floor(x / y)
    return np.floor_divide(x, y)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def sign(x):
    if x.dtype.kind == "c":
        return np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x)))
    return np.sign(x)


def squared_difference(x, y):
    return (x - y) * np.conj(x - y)


def cast(x, dtype):
    with np.errstate(all="ignore"):
        if x.dtype.kind == "c" and dtype.kind not in "cb":
            x = x.real
        if x.dtype.kind in "fV" and dtype.kind in "iu":
            return float_to_int(x.astype(np.float64), dtype)
        return x.astype(dtype)


def float_to_int(x, dtype):
    """Through int32 or int64, whose lowest number stands for what does not fit."""
    if dtype == np.uint64:
        upper = (x >= 2.0**63) & (x < 2.0**64)
        low = float_to_int(np.where(upper, 0, x), np.dtype(np.int64)).astype(np.uint64)
        return np.where(upper, np.where(upper, x, 0).astype(np.uint64), low)
    bits = 64 if dtype.itemsize == 8 or dtype == np.uint32 else 32
    wide = np.dtype(f"int{bits}")
    fits = (x >= -(2.0 ** (bits - 1))) & (x < 2.0 ** (bits - 1))
    whole = np.where(fits, np.trunc(np.where(fits, x, 0)).astype(wide), np.iinfo(wide).min)
    return whole.astype(dtype)


def logical(function):
    return lambda x, y: function(x, y).astype(bool)


ref("AddV2", in_float(lambda x, y: x + y))
ref("Sub", in_float(lambda x, y: x - y))
ref("Mul", in_float(lambda x, y: x * y))
ref("RealDiv", in_float(lambda x, y: x / y))
ref("FloorDiv", in_float(floor_div))
ref("FloorMod", in_float(floor_mod))
ref("Maximum", in_float(np.maximum))
ref("Minimum", in_float(np.minimum))
ref("Pow", in_float(np.power))
ref("SquaredDifference", in_float(squared_difference))
ref("AddN", in_float(lambda *xs: sum(xs[1:], xs[0])))

ref("Neg", in_float(np.negative))
ref("Conj", np.conj)
ref("Abs", in_float(np.abs))
ref("Sign", in_float(sign))
ref("Square", in_float(lambda x: x * x))
ref("Sqrt", in_float(np.sqrt))
ref("Rsqrt", in_float(lambda x: 1 / np.sqrt(x)))
ref("Reciprocal", in_float(lambda x: 1 / x))
ref("Exp", in_float(np.exp))
ref("Log", in_float(np.log))
ref("Log1p", in_float(np.log1p))
ref("Sin", in_float(np.sin))
ref("Cos", in_float(np.cos))
ref("Tanh", in_float(np.tanh))
ref("Sigmoid", in_float(sigmoid))
ref("Relu", in_float(lambda x: np.where(x < 0, x.dtype.type(0), x)))
ref("ReluGrad", in_float(lambda dy, x: np.where(x > 0, dy, dy.dtype.type(0))))
ref("Floor", in_float(np.floor))
ref("Ceil", in_float(np.ceil))
ref("Round", in_float(np.rint))
ref("Erf", in_float(lambda x: np.vectorize(math.erf, otypes=[np.float64])(x)))

ref("Equal", in_float(logical(np.equal)))
ref("NotEqual", in_float(logical(np.not_equal)))
ref("Less", in_float(np.less))
ref("LessEqual", in_float(np.less_equal))
ref("Greater", in_float(np.greater))
ref("GreaterEqual", in_float(np.greater_equal))
ref("LogicalAnd", np.logical_and)
ref("LogicalOr", np.logical_or)
ref("LogicalNot", np.logical_not)
ref("IsNan", in_float(np.isnan))
ref("SelectV2", np.where)
ref("Cast", cast)
