"""Functions and reductions of mathematics: poles, domains' edges, signs, refused dtypes."""

import numpy as np

from cases import (
    b,
    c64,
    c128,
    call,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
    inf,
    nan,
    s,
    u8,
    u16,
    u32,
    u64,
)

EDGES = f32([0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.5, 10.0, inf, -inf, nan])
UNIT = f32([-1.0, -0.5, 0.0, 0.25, 1.0, 1.5, nan])
SMALL = f32([-3.0, -0.5, 0.0, 0.25, 1.0, 4.5])
POSITIVE = f32([0.1, 0.5, 1.0, 2.5, 10.0, 50.0])

for op in ("IsInf", "IsFinite", "Expm1", "Erfc", "Atan", "Sinh", "Cosh", "Asinh", "Relu6", "Elu",
           "Selu", "Softplus", "Softsign", "Gelu", "Swish", "LogSigmoid", "LeakyRelu",
           "Rint"):  # fmt: skip
    call(op, EDGES)
    if op != "Rint":
        call(op, f16([-2.0, 0.0, 0.5, 3.0]))
    call(op, f64([-20.0, -1e-9, 0.3, 20.0]))
    call(op, s(["a"]))
for op in ("Erfinv", "Asin", "Acos", "Atanh"):
    call(op, UNIT)
    call(op, f64([-0.999, 1e-9, 0.3]))
for op in ("Tan", "Acosh", "Lgamma", "Digamma"):
    call(op, f32([-2.5, -0.5, 0.25, 1.0, 1.5, 2.0, 30.0]))
    call(op, f64([0.3, 7.5, 100.0]))
call("Lgamma", f32([0.0, -1.0, inf, -inf, nan]))
call("Digamma", f32([0.0, -1.0, inf, nan]))
call("Ndtri", f32([0.0, 0.025, 0.5, 0.975, 1.0]))
call("Erfcinv", f32([0.1, 1.0, 1.9]))
for op in ("BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "BesselJ0", "BesselJ1", "Dawsn",
           "FresnelCos", "FresnelSin"):  # fmt: skip
    call(op, SMALL)
    call(op, f64([-12.0, 0.5, 30.0]))
for op in ("BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1", "Expint",
           "Spence"):  # fmt: skip
    call(op, POSITIVE)
    call(op, f64([0.01, 3.0, 20.0]))
call("Polygamma", f32([1, 2, 3, 1]), f32([0.5, 1, 2.5, 20]))
call("Zeta", f32([2, 3, 1.5, 1]), f32([1, 0.5, 10, 2]))
A, X = f32([0.5, 1, 2, 10, 100, 0.5]), f32([0.1, 1, 5, 9, 90, 0])
call("Igamma", A, X)
call("Igammac", A, X)
call("IgammaGradA", f32([0.5, 1, 2, 10]), f32([0.1, 1, 5, 9]), tol=1e-4)
call("RandomGammaGrad", f32([0.5, 1, 2, 10]), f32([0.1, 1, 5, 9]), tol=1e-4)
call("Igamma", f32([-1.0, 0.0, 1.0]), f32([1.0, 1.0, -1.0]))
call("Betainc", f32([0.5, 1, 2, 10]), f32([0.5, 3, 2, 1]), f32([0.1, 0.5, 0.9, 1.0]))
call("Betainc", f32([0.5, 1]), f32([0.5, 3]), f32([0.1, 0.5, 0.9]))
call("Lbeta", f32([[1, 2, 3], [0.5, 0.5, 4]]))
call("Atan2", f32([0, 1, -1, 0, -0.0, inf]), f32([0, 0, 0, -1, -1, inf]))
call("DivNoNan", f32([1, 0, nan, inf]), f32([0, 0, 0, 2]))
call("MulNoNan", f32([1, nan, inf, 2]), f32([0, 0, 0, 3]))
call("Xdivy", f32([0, 0, 1]), f32([0, nan, 2]))
call("Xlogy", f32([0, 0, 1, 2]), f32([0, nan, 2, 0]))
call("Xlog1py", f32([0, 0, 1]), f32([-1, nan, 2]))
call("NextAfter", f32([0, 1, -1, nan]), f32([1, 2, -2, 1]))
call("NextAfter", f64([1.0]), f64([inf]))
call("TruncateDiv", i32([7, -7, 7, -7]), i32([2, 2, -2, -2]))
call("TruncateMod", i32([7, -7, 7, -7]), i32([2, 2, -2, -2]))
call("TruncateMod", f32([7, -7, 7.5]), f32([2, 2, -2]))
for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"):
    call(op, i32([5, -1, 7]), i32([3, 1, 2]))
    call(op, u8([5, 255, 7]), u8([3, 1, 2]))
    call(op, i64([2**40 + 5, -9]), i64([3, 1]))
    call(op, u16([40000]), u16([4]))
    call(op, f32([1]), f32([1]))
call("Invert", i8([0, -1, 127]))
call("Invert", u32([0, 5]))
call("PopulationCount", i32([0, 7, -1]))
call("PopulationCount", u64([2**64 - 1]))
call("LogicalXor", b([True, False, True]), b([[True], [False]]))
call("ApproximateEqual", f32([1, 2, nan]), f32([1.000001, 2.1, nan]), tolerance=1e-3)
call("ApproximateEqual", f32([1, 2]), f32([1]))
call("Complex", f32([1, 2]), f32([3, -4]))
call("Complex", f64([1]), f64([nan]))
call("Complex", f32([1]), f64([1]))
for op in ("Real", "Imag", "Angle", "ComplexAbs"):
    call(op, c64([3 + 4j, -1, -2j]))
    call(op, c128([3 - 4j]))
call("SaturateCast", f32([300.0, -5.0, 1.7]), dtype=np.dtype(np.uint8))
call("SaturateCast", i32([70000, -70000]), dtype=np.dtype(np.int16))
call("Bitcast", f32([1.0, -2.0]), type=np.dtype(np.int32))
call("Bitcast", u8([[1, 2, 3, 4]]), type=np.dtype(np.int32))
call("Bitcast", i64([2**40 + 1]), type=np.dtype(np.uint8))
call("Bitcast", u8([1, 2, 3]), type=np.dtype(np.int32))
call("ClipByValue", f32([-2, 0, 5, nan]), f32(-1), f32(1))
call("ClipByValue", i32([-2, 0, 5]), i32([0, 1, 2]), i32(3))
call("ClipByNorm", f32([3, 4]), f32(1.0))
call("ClipByNorm", f32([[3, 4], [0, 0]]), f32(2.0), axes=[1])
call("GlobalNorm", f32([3]), f32([4]))
call("ClipByGlobalNorm", f32(1.0), f32(5.0), f32([3]), f32([4]))
for op in ("SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "TanhGrad", "SigmoidGrad"):
    call(op, f32([0.5, 0.25]), f32([1, 2]))
for op in ("Relu6Grad", "LeakyReluGrad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"):
    call(op, f32([1, 2, 3, 4]), f32([-1, 0, 3, 7]))
call("Gelu", EDGES[:9], approximate=True)
call("LeakyRelu", f32([-1, 2]), alpha=0.5)
call("Swish", f32([-1, 2]), beta=2.0)
call("CRelu", f32([[-1, 2], [3, -4]]), axis=0)
call("AccumulateN", f32([1, 2]), f32([3, 4]))
for axis in ([0], [1], [0, 1], []):
    rows = f32([[1, 2, 3], [1000, 1001, -5]])
    for op in ("ReduceLogsumexp", "ReduceVariance", "ReduceStd", "EuclideanNorm", "Norm"):
        call(op, rows, axis=axis, tol=1e-4)
    call("CountNonzero", i32([[1, 0, 3], [0, 0, -5]]), axis=axis)
call("ReduceLogsumexp", f32([-inf, -inf]))
call("ReduceLogsumexp", f32([inf, 1]))
call("ReduceVariance", f32([]))
call("ReduceVariance", c64([1j, 2, 3]))
call("Norm", f32([[1, -2], [3, 4]]), ord="1", axis=[1])
call("Norm", f32([[1, -2], [3, 4]]), ord="inf", axis=[0], keepdims=True)
call("CountNonzero", s(["", "a"]))
call("ZeroFraction", f32([0, 1, 0, -0.0]))
call("ZeroFraction", f32([]))
call("Moments", rows, axes=[0])
call("Moments", f16([[1, 2], [3, 5]]), axes=[0, 1], keepdims=True)
call("WeightedMoments", rows, f32([[1], [3]]), axes=[0])
for flags in ({}, {"exclusive": True}, {"reverse": True}):
    call("CumulativeLogsumexp", f32([1, 2, -3, 4]), **flags)
call("IsNonDecreasing", i32([1, 1, 2]))
call("IsStrictlyIncreasing", f32([1, 1, 2]))
call("ConfusionMatrix", i32([0, 1, 2, 2]), i32([0, 2, 2, 1]))
call("ConfusionMatrix", i32([0, 1]), i32([0, 2]), num_classes=2)
