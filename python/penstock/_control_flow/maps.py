"""tf.map_fn and tf.vectorized_map: applies a function to every row and stacks the results."""

from __future__ import annotations

from penstock import _core, dtypes, errors
from penstock._api import public
from penstock._base.nest import flatten, pack_like
from penstock._context.scope import graph_scope, scoped
from penstock._control_flow import symbolic
from penstock._control_flow.loops import while_loop
from penstock._control_flow.rows import Rows, check_callable, check_form
from penstock._control_flow.tensor_array import TensorArray
from penstock._ops.create import zeros
from penstock._tensors.spec import TensorSpec


@public("map_fn")
@scoped("map")
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
    gives others: dtypes or TensorSpecs.

    Args:
      fn: A function of one row.
      elems: A tensor, or a nest of tensors with the same first dimension.
      dtype: The dtype of the result.
      parallel_iterations: Taken as in TensorFlow, and not used.
      back_prop: False for a loop that has no gradient.
      swap_memory: True to keep the states of the gradient in a file.
      infer_shape: False to allow elements of different shapes.
      name: The name of the operation in a graph.
      fn_output_signature: The dtype of the results, or a nest of dtypes, where it is not
        that of `elems`.

    >>> tf.map_fn(lambda row: tf.reduce_sum(row), tf.constant([[1, 2], [3, 4]]))
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([3, 7], dtype=int32)>
    """
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

    def step(i, row, arrays):
        result = fn(row)
        check_form(signature, result)
        pairs = zip(arrays, flatten(result), strict=True)
        return [array.write(i, leaf) for array, leaf in pairs]

    if _core.is_tracing():
        arrays = _in_graph(rows, count, step, arrays, back_prop, swap_memory)
    else:
        for i, row in enumerate(rows.all()):
            arrays = step(i, row, arrays)
    return pack_like(signature, [array.stack() for array in arrays])


def _in_graph(rows, count, step, arrays, back_prop=True, swap_memory=False):
    """The arrays after a loop over the rows."""
    return while_loop(
        lambda i, arrays: i < count,
        lambda i, arrays: (i + 1, step(i, rows.at(i), arrays)),
        (0, arrays),
        back_prop=back_prop,
        swap_memory=swap_memory,
    )[1]


def _array(leaf, count, infer_shape):
    shape = leaf.shape if isinstance(leaf, TensorSpec) else None
    dtype = leaf.dtype if isinstance(leaf, TensorSpec) else dtypes.as_dtype(leaf)
    return TensorArray(dtype, count, infer_shape=infer_shape, element_shape=shape)


@public("vectorized_map")
def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """`fn` of each row of `elems`, stacked along a new first dimension. `fn` may return any
    structure and dtypes. A tensor with a single row is used for every row of the others.

    Args:
      fn: A function of one row.
      elems: A tensor, or a nest of tensors with the same first dimension.
      fallback_to_while_loop: Taken as in TensorFlow, and not used.
      warn: Taken as in TensorFlow, and not used.

    >>> tf.vectorized_map(lambda row: row * 2, tf.constant([[1, 2], [3, 4]]))
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[2, 4],
           [6, 8]], dtype=int32)>
    """
    check_callable(fn)
    rows = Rows(elems)
    rows.check_rank(IndexError("elems must be tensors with rows, not scalars"))
    counts = {tensor.shape[0] for tensor in rows.tensors} - {None}
    count = max(counts, default=None)
    if len(counts) > 1:
        if counts != {1, count}:
            raise errors.InvalidArgumentError(
                None, None, f"elems differ in their numbers of rows: {sorted(counts)}"
            )
        rows = Rows(pack_like(elems, [_repeated(tensor, count) for tensor in rows.tensors]))
    if _core.is_tracing():
        with graph_scope("loop_body"):
            return _vectorized_in_graph(fn, rows)
    if count == 0:
        return _of_nothing(fn, elems, rows)
    results = [fn(row) for row in rows.all()]
    columns = zip(*map(flatten, results), strict=True)
    return pack_like(results[0], [_stacked(column) for column in columns])


def _vectorized_in_graph(fn, rows):
    """A loop over the rows. The result's structure is known after one trace."""
    count = rows.count()
    form = symbolic.specs_of(lambda *row: _tensors(fn(rows.pack(row))), rows.specs())
    specs = [spec for spec in flatten(form) if spec is not None]
    arrays = [_array(spec, count, True) for spec in specs]

    def step(i, row, arrays):
        leaves = [leaf for leaf in flatten(_tensors(fn(row))) if leaf is not None]
        return [array.write(i, leaf) for array, leaf in zip(arrays, leaves, strict=True)]

    if arrays:
        arrays = _in_graph(rows, count, step, arrays)
    stacked = iter([array.stack() for array in arrays])
    return pack_like(form, [None if spec is None else next(stacked) for spec in flatten(form)])


def _tensors(structure):
    leaves = flatten(structure)
    tensors = [None if leaf is None else _core.to_tensor(leaf) for leaf in leaves]
    return pack_like(structure, tensors)


def _repeated(tensor, count):
    from penstock._ops.join import repeat

    return repeat(tensor, count, axis=0) if tensor.shape[0] == 1 else tensor


def _stacked(column):
    from penstock._ops.join import stack

    return None if column[0] is None else stack(list(column))


def _of_nothing(fn, elems, rows):
    """The result for no rows, derived from a row of zeros."""
    blank = [zeros(tensor.shape[1:], tensor.dtype) for tensor in rows.tensors]
    result = fn(pack_like(elems, blank))
    leaves = [_core.to_tensor(leaf) for leaf in flatten(result)]
    return pack_like(result, [zeros([0, *leaf.shape], leaf.dtype) for leaf in leaves])
