"""Index ops: segments, partitions, sorting and searching, moves of space, at their edges."""

import numpy as np

from cases import b, c64, call, f16, f32, f64, i32, i64, inf, nan, s, steps, u8

M = i32([[1, 2, 3], [4, 5, 6]])
NONE = {
    "begin_mask": 0,
    "end_mask": 0,
    "ellipsis_mask": 0,
    "new_axis_mask": 0,
    "shrink_axis_mask": 0,
}

call("Repeat", i32([1, 2, 3]), i32([2, 0, 1]), axis=[0])
call("Repeat", M, i32(2), axis=[1])
call("Repeat", M, i32(2))
call("Repeat", M, i32([1, 2]), axis=[-1])
call("Repeat", M, i32([1, 2, 0]), axis=[-1])
call("Repeat", s(["a", "b"]), i32([0, 3]), axis=[0])
for shift, axis in ((1, 0), (-1, 1), (7, 1), (0, 0), (-8, -1)):
    call("Roll", M, i32(shift), i32(axis))
call("Roll", M, i32([1, 1]), i32([0, 1]))
call("Roll", M, i32([1, 2]), i32([1, 1]))
call("Roll", M, i32(1), i32(2))
call("Roll", M, i32([1, 2]), i32([1]))
call("Roll", f32(1.0), i32(1), i32(0))
call("Roll", s(["a", "b", "c"]), i64(1), i64(0))
S = steps(np.float32, 3, 4, step=1)
call("ReverseSequence", S, i32([1, 3, 4]), seq_dim=1)
call("ReverseSequence", S, i64([0, 2, 3, 1]), seq_dim=0, batch_dim=1)
call("ReverseSequence", S, i32([1, 3, 5]), seq_dim=1)
call("ReverseSequence", S, i32([1, -3, 4]), seq_dim=1)
call("ReverseSequence", S, i32([1, 3]), seq_dim=1)
call("ReverseSequence", S, i32([1, 3, 4]), seq_dim=0)
call("ReverseSequence", S, i32([1, 3, 4]), seq_dim=2)
for op in ("ZerosLike", "OnesLike"):
    call(op, f32([nan, inf]))
    call(op, b([[True], [False]]))
    call(op, c64([1j]))
    call(op, i32([]))
call("ZerosLike", s(["a"]))
call("LinSpace", f32(0), f32(1), i32(5))
call("LinSpace", f64(3), f64(-3), i32(4))
call("LinSpace", f32(2), f32(9), i32(1))
call("LinSpace", f32(2), f32(9), i32(0))
call("LinSpace", f32(2), f32(9), i32(-1))
call("LinSpace", f32([0, 1]), f32([10, 20]), i32(3), axis=0)
call("BooleanMask", M, b([True, False]))
call("BooleanMask", M, b([[True, False, True], [False, False, True]]))
call("BooleanMask", M, b([False, True, True]), axis=1)
call("BooleanMask", M, b([False, False]))
call("BooleanMask", M, b([True, False, True]))
call("BooleanMask", M, b(True))
call("DynamicPartition", f32([1, 2, 3, 4]), i32([0, 2, 0, 1]), num_partitions=3)
call("DynamicPartition", M, i32([1, 1]), num_partitions=2)
call("DynamicPartition", f32([]), i32([]), num_partitions=2)
call("DynamicPartition", f32([1, 2]), i32([0, 2]), num_partitions=2)
call("DynamicPartition", f32([1, 2]), i32([0, -1]), num_partitions=2)
call("DynamicPartition", f32([1, 2]), i32([0]), num_partitions=2)
call("DynamicStitch", i32([0, 2]), f32([1, 2]), i32([1]), f32([3]))
call("DynamicStitch", i32([0, 1]), f32([1, 2]), i32([1]), f32([3]))
call("DynamicStitch", i32(1), i32([5, 6]), i32([0]), i32([[7, 8]]))
call("DynamicStitch", i32([-1]), f32([1]))
call("DynamicStitch", i32([0, 1]), f32([1]))
call("SequenceMask", i32([0, 2, 3]))
call("SequenceMask", i64([[1], [4]]), maxlen=[2], dtype=np.dtype(np.float32))
call("SequenceMask", i32([1, 2]), maxlen=[0])
call("Meshgrid", i32([1, 2]), i32([3, 4, 5]), indexing="xy")
call("Meshgrid", i32([1, 2]), i32([3, 4, 5]), indexing="ij")
call("Meshgrid", f32(1), f32([2, 3]), f32([]), indexing="ij")

IMAGE = steps(np.float32, 1, 4, 4, 4, step=1)
call("SpaceToDepth", IMAGE, block_size=2)
call("SpaceToDepth", IMAGE, block_size=3)
call("SpaceToDepth", IMAGE, block_size=1)
call("SpaceToDepth", IMAGE[0], block_size=2)
call("DepthToSpace", IMAGE, block_size=2)
call("DepthToSpace", IMAGE, block_size=3)
call("SpaceToBatchND", IMAGE, i32([2, 2]), i32([[0, 0], [0, 0]]))
call("SpaceToBatchND", IMAGE, i32([3, 2]), i32([[1, 1], [2, 0]]))
call("SpaceToBatchND", IMAGE, i32([3, 2]), i32([[0, 0], [0, 0]]))
call("SpaceToBatchND", IMAGE, i32([2, 2]), i32([[0, 0], [-2, 0]]))
call("SpaceToBatchND", IMAGE, i32([0, 2]), i32([[0, 0], [0, 0]]))
call("BatchToSpaceND", steps(np.int32, 4, 2, 1, 1, step=1), i32([2, 2]), i32([[0, 0], [0, 0]]))
call("BatchToSpaceND", steps(np.int32, 4, 2, 1, 1, step=1), i32([2, 2]), i32([[1, 0], [0, 1]]))
call("BatchToSpaceND", steps(np.int32, 3, 2, 1, 1, step=1), i32([2, 2]), i32([[0, 0], [0, 0]]))
call("BatchToSpaceND", steps(np.int32, 4, 2, 1, 1, step=1), i32([2, 2]), i32([[3, 3], [0, 0]]))
call("Rank", IMAGE)
call("Rank", s("a"))
call("ShapeN", M, M)
call("InvertPermutation", i32([2, 0, 1]))
call("InvertPermutation", i64([]))
call("InvertPermutation", i32([0, 0, 1]))
call("InvertPermutation", i32([0, 3, 1]))
call("InvertPermutation", i32([0, -1]))
call("InvertPermutation", i32([[0]]))
call("UnravelIndex", i32([5, 0]), i32([2, 3]))
call("UnravelIndex", i64(5), i64([2, 3]))
call("UnravelIndex", i32([6]), i32([2, 3]))
call("UnravelIndex", i32([0]), i32([2, 0]))
call("EnsureShape", M, shape=[2, 3])
call("EnsureShape", M, shape=[-1, 3])
call("EnsureShape", M, shape=[3, 2])
for op in ("TensorScatterMin", "TensorScatterMax"):
    call(op, f32([1, 2, 3]), i32([[0], [0], [2]]), f32([10, -20, 2.5]))
    call(op, f32([1, 2, 3]), i32([[3]]), f32([10]))
    call(op, u8([1, 200]), i32([[1]]), u8([100]))
call(
    "TensorStridedSliceUpdate",
    M,
    i32([0, 1]),
    i32([2, 3]),
    i32([1, 1]),
    i32([[7, 8], [9, 10]]),
    **NONE,
)
call("TensorStridedSliceUpdate", M, i32([0]), i32([1]), i32([1]), i32([7, 8, 9]),
     **(NONE | {"shrink_axis_mask": 1}))  # fmt: skip
call("TensorStridedSliceUpdate", M, i32([0, 1]), i32([2, 3]), i32([1, 1]), i32([[7, 8, 9]]), **NONE)

for name, direction in (("Sort", "ASCENDING"), ("Sort", "DESCENDING"), ("ArgSort", "ASCENDING"),
                        ("ArgSort", "DESCENDING")):  # fmt: skip
    call(name, f32([3, 1, 2, -inf, inf]), direction=direction)
    call(name, i32([[3, 1], [2, 5], [2, 4]]), axis=0, direction=direction)
    call(name, u8([200, 3, 77]), direction=direction)
    call(name, i64([2**40, -(2**40), 0]), direction=direction)
    call(name, f32(np.ones((2, 0))), direction=direction)
    call(name, f16([1, -1, 0.5]), direction=direction)
    call(name, f32([1, 2]), axis=1, direction=direction)
call("ArgSort", i32([2, 1, 2, 1]), stable=True)
call("Sort", i32([1]), direction="UP")

DATA, IDS = f32([[1, 2], [3, 4], [5, 6], [7, 8]]), i32([0, 0, 1, 3])
for op in ("SegmentSum", "SegmentProd", "SegmentMax", "SegmentMin", "SegmentMean"):
    call(op, DATA, IDS)
    call(op, f64([5, -5, 7]), i64([0, 1, 1]))
    call(op, f32([]), i32([]))
    call(op, DATA, i32([0, 1, 0, 1]))  # not sorted
    call(op, DATA, i32([-1, 0, 0, 1]))
    call(op, DATA, i32([0, 1]))
    call(op, DATA, i32([[0, 1], [1, 1]]))
for op in ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"):
    call(op, DATA, i32([0, 3, 1]), i32([0, 0, 2]))
    call(op, DATA, i32([0, 4]), i32([0, 0]))
    call(op, DATA, i32([0, 1]), i32([1, 0]))
    call(op, DATA, i32([0, 1]), i32([0]))
    call(op, DATA, i32([]), i32([]))
for op in ("UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentMean",
           "UnsortedSegmentSqrtN"):  # fmt: skip
    call(op, DATA, i32([2, 0, 2, -1]), i32(4))
    call(op, f64([1, 2]), i64([1, 1]), i32(3))
    call(op, DATA, i32([0, 1, 2, 3]), i32(3))
    call(op, f32([]), i32([]), i32(2))
call("UnsortedSegmentMax", i32([3, 9]), i32([0, 0]), i32(2))
call("UnsortedSegmentMin", u8([3, 9]), i32([0, 0]), i32(2))

call("UniqueWithCounts", i32([3, 1, 3, 2, 1, 3]))
call("UniqueWithCounts", s(["b", "a", "b"]), out_idx=np.dtype(np.int64))
call("UniqueV2", i32([[1, 2], [3, 4], [1, 2]]), i32([0]))
call("UniqueV2", i32([[1, 1], [3, 3]]), i32([1]))
call("UniqueV2", i32([3, 1, 3]), i32([]))
call("UniqueV2", i32([[1]]), i32([2]))
call("ListDiff", i32([1, 2, 3, 4, 2]), i32([2, 4, 9]))
call("ListDiff", s(["a", "b"]), s(["b"]), out_idx=np.dtype(np.int64))
call("ListDiff", i32([]), i32([1]))
call("ListDiff", i32([[1]]), i32([1]))
call("Bincount", i32([1, 2, 2, 5]), i32(4), f32([]))
call("Bincount", i32([1, 2, 2]), i32(4), f32([0.5, 1, 2]))
call("Bincount", i32([-1, 2]), i32(4), i32([]))
call("Bincount", i32([1]), i32(-1), i32([]))
call("DenseBincount", i32([[1, 2], [2, 2]]), i32(3), i32([]))
call("DenseBincount", i64([1, 1]), i64(3), f32([2, 3]))
call("DenseBincount", i32([[1, 2], [2, 2]]), i32(3), f32([]), binary_output=True)
call("DenseBincount", i32([-1]), i32(3), i32([]))
call("HistogramFixedWidth", f32([-1, 0, 1.5, 2, 5, 15]), f32([0, 5]), i32(5))
call("HistogramFixedWidth", f32([]), f32([0, 5]), i32(3), dtype=np.dtype(np.int64))
call("HistogramFixedWidth", f32([1]), f32([5, 5]), i32(3))
call("HistogramFixedWidth", f32([1]), f32([0, 5]), i32(0))
call("HistogramFixedWidthBins", f32([-1, 0, 1.5, 2, 5, 15]), f32([0, 5]), i32(5))
ROWS = f32([[1, 2, 2, 3], [0, 5, 5, 5]])
for op in ("LowerBound", "UpperBound"):
    call(op, ROWS, f32([[2, 0, 9], [5, -1, 6]]))
    call(op, ROWS, f32([[2]]))
    call(op, ROWS, i32([[2], [3]]))
    call(op, i64([[1, 3]]), i64([[3, 2]]), out_type=np.dtype(np.int64))
call("SearchSorted", f32([1, 2, 2, 3]), f32([2, 0, 9]), side="left")
call("SearchSorted", f32([1, 2, 2, 3]), f32([2, 0, 9]), side="right")
PREDICTIONS = f32([[0.1, 0.5, 0.4], [0.3, 0.3, 0.4]])
call("InTopKV2", PREDICTIONS, i32([1, 0]), i32(1))
call("InTopKV2", PREDICTIONS, i32([2, 0]), i32(2))
call("InTopKV2", PREDICTIONS, i64([2, 3]), i64(2))
call("InTopKV2", f32([[nan, 1.0], [inf, 1.0]]), i32([1, 1]), i32(1))
call("InTopKV2", PREDICTIONS, i32([1]), i32(1))
call("InTopKV2", PREDICTIONS, i32([1, 1]), i32(0))
