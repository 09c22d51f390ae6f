"""tf.linalg functions that need more than one op, or other arguments."""

from __future__ import annotations

import re

from penstock import _core, dtypes, errors, raw_ops
from penstock._api import public
from penstock._context.scope import scoped, take_name
from penstock._core import Tensor
from penstock._ops.convert import cast
from penstock._tensors.kinds import is_tensor_like


def _check_one(transpose, adjoint, which):
    if transpose and adjoint:
        raise ValueError(
            f"Only one of `transpose_{which}` and `adjoint_{which}` can be True. Received "
            f"`transpose_{which}`={transpose}, `adjoint_{which}`={adjoint}."
        )


def matmul(
    a,
    b,
    transpose_a=False,
    transpose_b=False,
    adjoint_a=False,
    adjoint_b=False,
    a_is_sparse=False,
    b_is_sparse=False,
    output_type=None,
    grad_a=False,
    grad_b=False,
    name=None,
) -> Tensor:
    """The product of matrices: the cases that the op's function does not handle."""
    _check_one(transpose_a, adjoint_a, "a")
    _check_one(transpose_b, adjoint_b, "b")
    if output_type is not None:
        a, b = _factors(a, b, dtypes.as_dtype(output_type))
    return raw_ops.MatMul(
        a=a,
        b=b,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        adjoint_a=adjoint_a,
        adjoint_b=adjoint_b,
        name=name,
    )


def _factors(a, b, output):
    """The factors of a product of the dtype `output`: bytes are multiplied as int32."""
    a = _core.to_tensor(a)
    b = b if is_tensor_like(b) else _core.to_tensor(b, a.dtype, True)
    are_bytes = all(factor.dtype in (dtypes.int8, dtypes.uint8) for factor in (a, b))
    if output is dtypes.int32 and are_bytes:
        return cast(a, output), cast(b, output)
    if not a.dtype == b.dtype == output:
        raise errors.NotFoundError(
            None,
            None,
            f"no product of {a.dtype.name} and {b.dtype.name} is {output.name} [Op:MatMul]",
        )
    return a, b


def matvec(
    a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None
) -> Tensor:
    """The product of matrices and vectors, with an adjoint."""
    _check_one(transpose_a, adjoint_a, "a")
    return raw_ops.Matvec(a=a, b=b, transpose_a=transpose_a, adjoint_a=adjoint_a, name=name)


@public("linalg.svd", "v1.svd")
def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """(s, u, v): singular values and vectors; only s without `compute_uv`.

    Args:
      tensor: Matrices, in the last two dimensions.
      full_matrices: True for square matrices of vectors.
      compute_uv: False for the singular values only.
      name: The name of the operation in a graph.

    >>> s, u, v = tf.linalg.svd([[3.0, 0.0], [0.0, 4.0]])
    >>> s
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([4., 3.], dtype=float32)>
    """
    s, u, v = raw_ops.Svd(
        input=tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name
    )
    take_name("Real")  # the real part of complex singular values
    return (s, u, v) if compute_uv else s


@public("linalg.lstsq", "v1.matrix_solve_ls")
def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None) -> Tensor:
    """x with the least squares of matrix @ x - rhs."""
    l2 = _core.to_tensor(l2_regularizer, dtypes.float64)
    return raw_ops.MatrixSolveLs(matrix=matrix, rhs=rhs, l2_regularizer=l2, fast=fast, name=name)


@public("linalg.eigh", "v1.self_adjoint_eig")
def eigh(tensor, name=None) -> tuple[Tensor, Tensor]:
    """(e, v): the eigenvalues and -vectors of matrices that are their own adjoint."""
    e, v = raw_ops.SelfAdjointEigV2(input=tensor, name=name)
    return e, v


@public("linalg.diag", "v1.matrix_diag")
def diag(
    diagonal,
    name="diag",
    k=0,
    num_rows=-1,
    num_cols=-1,
    padding_value=0,
    align="RIGHT_LEFT",
) -> Tensor:
    """Matrices with the given diagonals.

    Args:
      diagonal: The diagonals, in the last dimension.
      name: The name of the operation in a graph.
      k: Which diagonals: 0 is the main one, (-1, 1) three of them.
      num_rows: How many rows there are; -1 is as few as possible.
      num_cols: How many columns there are; -1 is as few as possible.
      padding_value: What stands outside of the diagonals.
      align: How diagonals of different lengths are aligned in their rows.

    Returns:
      A tensor.

    >>> tf.linalg.diag([1, 2])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 0],
           [0, 2]], dtype=int32)>
    """
    return raw_ops.MatrixDiagV3(
        diagonal=diagonal,
        k=k,
        num_rows=num_rows,
        num_cols=num_cols,
        padding_value=_padding(padding_value),
        align=align,
        name=name,
    )


@public("linalg.diag_part", "v1.matrix_diag_part")
def diag_part(input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT") -> Tensor:
    """The diagonals of matrices."""
    return raw_ops.MatrixDiagPartV3(
        input=input,
        k=k,
        padding_value=_padding(padding_value),
        align=align,
        name=name,
    )


def _padding(value):
    """Zero in a form that every dtype accepts."""
    return False if isinstance(value, int) and value == 0 else value


@public("norm", "linalg.norm")
def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None) -> Tensor:
    """The norm of vectors, of matrices (two axes), or of all elements.

    Args:
      tensor: The tensor.
      ord: "euclidean", "fro", 1, 2, inf or another positive number.
      axis: One dimension for vectors, two for matrices; None is all elements.
      keepdims: True to keep the reduced dimensions with size 1.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.norm([3.0, 4.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=5.0>
    """
    value = _core.to_tensor(tensor)
    keepdims = bool(keepdims)
    is_matrix = isinstance(axis, (list, tuple)) and len(axis) == 2
    if isinstance(axis, (list, tuple)) and len(axis) not in (1, 2):
        raise ValueError(
            f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
        )
    if is_matrix and ord not in ("euclidean", "fro", 1, 2, float("inf")):
        raise ValueError(f"'ord' must be a supported matrix norm, got {ord}")
    if not is_matrix and ord == "fro":
        raise ValueError(f"Invalid vector norm type 'fro': {ord}")
    if not is_matrix and not isinstance(ord, str) and not ord > 0:
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    if is_matrix and ord == 2:
        return _spectral_norm(value, axis, keepdims, name)
    kind = ord if isinstance(ord, str) else f"{float(ord):g}"
    if value.dtype.is_complex and ord in ("euclidean", "fro", 2):  # TensorFlow's own dtype for it
        return _complex_length(value, kind, axis, keepdims, name)
    return raw_ops.Norm(tensor=value, ord=kind, axis=axis, keepdims=keepdims, name=name)


@scoped("norm")
def _complex_length(value, kind, axis, keepdims, name):
    length = raw_ops.Norm(tensor=value, ord=kind, axis=axis, keepdims=keepdims)
    return raw_ops.Cast(x=length, dtype=value.dtype, name="Sqrt" if keepdims else "Squeeze")


@scoped("norm")
def _spectral_norm(value, axis, keepdims, name):
    """The largest singular value; the op has no kernel for it."""
    if value.shape.rank is None:
        raise ValueError(f"the spectral norm needs a tensor whose rank is known. Received: {value}")
    axis = [dim % value.ndim for dim in axis]
    others = [dim for dim in range(value.ndim) if dim not in axis]
    matrices = raw_ops.Transpose(x=value, perm=[*others, *axis])
    s = raw_ops.Svd(input=matrices, compute_uv=False)[0]
    largest = raw_ops.Max(input=s, axis=[-1], name=None if keepdims else "Squeeze")
    if keepdims:
        first, second = sorted(axis)
        largest = raw_ops.ExpandDims(input=largest, axis=first)
        largest = raw_ops.ExpandDims(input=largest, axis=second, name="transpose_1")
    return largest


@public("linalg.normalize")
@scoped("normalize", "truediv", "norm/Sqrt")
def normalize(tensor, ord="euclidean", axis=None, name=None) -> tuple[Tensor, Tensor]:
    """(tensor / norm, norm)."""
    value = _core.to_tensor(tensor)
    length = norm(value, ord, axis, keepdims=True)
    length = cast(length, value.dtype)
    return value / length, length


@public("einsum", "linalg.einsum")
def einsum(equation, *inputs, **kwargs) -> Tensor:
    """Sums of products over named dimensions, such as "ij,jk->ik".

    Args:
      equation: The names of the dimensions of the inputs and of the result.
      *inputs: The tensors.
      **kwargs: optimize and name, as in TensorFlow.

    Returns:
      A tensor.

    >>> tf.einsum("ij,jk->ik", [[1, 2]], [[3], [4]])
    <tf.Tensor: shape=(1, 1), dtype=int32, numpy=array([[11]], dtype=int32)>
    """
    unknown = sorted(kwargs.keys() - {"optimize", "name"})
    if unknown:
        raise TypeError(f"Unknown keyword arguments for this function: {', '.join(unknown)}.")
    _check_equation(equation.replace(" ", ""), len(inputs))
    return raw_ops.Einsum(inputs=list(inputs), equation=equation, name=kwargs.get("name"))


def _check_equation(equation, count):
    if not re.fullmatch("[a-zA-Z,.]*(->[a-zA-Z.]*)?", equation) or equation.count(".") % 3:
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    left, _, right = equation.partition("->")
    labels = right.replace("...", "")
    absent = sorted(set(labels) - set(left))
    if absent:
        raise ValueError(
            f"Output subscripts contain the label {absent[0]} not present in the input subscripts."
        )
    if len(set(labels)) < len(labels):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    wanted = left.count(",") + 1
    if count != wanted:
        raise ValueError(f'Got {count} inputs for equation "{equation}", expecting {wanted}')


@public("tensordot", "linalg.tensordot")
def tensordot(a, b, axes, name=None) -> Tensor:
    """Sums of products over the given axes: a number of them, or those of `a` and those of `b`."""
    a, b = _core.to_tensor(a), _core.to_tensor(b)
    if isinstance(axes, _core.Tensor):
        axes = _known_axes(axes)
    if None in (a.shape.rank, b.shape.rank):
        raise ValueError(f"tensordot needs ranks that are known. Received: {a} and {b}.")
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if axes > a.ndim:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {a}.  "
                f"Received {axes}, vs tensor dimensions {a.ndim}."
            )
        axes_a, axes_b = range(a.ndim - axes, a.ndim), range(axes)
    else:
        if len(axes) != 2:
            raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
        axes_a, axes_b = ([part] if isinstance(part, int) else part for part in axes)
        if len(axes_a) != len(axes_b):
            raise ValueError(f"Different number of contraction axes `a` and `b`, {axes}.")
    return raw_ops.Tensordot(a=a, b=b, axes_a=list(axes_a), axes_b=list(axes_b), name=name)


def _known_axes(axes):
    if isinstance(axes, _core.SymbolicTensor):
        raise ValueError(f"`axes` must be known while a function is traced. Received: {axes}")
    return axes.numpy().tolist()
