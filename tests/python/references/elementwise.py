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


def shift(function):
    """Never by less than 0, nor out of the word."""
    return lambda x, y: function(x, np.clip(y, 0, x.dtype.itemsize * 8 - 1).astype(x.dtype))


def truncate_div(x, y):
    if x.dtype.kind == "f":
        return np.trunc(x / y)
    quotient = np.floor_divide(x, y)
    exact = quotient * y == x
    return np.where((quotient < 0) & ~exact, quotient + 1, quotient)


def zero_where(operand, function):
    """`function` of x and y, and 0 where operand number `operand` is 0."""

    def call(*xy):
        result = function(*xy)
        return np.where(np.broadcast_to(xy[operand] == 0, result.shape), 0, result)

    return in_float(call)


def gelu(features, approximate):
    x = features.astype(np.float64)
    if approximate:
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * np.vectorize(math.erfc, otypes=[np.float64])(-x / np.sqrt(2))


def gelu_grad(gradients, features, approximate):
    x, step = features.astype(np.float64), 1e-5
    slope = (gelu(x + step, approximate) - gelu(x - step, approximate)) / (2 * step)
    return gradients.astype(np.float64) * slope


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def elu(x):
    return np.where(x < 0, np.expm1(np.minimum(x, 0)), x)


SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def clip_by_norm(t, clip_norm, axes):
    wide, clip_norm = t.astype(np.float64), np.maximum(clip_norm, 0)
    length = np.sqrt(np.sum(wide * wide, axis=axes and tuple(axes), keepdims=True))
    return wide * clip_norm / np.maximum(length, clip_norm.astype(np.float64))


def clip_by_global_norm(clip_norm, use_norm, *tensors):
    if not np.isfinite(use_norm):
        return tuple(t * np.nan for t in tensors)
    return tuple(t * clip_norm / np.maximum(clip_norm, use_norm) for t in tensors)


def bitcast(value, type):
    value = value.copy()
    if value.dtype.itemsize == type.itemsize:
        return value.view(type)
    if value.dtype.itemsize > type.itemsize:
        return value[..., np.newaxis].view(type)
    return value.view(type)[..., 0] if value.size else np.zeros(value.shape[:-1], type)


def saturate_cast(value, dtype):
    def limits(dtype):
        if dtype.kind in "iu":
            return np.iinfo(dtype).min, np.iinfo(dtype).max
        return float(np.finfo(dtype).min), float(np.finfo(dtype).max)

    low, high = limits(dtype)
    if value.dtype.kind in "iu":
        return np.array([dtype.type(min(max(int(v), low), high)) for v in value.ravel()]).reshape(
            value.shape
        )
    high_in = value.dtype.type(high)
    if float(high_in) > high:
        high_in = np.nextafter(high_in, value.dtype.type(0))
    return cast(np.clip(value, value.dtype.type(low), high_in), dtype)


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
ref("TruncateDiv", in_float(truncate_div))
ref("TrueDiv", in_float(lambda x, y: x / y))
ref("ReciprocalNoNan", in_float(lambda x: np.where(x == 0, 0, 1 / x)))
ref("TruncateMod", in_float(np.fmod))
ref("DivNoNan", zero_where(1, lambda x, y: x / y))
ref("MulNoNan", zero_where(1, lambda x, y: x * y))
ref("Xdivy", zero_where(0, lambda x, y: x / y))
ref("Xlogy", zero_where(0, lambda x, y: x * np.log(y)))
ref("Xlog1py", zero_where(0, lambda x, y: x * np.log1p(y)))
ref("Atan2", in_float(np.arctan2))
ref("NextAfter", np.nextafter)
ref("BitwiseAnd", np.bitwise_and)
ref("BitwiseOr", np.bitwise_or)
ref("BitwiseXor", np.bitwise_xor)
ref("Invert", np.invert)
ref("LeftShift", shift(np.left_shift))
ref("RightShift", shift(np.right_shift))
ref(
    "PopulationCount",
    lambda x: np.vectorize(
        lambda v: (int(v) % 2 ** (8 * x.dtype.itemsize)).bit_count(), [np.uint8]
    )(x)
    if x.size
    else x.astype(np.uint8),
)
ref("AccumulateN", in_float(lambda *xs: sum(xs[1:], xs[0])))
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
ref("Expm1", in_float(np.expm1))
ref("Tan", in_float(np.tan))
ref("Asin", in_float(np.arcsin))
ref("Acos", in_float(np.arccos))
ref("Atan", in_float(np.arctan))
ref("Sinh", in_float(np.sinh))
ref("Cosh", in_float(np.cosh))
ref("Asinh", in_float(np.arcsinh))
ref("Acosh", in_float(np.arccosh))
ref("Atanh", in_float(np.arctanh))
ref("Sin", in_float(np.sin))
ref("Cos", in_float(np.cos))
ref("Tanh", in_float(np.tanh))
ref("Sigmoid", in_float(sigmoid))
ref("Relu", in_float(lambda x: np.where(x < 0, x.dtype.type(0), x)))
ref("ReluGrad", in_float(lambda dy, x: np.where(x > 0, dy, dy.dtype.type(0))))
ref("TanhGrad", in_float(lambda y, dy: dy * (1 - y * y)))
ref("SigmoidGrad", in_float(lambda y, dy: dy * y * (1 - y)))
ref("SqrtGrad", in_float(lambda y, dy: dy / (2 * y)))
ref("RsqrtGrad", in_float(lambda y, dy: -dy * y**3 / 2))
ref("ReciprocalGrad", in_float(lambda y, dy: -dy * y * y))
ref("Relu6", in_float(lambda x: np.where(x < 0, x.dtype.type(0), np.minimum(x, x.dtype.type(6)))))
ref("Relu6Grad", in_float(lambda dy, x: np.where((x > 0) & (x < 6), dy, dy.dtype.type(0))))
ref("LeakyRelu", lambda x, alpha: in_float(lambda v: np.where(v > 0, v, v * alpha))(x))
ref("LeakyReluGrad", lambda g, x, alpha: in_float(lambda a, b: np.where(b > 0, a, a * alpha))(g, x))
ref("Elu", in_float(elu))
ref("EluGrad", in_float(lambda dy, y: np.where(y < 0, dy * (y + 1), dy)))
ref("Selu", in_float(lambda x: SELU_SCALE * np.where(x < 0, SELU_ALPHA * elu(x), x)))
ref(
    "SeluGrad",
    in_float(lambda dy, y: dy * np.where(y < 0, y + SELU_SCALE * SELU_ALPHA, SELU_SCALE)),
)
ref("Softplus", in_float(softplus))
ref("SoftplusGrad", in_float(lambda dy, x: dy * sigmoid(x)))
ref("Softsign", in_float(lambda x: x / (1 + np.abs(x))))
ref("SoftsignGrad", in_float(lambda dy, x: dy / (1 + np.abs(x)) ** 2))
ref("Gelu", gelu)
ref("GeluGrad", gelu_grad)
ref("Swish", lambda x, beta: in_float(lambda v: v * sigmoid(beta * v))(x))
ref("LogSigmoid", in_float(lambda x: -softplus(-x)))
ref("CRelu", lambda x, axis: np.maximum(np.concatenate([x, -x], axis), x.dtype.type(0)))
ref("Rint", in_float(np.rint))
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
ref("IsInf", in_float(np.isinf))
ref("IsFinite", in_float(np.isfinite))
ref("LogicalXor", np.logical_xor)
ref("ApproximateEqual", lambda x, y, tolerance: np.abs(x - y) < x.dtype.type(tolerance))
ref("Complex", lambda re, im: re + 1j * im)
ref("Real", np.real)
ref("Imag", np.imag)
ref("ComplexAbs", np.abs)
ref("Angle", np.angle)
ref("ClipByValue", in_float(lambda t, low, high: np.maximum(np.minimum(t, high), low)))
ref("ClipByNorm", clip_by_norm)
ref("GlobalNorm", lambda *ts: np.sqrt(sum(np.sum(t.astype(np.float64) ** 2) for t in ts)))
ref("ClipByGlobalNorm", clip_by_global_norm)
ref("Bitcast", bitcast)
ref("SaturateCast", saturate_cast)
ref("SelectV2", np.where)
ref("Cast", cast)
