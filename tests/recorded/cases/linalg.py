"""Linear algebra: singular and empty matrices, stacks, wrong shapes, complex numbers."""

import numpy as np

from cases import c64, c128, call, f32, f64, i32, i64, steps

A = f32([[4, 1, 0], [1, 3, 1], [0, 1, 2]])
B = f32([[1, 2], [3, 4], [5, 7]])
SINGULAR = f32([[1, 2], [2, 4]])
C = c64([[2, 1 + 1j], [1 - 1j, 3]])
WIDE = steps(np.float32, 2, 3, start=1, step=1)

for k in (0, 1, -1, 2, 3):
    call("MatrixDiagPartV3", WIDE, i32(k), f32(0))
    call("MatrixDiagV3", f32([1, 2]), i32(k), i32(-1), i32(-1), f32(9))
for align in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
    call("MatrixDiagPartV3", steps(np.int32, 3, 3, step=1), i32([-1, 1]), i32(9), align=align)
    call(
        "MatrixDiagV3",
        i32([[0, 8, 9], [1, 2, 3], [4, 5, 0]]),
        i32([-1, 1]),
        i32(3),
        i32(3),
        i32(0),
        align=align,
    )
    call(
        "MatrixSetDiagV3",
        steps(np.int32, 2, 3, 3, step=1),
        steps(np.int32, 2, 2, 3, start=50, step=1),
        i32([0, 1]),
        align=align,
    )
call("MatrixDiagV3", f32([1, 2]), i32(0), i32(1), i32(1), f32(9))
call("MatrixSetDiagV3", WIDE, f32([7, 8]), i32(0))
call("MatrixSetDiagV3", WIDE, f32([7, 8, 9]), i32(0))
for low, up in ((0, -1), (-1, 0), (0, 0), (1, 1), (5, 5)):
    call("MatrixBandPart", steps(np.float32, 3, 4, start=1), i64(low), i64(up))
call("MatrixBandPart", f32([1, 2]), i64(0), i64(0))
call("Diag", f32([1, 2, 3]))
call("Diag", steps(np.int32, 2, 2, start=1, step=1))
call("DiagPart", A)
call("DiagPart", WIDE)
call("Trace", steps(np.float32, 2, 3, 3))
call("MatrixTranspose", C, conjugate=True)
call("Adjoint", C)
call("Matvec", WIDE, f32([1, 2, 3]))
call("Matvec", WIDE, f32([1, 2]), transpose_a=True)
call("Matvec", WIDE, f32([1, 2]))
call("Eye", num_rows=2, num_columns=3, batch_shape=[2], dtype=np.dtype(np.int32))
call("Eye", num_rows=0)
call("Cross", f32([[1, 2, 3], [0, 0, 1]]), f32([[4, 5, 6], [1, 0, 0]]))
for equation, *inputs in (
    ("ij,jk->ik", A, B),
    ("ij->ji", B),
    ("ii->", A),
    ("ii->i", A),
    ("ij,ij->", A, A),
    ("bij,bjk->bik", steps(np.float32, 2, 2, 3), steps(np.float32, 2, 3, 1)),
    ("...ij,...jk->...ik", steps(np.float32, 2, 1, 2, 3), steps(np.float32, 4, 3, 2)),
    ("i,j->ij", f32([1, 2]), f32([3, 4, 5])),
    ("ij,jk->ik", A, f32([[1, 2]])),
    ("ij->ij", f32([1, 2])),
    ("i->ii", f32([1, 2])),
):
    call("Einsum", *inputs, equation=equation)
call("Tensordot", steps(np.float32, 2, 3, 4), steps(np.float32, 4, 3), axes_a=[1, 2], axes_b=[1, 0])
call("Tensordot", A, B, axes_a=[0], axes_b=[1])
call("Cholesky", A)
call("Cholesky", C)
call("Cholesky", f64(np.stack([A, 2 * A])))
call("Cholesky", f32(np.ones((0, 0))))
call("Cholesky", f32([[1, 2], [2, 1]]))  # not positive definite
call("Cholesky", B)
call("Cholesky", i32([[1]]))
for lower in (True, False):
    for adjoint in (True, False):
        call("MatrixTriangularSolve", A, B, lower=lower, adjoint=adjoint)
call("MatrixTriangularSolve", f32([[0, 1], [1, 1]]), f32([[1], [1]]))
call("MatrixTriangularSolve", A, f32([[1], [2]]))
call("CholeskySolve", f32([[2, 0], [1, 1]]), f32([[1], [2]]))
call("MatrixSolve", A, B)
call("MatrixSolve", f64(A), f64(B), adjoint=True)
call("MatrixSolve", C, c64([[1], [1j]]))
call("MatrixSolve", SINGULAR, f32([[1], [1]]))
call("MatrixSolve", WIDE, f32([[1], [1]]))
call("MatrixSolve", A, f32([[1], [1]]))
call("MatrixInverse", A)
call("MatrixInverse", C, adjoint=True)
call("MatrixInverse", SINGULAR)
call("MatrixInverse", WIDE)
call("MatrixInverse", f32(np.ones((2, 0, 0))))
call("MatrixSolveLs", f64(B), f64([[1], [2], [3]]), f64(0.0), tol=1e-8)
call("MatrixSolveLs", f64(B), f64([[1], [2], [3]]), f64(0.5), tol=1e-8)
call("MatrixSolveLs", f64(WIDE), f64([[1], [2]]), f64(0.1), tol=1e-8)
call("MatrixDeterminant", A)
call("MatrixDeterminant", SINGULAR)
call("MatrixDeterminant", f32(np.ones((2, 0, 0))))
call("MatrixDeterminant", WIDE)
call("LogMatrixDeterminant", f64(np.stack([A, -A])))
call("LogMatrixDeterminant", SINGULAR)
call("Logdet", f64(A))
call("Lu", A)
call("Lu", f64([[0, 1], [1, 0]]), output_idx_type=np.dtype(np.int64))
call("Lu", WIDE)
call("LuSolve", f32([[4, 1], [0.5, 2]]), i32([1, 0]), f32([[1], [2]]))
call("LuReconstruct", f32([[4, 1], [0.5, 2]]), i32([1, 0]))
call("LuMatrixInverse", f32([[4, 1], [0.5, 2]]), i32([0, 1]))
call("Svd", f64(B))
call("Svd", f32(np.ones((2, 2, 0))), compute_uv=False)
call("SelfAdjointEigV2", A)
call("SelfAdjointEigV2", c128(C), compute_v=False)
call("SelfAdjointEigV2", WIDE)
call("Eigvalsh", f64(A))
call("Pinv", f64(B))
call("Pinv", f64(SINGULAR))
call("MatrixRank", SINGULAR)
call("MatrixRank", f64(np.stack([A, 0 * A])))
call("MatrixExponential", f64(A))
call("MatrixExponential", f32(np.zeros((2, 2))))
call("MatrixLogarithm", c128(C), tol=1e-8)
call("MatrixSquareRoot", f64(A), tol=1e-8)
call("MatrixSquareRoot", WIDE)
