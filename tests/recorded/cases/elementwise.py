"""Elementwise ops: broadcasting, NaN and infinities, integers that overflow, refused dtypes."""

import numpy as np

from cases import (
    b,
    bf16,
    c64,
    c128,
    call,
    f16,
    f32,
    f64,
    i8,
    i16,
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

SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 0.5, -0.5, inf, -inf, nan, 3e38, -1.5, 1e-7]
PAIRS_X = [0.0, 0.0, 1.0, -1.0, inf, inf, -inf, nan, 1.0, nan, 0.0, 5.0, -5.0, 5.0, -0.0]
PAIRS_Y = [0.0, -0.0, 0.0, 0.0, inf, -inf, 1.0, 1.0, nan, nan, 2.0, inf, inf, -inf, 3.0]

for op in ("Neg", "Abs", "Sign", "Floor", "Ceil", "Round", "Exp", "Log", "Log1p", "Sqrt", "Rsqrt"):
    call(op, f32(SPECIAL))
    call(op, f16([0.0, -0.0, 1.5, -2.5, 3.5, inf, -inf, nan, 65504.0]))
for op in ("Square", "Reciprocal", "Erf", "Tanh", "Sigmoid", "Relu", "IsNan"):
    call(op, f32(SPECIAL))
    call(op, bf16([0.0, -0.0, 1.5, -2.5, 3.5, inf, -inf, nan]))
for op in ("Sin", "Cos"):
    call(op, f32([0.0, -0.0, 1.0, -1.0, 100.0, 12345.678, inf, nan]))
    call(op, f64([1e6, -1e9, 3.141592653589793]))
for op in (
    "Exp",
    "Log",
    "Sqrt",
    "Rsqrt",
    "Tanh",
    "Sigmoid",
    "Sin",
    "Cos",
    "Square",
    "Reciprocal",
    "Log1p",
):
    call(op, c64([1 + 2j, -1 + 0.5j, 0.25 - 3j]))
    call(op, c128([-0.5 - 0.25j]))

for op in ("AddV2", "Sub", "Mul", "RealDiv", "Pow", "Maximum", "Minimum", "SquaredDifference",
           "FloorDiv", "FloorMod"):  # fmt: skip
    call(op, f32(PAIRS_X), f32(PAIRS_Y))
    call(op, f64(PAIRS_X), f64(PAIRS_Y))
    call(op, f16([1.5, 60000.0, -3.0]), f16([0.25, 60000.0, 2.0]))
    call(op, f32(np.ones((2, 1, 3))), f32([[1], [2]]))
    call(op, f32(np.ones((0, 3))), f32([1, 2, 3]))
    call(op, f32(2.0), f32([[3.0]]))
    call(op, f32([1, 2]), f32([1, 2, 3]))  # shapes that do not broadcast
    call(op, f32(np.ones((2, 3))), f32(np.ones((3, 2))))
    call(op, f32([1, 2]), i32([1, 2]))  # dtypes that differ
    call(op, f32([1, 2]), f64([1, 2]))
    call(op, s(["a"]), s(["b"])) if op not in ("AddV2",) else None

for op in ("AddV2", "Sub", "Mul"):
    call(op, i8([127, -128, 100]), i8([1, -1, 100]))
    call(op, u8([255, 0, 200]), u8([1, 1, 100]))
    call(op, i16([32767, -32768]), i16([1, -1]))
    call(op, i32([2147483647, -2147483648]), i32([1, -1]))
    call(op, i64([9223372036854775807, -9223372036854775808]), i64([1, -1]))
    call(op, u32([4294967295]), u32([2]))
    call(op, u64([18446744073709551615]), u64([2]))
    call(op, c64([1 + 2j]), c64([3 - 4j]))
    call(op, b([True]), b([False]))
for op in ("FloorDiv", "FloorMod"):
    call(op, i32([7, -7, 7, -7, 0, 6]), i32([2, 2, -2, -2, 3, -3]))
    call(op, i64([7, -7, 7, -7]), i64([2, 2, -2, -2]))
    call(op, i8([127, -128, -1]), i8([2, 3, 5]))
    call(op, u8([200, 7]), u8([7, 200]))
    call(op, f32([7, -7, 7, -7, 0.5]), f32([2, 2, -2, -2, 0.25]))
    call(op, i32([1, 2]), i32([1, 0]))  # division by zero
    call(op, u16([3]), u16([0]))
    call(op, i64([]), i64([]))
call("RealDiv", c64([1 + 2j]), c64([3 - 4j]))
call("RealDiv", i32([1]), i32([2]))
call("Pow", i32([2, 3, -2, 0, 5]), i32([10, 3, 3, 0, 0]))
call("Pow", i64([2, -1]), i64([62, 5]))
call("Pow", i32([2, 2]), i32([3, -1]))  # a negative exponent
call("Pow", f64([2.0, -8.0, 0.0, 0.0]), f64([0.5, 1 / 3, -1.0, 0.0]))
call("Pow", c64([1 + 1j]), c64([2 - 1j]))
call("Neg", i32([-2147483648, 5]))
call("Neg", u8([1]))
call("Abs", i8([-128, -5, 127]))
call("Abs", i32([-2147483648]))
call("Sign", i32([-3, 0, 9]))
call("Sign", c64([3 + 4j, 0]))
call("Round", f32([0.5, 1.5, 2.5, -0.5, -1.5, 4.5, 8388609.0]))
call("Round", i32([1, -2]))
call("Sqrt", i32([4]))
call("Exp", i32([1]))
call("Exp", f64([709.0, 710.0, -745.0, -746.0]))
call("Log", f64([-1.0, 0.0, 1e-300]))
call("Log", i32([4]))
call("Relu", i32([-3, 0, 9]))
call("Relu", u8([0, 200]))
call("Floor", i32([1]))
call("Conj", c64([1 + 2j, -3j]))
call("Conj", f32([1.0]))
call("Square", i32([65536, -3]))
call("IsNan", i32([1]))

for op in ("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"):
    call(op, f32(PAIRS_X), f32(PAIRS_Y))
    call(op, i64([2**53, 2**53 + 1, -1]), i64([2**53 + 1, 2**53, -1]))
    call(op, u64([18446744073709551615, 0]), u64([1, 0]))
    call(op, u8([200, 3]), u8([[100], [3]]))
    call(op, bf16([1.0, nan]), bf16([1.0, nan]))
    call(op, f32(np.ones((2, 0))), f32(np.ones((1, 0))))
    call(op, f32([1, 2]), i32([1, 2]))
for op in ("Less", "LessEqual", "Greater", "GreaterEqual"):
    call(op, f32([1, 2]), f32([1, 2, 3]))
    call(op, c64([1j]), c64([2j]))
    call(op, b([True]), b([False]))
for op in ("Equal", "NotEqual"):
    call(op, s(["a", "b", ""]), s(["a", "c", ""]))
    call(op, b([True, False]), b([True, True]))
    call(op, c64([1 + 1j, 2]), c64([1 + 1j, 3]))
for op in ("LogicalAnd", "LogicalOr"):
    call(op, b([True, False]), b([[True], [False]]))
    call(op, b([True, False]), b([True, False, True]))
    call(op, i32([1]), i32([0]))
call("LogicalNot", b([]))
call("LogicalNot", i32([1]))

call("SelectV2", b([True, False]), f32([1, 2]), f32([nan, nan]))
call("SelectV2", b([[True], [False]]), i32([1, 2, 3]), i32(0))
call("SelectV2", b(True), s(["x"]), s(["y"]))
call("SelectV2", b([True, False]), f32([1, 2]), i32([1, 2]))
call("SelectV2", b([True, False]), f32([1, 2, 3]), f32([1, 2, 3]))
call("SelectV2", f32([1.0]), f32([1.0]), f32([2.0]))

for dtype in (np.int32, np.int64, np.float16, np.float64, bool):
    call("Cast", f32([1.9, -1.9, 0.0, 100.5, -0.0]), dtype=np.dtype(dtype))
call("Cast", f64([1e300, -1e300, 1e-300]), dtype=np.dtype(np.float32))
call("Cast", f32([1e6, -1e6, 70000.0, 1e-8]), dtype=np.dtype(np.float16))
call("Cast", i32([300, -1, 127, 128]), dtype=np.dtype(np.int8))
call("Cast", i32([300, -1, 65536]), dtype=np.dtype(np.uint8))
call("Cast", i64([2**40 + 7, -(2**40)]), dtype=np.dtype(np.int32))
call("Cast", i64([2**53 + 1, -1]), dtype=np.dtype(np.float64))
call("Cast", u64([2**64 - 1, 2**63]), dtype=np.dtype(np.float32))
call("Cast", b([True, False]), dtype=np.dtype(np.complex64))
call("Cast", c64([1.5 + 2j]), dtype=np.dtype(np.float32))
call("Cast", c64([0, 1j]), dtype=np.dtype(bool))
call("Cast", f32([nan, inf, 0.0]), dtype=np.dtype(bool))
call("Cast", s(["1"]), dtype=np.dtype(np.float32))

call("AddN", f32([1, 2]), f32([3, 4]), f32([5, 6]))
call("AddN", f32([1, 2]), f32([3, 4, 5]))
call("AddN", f32([1, 2]), i32([3, 4]))
call("AddN", f32([[1]]), f32([1]))
call("ReluGrad", f32([1, 2, 3]), f32([-1, 0, 1]))
call("ReluGrad", f32([1, 2, 3]), f32([-1, 0]))
