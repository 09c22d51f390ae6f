"""tf.map_fn and tf.vectorized_map: a function of every row, stacked."""

from __future__ import annotations

from penstock import _core, dtypes, errors
from penstock._control_flow.rows import Rows, check_callable, check_form
from penstock._functions.basic import zeros
from penstock._nest import flatten, pack_like
from penstock._spec import TensorSpec
from penstock._tensor_array import TensorArray


def map_fn(
    fn,
    elems,
    dtype=None,
    parallel_iterations=None,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    name=None,
    fn_output_signature=None,
):
    """`fn` of each row of `elems`, as tensors along a new first dimension.

    What `fn` returns has the dtypes and the structure of `elems`, unless `fn_output_signature`
    gives others: dtypes or TensorSpecs."""
    check_callable(fn)
    if parallel_iterations is not None and parallel_iterations < 0:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    rows = Rows(elems)
    if not rows.tensors:
        raise ValueError(
            "elems must be a Tensor or (possibly nested) sequence of Tensors. Got "
            f"{elems}, which does not contain any Tensors."
        )
    rows.check_rank(ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars"))
    count = rows.count()
    signature = dtype if fn_output_signature is None else fn_output_signature
    if signature is None:
        signature = pack_like(elems, [tensor.dtype for tensor in rows.tensors])
    arrays = [_array(leaf, count, infer_shape) for leaf in flatten(signature)]
    for i, row in enumerate(rows.all()):
        result = fn(row)
        check_form(signature, result)
        for array, leaf in zip(arrays, flatten(result), strict=True):
            array.write(i, leaf)
    return pack_like(signature, [array.stack() for array in arrays])


def _array(leaf, count, infer_shape):
    shape = leaf.shape if isinstance(leaf, TensorSpec) else None
    dtype = leaf.dtype if isinstance(leaf, TensorSpec) else dtypes.as_dtype(leaf)
    return TensorArray(dtype, count, infer_shape=infer_shape, element_shape=shape)


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """`fn` of each row of `elems`, as tensors along a new first dimension, of whatever structure
    and dtypes it returns. A tensor of one row serves every row of the others."""
    check_callable(fn)
    rows = Rows(elems)
    rows.check_rank(IndexError("elems must be tensors with rows, not scalars"))
    counts = {tensor.shape[0] for tensor in rows.tensors}
    count = max(counts) if len(counts) > 1 else next(iter(counts))
    if len(counts) > 1:
        if counts != {1, count}:
            raise errors.InvalidArgumentError(
                None, None, f"elems differ in their numbers of rows: {sorted(counts)}"
            )
        rows = Rows(pack_like(elems, [_repeated(tensor, count) for tensor in rows.tensors]))
    if count == 0:
        return _of_nothing(fn, elems, rows)
    results = [fn(row) for row in rows.all()]
    columns = zip(*map(flatten, results), strict=True)
    return pack_like(results[0], [_stacked(column) for column in columns])


def _repeated(tensor, count):
    from penstock._functions.arrays import repeat

    return repeat(tensor, count, axis=0) if tensor.shape[0] == 1 else tensor


def _stacked(column):
    from penstock._functions.arrays import stack

    return None if column[0] is None else stack(list(column))


def _of_nothing(fn, elems, rows):
    """What there would be of no rows: known from a row of zeros."""
    blank = [zeros(tensor.shape[1:], tensor.dtype) for tensor in rows.tensors]
    result = fn(pack_like(elems, blank))
    leaves = [_core.to_tensor(leaf, None, False) for leaf in flatten(result)]
    return pack_like(result, [zeros([0, *leaf.shape], leaf.dtype) for leaf in leaves])
