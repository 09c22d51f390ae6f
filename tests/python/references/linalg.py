"""Linear algebra in NumPy; factors that are free up to a sign or a phase are checked instead."""

import numpy as np

from references import ref


def swapped(x):
    return np.swapaxes(x, -1, -2)


def adjoint(x):
    return np.conj(swapped(x))


def tolerance(x):
    return 1e-4 if x.dtype in (np.float32, np.complex64) else 1e-9


def assert_close(found, expected):
    limit = tolerance(found)
    np.testing.assert_allclose(found, expected, rtol=limit, atol=limit)


def assert_orthonormal(columns):
    eye = np.broadcast_to(
        np.eye(columns.shape[-1]), (*columns.shape[:-2], *[columns.shape[-1]] * 2)
    )
    assert_close(adjoint(columns) @ columns, eye)


# Diagonals


def longest(rows, cols, lower, upper):
    return min(rows + min(upper, 0), cols - max(lower, 0))


def places(rows, cols, k, align, length):
    """(row in the diagonals, place in that row, row, column) of every element on a diagonal."""
    lower, upper = int(k.flat[0]), int(k.flat[-1])
    super_align, sub_align = align.split("_")
    for d in range(lower, upper + 1):
        size = min(rows + min(d, 0), cols - max(d, 0))
        left = (d >= 0 and super_align == "LEFT") or (d <= 0 and sub_align == "LEFT")
        offset = 0 if left else length - size
        for i in range(max(size, 0)):
            yield upper - d, offset + i, i - min(d, 0), i + max(d, 0)


def as_lines(diagonal, k):
    return diagonal[..., None, :] if k.flat[0] == k.flat[-1] else diagonal


def diag(diagonal, k, num_rows, num_cols, padding_value, align):
    length = diagonal.shape[-1]
    lower, upper = int(k.flat[0]), int(k.flat[-1])
    least = length - min(upper, 0), length + max(lower, 0)
    rows, cols = int(num_rows.flat[0]), int(num_cols.flat[0])
    if rows == cols == -1:
        rows = cols = max(least)
    rows = least[0] if rows == -1 else rows
    cols = least[1] if cols == -1 else cols
    lines = as_lines(diagonal, k)
    out = np.full((*lines.shape[:-2], rows, cols), padding_value)
    for line, at, row, col in places(rows, cols, k, align, length):
        out[..., row, col] = lines[..., line, at]
    return out


def diag_part(x, k, padding_value, align):
    rows, cols = x.shape[-2:]
    lower, upper = int(k.flat[0]), int(k.flat[-1])
    length = longest(rows, cols, lower, upper)
    out = np.full((*x.shape[:-2], upper - lower + 1, length), padding_value)
    for line, at, row, col in places(rows, cols, k, align, length):
        out[..., line, at] = x[..., row, col]
    return out[..., 0, :] if lower == upper else out


def set_diag(x, diagonal, k, align):
    out = x.copy()
    lines = as_lines(diagonal, k)
    for line, at, row, col in places(*x.shape[-2:], k, align, diagonal.shape[-1]):
        out[..., row, col] = lines[..., line, at]
    return out


def band_part(x, num_lower, num_upper):
    row, col = np.indices(x.shape[-2:])
    keep = np.ones(x.shape[-2:], bool)
    if num_lower >= 0:
        keep &= row - col <= num_lower
    if num_upper >= 0:
        keep &= col - row <= num_upper
    return np.where(keep, x, np.zeros((), x.dtype))


ref("MatrixDiagV3", diag)
ref("MatrixDiagPartV3", diag_part)
ref("MatrixSetDiagV3", set_diag)
ref("MatrixBandPart", band_part)
ref("Diag", lambda x: np.diagflat(x).reshape(x.shape * 2))
ref(
    "DiagPart", lambda x: np.diag(x.reshape(2 * [int(x.size**0.5)])).reshape(x.shape[: x.ndim // 2])
)


# Products


def wide(x):
    return x.astype(np.float64) if x.dtype.itemsize == 2 else x


def einsum(*inputs, equation):
    """NumPy takes no label twice in the output: the diagonal is filled in afterwards."""
    inputs = [wide(x) for x in inputs]
    equation = equation.replace(" ", "")
    left, _, right = equation.partition("->")
    if len(set(right.replace(".", ""))) == len(right.replace(".", "")):
        return np.einsum(equation, *inputs)
    once = "".join(dict.fromkeys(right))
    values = np.einsum(f"{left}->{once}", *inputs)
    sizes = dict(zip(once, values.shape, strict=True))
    out = np.zeros([sizes[label] for label in right], values.dtype)
    for index in np.ndindex(values.shape):
        place = dict(zip(once, index, strict=True))
        out[tuple(place[label] for label in right)] = values[index]
    return out


def matvec(a, b, transpose_a, adjoint_a):
    a = swapped(a) if transpose_a else adjoint(a) if adjoint_a else a
    return (wide(a) @ wide(b)[..., None])[..., 0]


def eye(num_rows, num_columns, batch_shape, dtype):
    one = np.eye(num_rows, num_rows if num_columns == -1 else num_columns, dtype=dtype)
    return np.broadcast_to(one, (*batch_shape, *one.shape))


ref("Einsum", einsum)
ref("Trace", lambda x: np.trace(wide(x), axis1=-2, axis2=-1))
ref("MatrixTranspose", lambda a, conjugate: adjoint(a) if conjugate else swapped(a))
ref("Adjoint", adjoint)
ref("Matvec", matvec)
ref("Eye", eye)
ref("Tensordot", lambda a, b, axes_a, axes_b: np.tensordot(a, b, (axes_a, axes_b)))
ref("Cross", lambda a, b: np.cross(wide(a), wide(b)))


# Triangular factors


def triangular_solve(matrix, rhs, lower, adjoint):
    a = np.tril(matrix) if lower else np.triu(matrix)
    return solve(a, rhs, adjoint)


def solve(matrix, rhs, adjoint):
    a = np.conj(swapped(matrix)) if adjoint else matrix
    batch = np.broadcast_shapes(a.shape[:-2], rhs.shape[:-2])
    shapes = (*batch, *a.shape[-2:]), (*batch, *rhs.shape[-2:])
    return np.linalg.solve(np.broadcast_to(a, shapes[0]), np.broadcast_to(rhs, shapes[1]))


def lstsq(matrix, rhs, l2_regularizer, fast):
    if not fast or matrix.size == 0:
        return np.linalg.pinv(matrix) @ rhs
    gram = adjoint(matrix) @ matrix + l2_regularizer * np.eye(matrix.shape[-1])
    if matrix.shape[-2] >= matrix.shape[-1]:
        return np.linalg.solve(gram, adjoint(matrix) @ rhs)
    dual = matrix @ adjoint(matrix) + l2_regularizer * np.eye(matrix.shape[-2])
    return adjoint(matrix) @ np.linalg.solve(dual, rhs)


def exchange(perm):
    return np.eye(perm.shape[-1])[perm]


def factors(lu):
    return np.tril(lu, -1) + np.eye(lu.shape[-1]), np.triu(lu)


def reconstruct(lu, perm):
    lower, upper = factors(lu)
    return swapped(exchange(perm)) @ lower @ upper


def check_lu(inputs, outputs, output_idx_type):
    lu, p = outputs
    assert p.dtype == output_idx_type
    assert_close(reconstruct(lu, p).astype(lu.dtype), inputs[0])
    assert np.all(np.abs(np.tril(lu, -1)) <= 1 + 1e-6 if lu.dtype.kind == "f" else True)


ref("Cholesky", np.linalg.cholesky)
ref("MatrixTriangularSolve", triangular_solve)
ref("CholeskySolve", lambda c, b: solve(np.tril(c) @ adjoint(np.tril(c)), b, False))
ref("MatrixSolve", solve)
ref("MatrixInverse", lambda x, adjoint: np.linalg.inv(np.conj(swapped(x)) if adjoint else x))
ref("MatrixSolveLs", lstsq)
ref("MatrixDeterminant", np.linalg.det)
ref("LogMatrixDeterminant", lambda x: tuple(np.linalg.slogdet(x)))
ref("Logdet", lambda x: np.linalg.slogdet(x)[1])
ref("Lu", check=check_lu)
ref("LuSolve", lambda lu, perm, rhs: solve(reconstruct(lu, perm), rhs, False))
ref("LuMatrixInverse", lambda lu, perm: np.linalg.inv(reconstruct(lu, perm)))
ref("LuReconstruct", reconstruct)


# Orthogonal factors


def check_qr(inputs, outputs, full_matrices):
    (a,), (q, r) = inputs, outputs
    rows, cols = a.shape[-2:]
    inner = rows if full_matrices else min(rows, cols)
    assert q.shape == (*a.shape[:-2], rows, inner)
    assert r.shape == (*a.shape[:-2], inner, cols)
    assert_orthonormal(q)
    assert_close(q @ r, a)
    assert np.all(np.tril(r, -1) == 0)


def check_svd(inputs, outputs, compute_uv, full_matrices):
    (a,), (s, u, v) = inputs, outputs
    assert_close(s, np.linalg.svd(a, compute_uv=False))
    if not compute_uv:
        assert u.shape == v.shape == (0,)
        return
    k = min(a.shape[-2:])
    assert u.shape[-1] == (a.shape[-2] if full_matrices else k)
    assert v.shape[-1] == (a.shape[-1] if full_matrices else k)
    assert_orthonormal(u)
    assert_orthonormal(v)
    assert_close((u[..., :k] * s[..., None, :]) @ adjoint(v[..., :k]), a)


def check_eigh(inputs, outputs, compute_v):
    (a,), (e, v) = inputs, outputs
    assert_close(e, np.linalg.eigvalsh(a))
    if not compute_v:
        assert v.shape == (0,)
        return
    assert_orthonormal(v)
    assert_close(a @ v, v * e[..., None, :])


def sorted_values(e):
    return np.sort_complex(np.round(e, 4))


def check_eig(inputs, outputs, compute_v):
    (a,), (e, v) = inputs, outputs
    np.testing.assert_allclose(
        sorted_values(e), sorted_values(np.linalg.eigvals(a)), rtol=2e-4, atol=2e-4
    )
    if not compute_v:
        assert v.shape == (0,)
        return
    assert_close(a.astype(v.dtype) @ v, v * e[..., None, :])
    if v.size:
        assert_close(np.linalg.norm(v, axis=-2).astype(v.dtype), 1)


def pinv(a, rcond):
    if a.size == 0:
        return np.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    return np.linalg.pinv(a, rcond=1e-6 if rcond < 0 else rcond)


def rank(a, tol):
    if a.size == 0:
        return np.zeros(a.shape[:-2])
    return np.linalg.matrix_rank(a, tol=None if tol < 0 else tol)


ref("Qr", check=check_qr)
ref("Svd", check=check_svd)
ref("Pinv", pinv)
ref("MatrixRank", rank)
ref("SelfAdjointEigV2", check=check_eigh)
ref("Eig", check=check_eig)
ref("Eigvalsh", np.linalg.eigvalsh)
ref("Eigvals", check=lambda inputs, outputs: check_eig(inputs, (*outputs, np.zeros(0)), False))


# Functions of matrices


def expm(x):
    """By Taylor's series of the scaled matrix, squared back."""
    size = np.abs(x).sum(-1).max(initial=1)
    steps = int(np.ceil(np.log2(size))) + 3
    small = x.astype(np.complex128) / 2**steps
    term = total = np.broadcast_to(np.eye(x.shape[-1], dtype=np.complex128), x.shape)
    for i in range(1, 25):
        term = term @ small / i
        total = total + term
    for _ in range(steps):
        total = total @ total
    return total if x.dtype.kind == "c" else total.real


def of_eigenvalues(function):
    def reference(x):
        e, v = np.linalg.eig(x.astype(np.complex128))
        result = (v * function(e)[..., None, :]) @ np.linalg.inv(v)
        return result if x.dtype.kind == "c" else result.real

    return reference


ref("MatrixExponential", expm)
ref("MatrixLogarithm", of_eigenvalues(np.log))
ref("MatrixSquareRoot", of_eigenvalues(np.sqrt))
