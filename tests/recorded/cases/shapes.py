"""Shapes and indices: negative and repeated axes, sizes of -1, masks, indices out of range."""

import numpy as np

from cases import b, bf16, c64, call, f16, f32, f64, i32, i64, inf, nan, s, steps, u8

X = steps(np.float32, 2, 3, 4, step=1)
M = i32([[1, 2, 3], [4, 5, 6]])

call("Fill", i32([2, 3]), f32(1.5))
call("Fill", i64([0]), s("a"))
call("Fill", i32([]), b(True))
call("Fill", i32([-1]), f32(1.0))
call("Fill", i32([[2]]), f32(1.0))
for shape in ([4, 6], [-1], [2, -1], [24], [1, 24, 1], [3, 0], [-1, -1], [5, -1], [25], [-2, 12]):
    call("Reshape", X, i32(shape))
call("Reshape", f32([]), i32([0, -1]))
call("Reshape", f32([]), i32([3, 0, 2]))
call("Reshape", f32([]), i32([-1]))
call("Reshape", f32(np.ones((0, 6))), i32([0, 2, -1]))
call("Reshape", f32(np.ones((0, 6))), i32([2, 0, -1]))
call("Reshape", f32(np.ones((0, 6))), i32([0, 4, -1]))
call("Reshape", f32([1.0]), i32([0, -1]))
call("Reshape", f32(3.0), i32([1, 1]))
call("Reshape", s(["a", "b"]), i64([2, 1]))
call("Reshape", f32([1]), i32(1))
for axis in (0, 1, -1, 2, 3, -4, 4, -5):
    call("ExpandDims", steps(np.float32, 2, 3, 1), axis=axis)
call("ExpandDims", s("a"), axis=0)
Y = steps(np.int32, 1, 2, 1, 3, step=1)
for axis in ([], [0], [-2], [0, 2], [1], [4], [0, 0]):
    call("Squeeze", Y, axis=axis)
call("Squeeze", f32([[[1.0]]]))
for perm in ([2, 0, 1], [0, 2, 1], [0, 1, 2], [0, 1], [0, 1, 1], [0, 1, 3], [-1, 0, 1]):
    call("Transpose", X, perm=perm)
call("Transpose", M, perm=[1, 0])
call("Transpose", s([["a", "b"]]), perm=[1, 0])
call("Transpose", f32(np.ones((0, 2))), perm=[1, 0])
call("ConcatV2", f32([[1]]), f32([[2]]), axis=0)
call("ConcatV2", f32([[1]]), f32([[2]]), axis=-1)
call("ConcatV2", f32([[1]]), f32(np.ones((0, 1))), axis=0)
call("ConcatV2", f32([[1]]), f32([[2, 3]]), axis=0)
call("ConcatV2", f32([[1]]), f32([2]), axis=0)
call("ConcatV2", f32([[1]]), i32([[2]]), axis=0)
call("ConcatV2", f32([[1]]), f32([[2]]), axis=2)
call("ConcatV2", f32(1.0), f32(2.0), axis=0)
call("ConcatV2", s(["a"]), s(["b", "c"]), axis=0)
for axis in (0, 1, -1, 2, -3):
    call("Pack", f32([1, 2]), f32([3, 4]), axis=axis)
call("Pack", f32(1.0), f32(2.0))
call("Pack", f32([1.0]), f32(2.0))
call("Pack", f32(1.0), i32(2))
call("Split", M, num_split=3, axis=1)
call("Split", M, num_split=2, axis=-2)
call("Split", M, num_split=2, axis=1)
call("Split", M, num_split=2, axis=2)
call("Split", M, num_split=0, axis=1)
call("SplitV", M, size_splits=[1, 2], axis=1)
call("SplitV", M, size_splits=[-1, 1], axis=1)
call("SplitV", M, size_splits=[3, 0], axis=-1)
call("SplitV", M, size_splits=[1, 1], axis=1)
call("SplitV", M, size_splits=[-1, -1], axis=1)
call("SplitV", M, size_splits=[4, -1], axis=1)
call("Unpack", M, num=3, axis=1)
call("Unpack", M, num=2, axis=-2)
call("Unpack", M, num=4, axis=1)
call("Unpack", f32(1.0), num=1)
for begin, size in (
    ([0, 1, 2], [1, 2, 2]), ([1, 0, 0], [-1, 3, -1]), ([2, 0, 0], [0, 1, 1]),
    ([0, 0, 0], [2, 4, 1]), ([-1, 0, 0], [1, 1, 1]), ([0, 0], [1, 1]),
    ([0, 0, 5], [1, 1, 0]), ([0, 0, 0], [-2, 1, 1]),
):  # fmt: skip
    call("Slice", X, i32(begin), i32(size))
call("Slice", s(["a", "b", "c"]), i64([1]), i64([-1]))

NONE = {
    "begin_mask": 0,
    "end_mask": 0,
    "ellipsis_mask": 0,
    "new_axis_mask": 0,
    "shrink_axis_mask": 0,
}
for begin, end, strides, masks in (
    ([0, 0], [2, 2], [1, 1], {}),
    ([0, -1], [2, 0], [1, -1], {}),
    ([1], [2], [1], {"shrink_axis_mask": 1}),
    ([-1], [0], [1], {"shrink_axis_mask": 1}),
    ([0, 0], [0, 0], [1, 1], {"begin_mask": 3, "end_mask": 3}),
    ([0, 1], [0, 2], [1, 1], {"ellipsis_mask": 1}),
    ([0, 0], [0, 1], [1, 1], {"new_axis_mask": 1}),
    (
        [0, 0, 2],
        [0, 0, 0],
        [1, 1, 1],
        {"ellipsis_mask": 1, "new_axis_mask": 2, "shrink_axis_mask": 4},
    ),
    ([0], [100], [3], {}),
    ([100], [-100], [-2], {}),
    ([5], [2], [1], {}),
    ([0], [2], [0], {}),
    ([5], [6], [1], {"shrink_axis_mask": 1}),
    ([0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1], {}),
    ([0, 0], [1, 1], [1, 1], {"ellipsis_mask": 3}),
    ([0, 0], [1], [1, 1], {}),
    ([0], [1], [-1], {"shrink_axis_mask": 1}),
):
    call("StridedSlice", X, i32(begin), i32(end), i32(strides), **(NONE | masks))

call("GatherV2", M, i32([1, 0, 1]))
call("GatherV2", M, i64([[2, 0]]), axis=1)
call("GatherV2", M, i32([2]), axis=-1)
call("GatherV2", M, i32([[0, 2], [1, 1]]), axis=1, batch_dims=1)
call("GatherV2", M, i32([]))
call("GatherV2", M, i32(1))
call("GatherV2", M, i32([2]))
call("GatherV2", M, i32([-1]))
call("GatherV2", M, i32([0]), axis=2)
call("GatherV2", M, f32([0.0]))
call("GatherV2", f32(1.0), i32([0]))
call("GatherV2", f32(np.ones((0, 2))), i32([0]))
call("GatherV2", s(["a", "b"]), i32([1, 1]))
call("GatherNd", M, i32([[0, 1], [1, 2]]))
call("GatherNd", M, i32([[1]]))
call("GatherNd", M, i32([]).reshape(2, 0))
call("GatherNd", M, i32([[2, 0]]))
call("GatherNd", M, i32([[0, 1, 0]]))
call("GatherNd", M, i32([[0, -1]]))
call("GatherNd", M, i32(0))
call("ScatterNd", i32([[1], [3], [1]]), f32([1, 2, 3]), i32([5]))
call("ScatterNd", i64([[0, 1]]), i32([7]), i64([2, 2]))
call("ScatterNd", i32([[1]]), f32([[1, 2]]), i32([3, 2]))
call("ScatterNd", i32([[5]]), f32([1]), i32([5]))
call("ScatterNd", i32([[0]]), f32([1, 2]), i32([5]))
call("ScatterNd", i32([[0, 0]]), f32([1]), i32([5]))
call("ScatterNd", i32([]).reshape(0, 1), f32([]), i32([3]))
for op in ("TensorScatterAdd", "TensorScatterSub", "TensorScatterUpdate"):
    call(op, f32([1, 2, 3]), i32([[0], [2]]), f32([10, 20]))
    call(op, M, i32([[1]]), i32([[7, 8, 9]]))
    call(op, f32([1, 2, 3]), i32([[0], [0]]), f32([10, 20]))
    call(op, f32([1, 2, 3]), i32([[3]]), f32([10]))
    call(op, f32([1, 2, 3]), i32([[-1]]), f32([10]))
    call(op, f32([1, 2, 3]), i32([[0]]), f32([10, 20]))
    call(op, f32([1, 2, 3]), i32([[0]]), i32([10]))
    call(op, f32([1, 2, 3]), i32([]).reshape(0, 1), f32([]))
call("TensorScatterUpdate", s(["a", "b"]), i32([[1]]), s(["z"]))
call("UnsortedSegmentSum", f32([1, 2, 3]), i32([2, 0, 2]), i32(4))
call("UnsortedSegmentSum", f32([[1, 2], [3, 4]]), i32([-1, 1]), i32(2))
call("UnsortedSegmentSum", f32([1, 2]), i32([0, 5]), i32(2))
call("UnsortedSegmentSum", f32([1, 2]), i32([0]), i32(2))
call("UnsortedSegmentSum", f32([1, 2]), i32([0, 1]), i32(-1))
call("UnsortedSegmentSum", f32([]), i32([]), i32(3))
call("UnsortedSegmentSum", f32([[1, 2], [3, 4]]), i64([[0, 1], [1, 0]]), i64(2))
call("PadV2", M, i32([[1, 0], [0, 2]]), i32(9))
call("PadV2", M, i64([[0, 0], [0, 0]]), i32(9))
call("PadV2", M, i32([[1, 0]]), i32(9))
call("PadV2", M, i32([[-1, 0], [0, 0]]), i32(9))
call("PadV2", M, i32([[1, 0], [0, 2]]), f32(9))
call("PadV2", f32(1.0), i32([]).reshape(0, 2), f32(9))
call("PadV2", s(["a"]), i32([[1, 1]]), s("-"))
for mode in ("REFLECT", "SYMMETRIC"):
    call("MirrorPad", M, i32([[1, 1], [2, 1]]), mode=mode)
    call("MirrorPad", M, i32([[2, 0], [0, 0]]), mode=mode)
    call("MirrorPad", M, i32([[0, 0], [0, 4]]), mode=mode)
    call("MirrorPad", M, i32([[0, 0]]), mode=mode)
    call("MirrorPad", M, i32([[-1, 0], [0, 0]]), mode=mode)
call("Tile", M, i32([2, 1]))
call("Tile", M, i64([0, 2]))
call("Tile", f32(3.0), i32([]))
call("Tile", M, i32([2]))
call("Tile", M, i32([-1, 1]))
call("Tile", s(["a", "b"]), i32([2]))
call("ReverseV2", M, axis=[1])
call("ReverseV2", M, axis=[0, -1])
call("ReverseV2", M, axis=[])
call("ReverseV2", M, axis=[2])
call("ReverseV2", M, axis=[0, 0])
call("ReverseV2", s(["a", "b"]), axis=[0])
call("OneHot", i32([0, 2, -1, 5]), i32(3), f32(1), f32(0))
call("OneHot", i64([[0], [1]]), i32(2), i32(7), i32(-7), axis=0)
call("OneHot", u8([1]), i32(2), b(True), b(False), axis=1)
call("OneHot", i32(1), i32(3), f32(1), f32(0))
call("OneHot", i32([0]), i32(-1), f32(1), f32(0))
call("OneHot", i32([0]), i32(2), f32(1), f32(0), axis=3)
call("OneHot", i32([0]), i32(2), f32(1), i32(0))
call("OneHot", i32([0]), i32(0), f32(1), f32(0))
call("OneHot", f32([0]), i32(2), f32(1), f32(0))
for start, limit, delta in (
    (0, 5, 1),
    (5, 0, -2),
    (0, 5, 2),
    (3, 3, 1),
    (0, 5, 0),
    (0, 5, -1),
    (5, 0, 1),
):
    call("Range", i32(start), i32(limit), i32(delta))
    call("Range", f32(start), f32(limit), f32(delta))
call("Range", f32(0), f32(1), f32(0.3))
call("Range", f64(0), f64(1), f64(0.1))
call("Range", i64(2**40), i64(2**40 + 3), i64(1))
call("Range", i32(0), f32(5), i32(1))
call("Shape", X)
call("Shape", f32(1.0), out_type=np.dtype(np.int64))
call("Shape", s(["a", "b"]))
call("Size", X)
call("Size", f32(np.ones((3, 0))), out_type=np.dtype(np.int64))
call("TopKV2", f32([[1, 9, 3, 9]]), i32(2))
call("TopKV2", i32([3, 3, 3]), i32(3))
call("TopKV2", u8([200, 3]), i32(0))
call("TopKV2", f32([1, 2]), i32(3))
call("TopKV2", f32([1, 2]), i32(-1))
call("TopKV2", f32(1.0), i32(0))
call("TopKV2", f16([1, inf, -inf]), i32(3))
call("Unique", i32([3, 1, 3, 2, 1]))
call("Unique", f32([0.0, -0.0, nan, nan]))
call("Unique", s(["b", "a", "b"]), out_idx=np.dtype(np.int64))
call("Unique", i64([]))
call("Unique", M)
call("Where", b([[True, False], [False, True]]))
call("Where", f32([0.0, -0.0, nan, 1.0]))
call("Where", i32([]))
call("Where", c64([0, 1j]))
call("Identity", s(["a"]))
call("StopGradient", bf16([1.0]))
