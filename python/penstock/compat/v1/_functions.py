"""Functions of TensorFlow 1 that are more than another name for a current one."""

from __future__ import annotations

import contextlib
import itertools
import sys

import numpy as np

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._autodiff.tape import IndexedSlices
from penstock._context.scope import scoped
from penstock._core import Tensor
from penstock._ops.convert import cast, convert_to_tensor
from penstock._ops.host_calls import numpy_function
from penstock._ops.index import where as _where_today
from penstock._ops.printing import _element_text
from penstock._ops.seeds import next_seeds


def _to(dtype, name):
    node = name.title().replace("_", "")

    def convert(x, name=None) -> Tensor:
        return cast(x, dtype, name or node)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"`x` as {dtype.name}."
    return convert


to_bfloat16 = public("v1.to_bfloat16")(_to(dtypes.bfloat16, "to_bfloat16"))
to_complex64 = public("v1.to_complex64")(_to(dtypes.complex64, "to_complex64"))
to_complex128 = public("v1.to_complex128")(_to(dtypes.complex128, "to_complex128"))
to_double = public("v1.to_double")(_to(dtypes.float64, "to_double"))
to_float = public("v1.to_float")(_to(dtypes.float32, "to_float"))
to_int32 = public("v1.to_int32")(_to(dtypes.int32, "to_int32"))
to_int64 = public("v1.to_int64")(_to(dtypes.int64, "to_int64"))


@public("v1.div")
def div(x, y, name=None) -> Tensor:
    """x / y as in Python 2: integers are divided with floor."""
    x = _core.to_tensor(x)
    y = _core.to_tensor(y, x.dtype)
    is_real = x.dtype.is_floating or x.dtype.is_complex
    op = raw_ops.RealDiv if is_real else raw_ops.FloorDiv
    return op(x=x, y=y, name=name or "div")


@public("v1.where")
def where(condition, x=None, y=None, name=None) -> Tensor:
    """x where the condition holds and y elsewhere; without them, where it holds. x and y have one
    shape, and a condition of one dimension picks whole rows of them."""
    if x is None or y is None:
        return _where_today(condition, x, y, name)
    condition = _core.to_tensor(condition, dtypes.bool)
    x = _core.to_tensor(x, getattr(y, "dtype", None))
    y = _core.to_tensor(y, x.dtype)
    shape = x.shape.merge_with(y.shape)
    if condition.shape.rank == 1 and shape.rank is not None and shape.rank > 1:
        rows = [-1] + [1] * (shape.rank - 1)
        condition = raw_ops.Reshape(tensor=condition, shape=rows)
    picked = _where_today(condition, x, y, name)
    picked.set_shape(shape)
    return picked


@public("v1.sparse_to_dense")
def sparse_to_dense(
    sparse_indices,
    output_shape,
    sparse_values,
    default_value=0,
    validate_indices=True,
    name=None,
) -> Tensor:
    """A tensor of the default value, with the given values at the given indices."""
    values = _core.to_tensor(sparse_values)
    indices = _core.to_tensor(sparse_indices)
    shape = cast(output_shape, indices.dtype)
    if indices.shape.rank is not None and indices.shape.rank < 2:
        # One index, or indices along one dimension.
        rows = [-1, 1] if indices.shape.rank == 1 else [1, 1]
        indices = raw_ops.Reshape(tensor=indices, shape=rows)
    empty = raw_ops.Fill(dims=shape, value=_core.to_tensor(default_value, values.dtype))
    if values.shape.rank == 0:
        count = raw_ops.Shape(input=indices)[:1]
        values = raw_ops.BroadcastTo(input=values, shape=count)
    return raw_ops.TensorScatterUpdate(tensor=empty, indices=indices, updates=values, name=name)


@public("v1.setdiff1d")
def setdiff1d(x, y, index_dtype=dtypes.int32, name=None):
    """The elements of x that are not in y, and their positions in x."""
    return raw_ops.ListDiff(x=x, y=y, out_idx=index_dtype, name=name)


@public("v1.batch_gather")
def batch_gather(params, indices, name=None) -> Tensor:
    """The slices at the indices, for each batch element."""
    indices = _core.to_tensor(indices)
    rank = indices.shape.rank
    return raw_ops.GatherV2(
        params=params, indices=indices, axis=rank - 1, batch_dims=rank - 1, name=name
    )


@public("v1.clip_by_average_norm")
@scoped("clip_by_average_norm")
def clip_by_average_norm(t, clip_norm, name=None) -> Tensor:
    """`t`, scaled down where its length over its number of elements is more than clip_norm."""
    t = _core.to_tensor(t)
    count = cast(raw_ops.Size(input=t), t.dtype)
    norm = raw_ops.Sqrt(x=raw_ops.Sum(input=raw_ops.Square(x=t)))
    limit = _core.to_tensor(clip_norm, t.dtype)
    inverse = raw_ops.Minimum(x=count / norm, y=1 / limit)
    return raw_ops.Mul(x=t * limit, y=inverse, name=name)


def _blocks(block_size, block_shape):
    if block_shape is not None:
        return block_shape
    if block_size is None:
        raise ValueError("block_size or block_shape must be given")
    return [block_size, block_size]


@public("v1.space_to_batch")
def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None) -> Tensor:
    """Blocks of space become elements of the batch."""
    blocks = _blocks(block_size, block_shape)
    return raw_ops.SpaceToBatchND(input=input, block_shape=blocks, paddings=paddings, name=name)


@public("v1.batch_to_space")
def batch_to_space(input, crops, block_size=None, name=None, block_shape=None) -> Tensor:
    """Elements of the batch become blocks of space."""
    blocks = _blocks(block_size, block_shape)
    return raw_ops.BatchToSpaceND(input=input, block_shape=blocks, crops=crops, name=name)


@public("v1.extract_image_patches")
def extract_image_patches(
    images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None
) -> Tensor:
    """The patches of images under a window, each as the channels of its position."""
    ksizes = sizes if ksizes is None else ksizes
    return raw_ops.ExtractImagePatches(
        images=images,
        ksizes=ksizes,
        strides=strides,
        rates=rates,
        padding=padding,
        name=name,
    )


@public("v1.convert_to_tensor_or_indexed_slices")
def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    """A tensor, or IndexedSlices unchanged."""
    if isinstance(value, IndexedSlices):
        return value
    return convert_to_tensor(value, dtype, name=name)


@public("v1.assert_scalar", "v1.debugging.assert_scalar")
def assert_scalar(tensor, name=None, message=None) -> Tensor:
    """The tensor, which must have no dimensions."""
    from penstock import debugging

    tensor = _core.to_tensor(tensor)
    debugging.assert_scalar(tensor, message)
    return tensor


@public("v1.Print")
def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """The input, and besides, the data is written to stderr: the first `first_n` times."""
    input_ = _core.to_tensor(input_)
    data = [_core.to_tensor(value) for value in data]
    times = itertools.count()
    limit = 3 if summarize is None else int(summarize)

    def show(*arrays):
        if first_n is None or first_n < 0 or next(times) < first_n:
            text = "".join(f"[{_first_elements(array, limit)}]" for array in arrays)
            print((message or "") + text, file=sys.stderr, flush=True)
        return np.bool_(True)

    if not any(isinstance(tensor, _core.SymbolicTensor) for tensor in (input_, *data)):
        show(*(tensor.numpy() for tensor in data))
        return input_
    from penstock.compat import v1

    with v1.control_dependencies([numpy_function(show, data, dtypes.bool)]):
        return v1.identity(input_, name or "Print")


def _first_elements(array, limit) -> str:
    """That many elements (all if negative), with brackets around inner dimensions."""
    array = np.asarray(array)
    limit = array.size if limit < 0 else limit
    left = [limit]
    return _elements_text(array, left, True) + ("..." if array.size > limit else "")


def _elements_text(array, left, is_outer) -> str:
    """The elements, up to the number left to show."""
    if array.ndim > 1:
        parts = []
        for row in array:
            if left[0] <= 0:
                break
            parts.append(f"[{_elements_text(row, left, False)}]")
        return "".join(parts)
    shown = array.reshape(-1)[: left[0]]
    left[0] -= len(shown)
    is_cut = len(shown) < array.size and not is_outer
    return " ".join(map(_element, shown)) + ("..." if is_cut else "")


def _element(value) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else _element_text(value)


@public("v1.sparse_segment_sum")
def sparse_segment_sum(data, indices, segment_ids, name=None, num_segments=None) -> Tensor:
    """The sums of the rows that the indices name, by segments."""
    return _sparse_segment("Sum", data, indices, segment_ids, num_segments, name)


@public("v1.sparse_segment_mean")
def sparse_segment_mean(data, indices, segment_ids, name=None, num_segments=None) -> Tensor:
    """The means of the rows that the indices name, by segments."""
    return _sparse_segment("Mean", data, indices, segment_ids, num_segments, name)


@public("v1.sparse_segment_sqrt_n")
def sparse_segment_sqrt_n(data, indices, segment_ids, name=None, num_segments=None) -> Tensor:
    """The sums of the rows that the indices name over the root of their number, by segments."""
    return _sparse_segment("SqrtN", data, indices, segment_ids, num_segments, name)


def _sparse_segment(kind, data, indices, segment_ids, num_segments, name):
    arguments = {"data": data, "indices": indices, "segment_ids": segment_ids, "name": name}
    if num_segments is None:
        return getattr(raw_ops, f"SparseSegment{kind}")(**arguments)
    op = getattr(raw_ops, f"SparseSegment{kind}WithNumSegments")
    return op(**arguments, num_segments=num_segments)


@public("v1.get_seed", "v1.random.get_seed")
def get_seed(op_seed):
    """(global seed, op seed) of the next random op."""
    return next_seeds(op_seed)


@public("v1.AggregationMethod")
class AggregationMethod:
    """How the gradients of one tensor are added: here always in the same way."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


@public("v1.no_regularizer")
def no_regularizer(_):
    """No regularizer."""


@public("v1.op_scope")
@contextlib.contextmanager
def op_scope(values, name, default_name=None):
    """name_scope with its arguments in another order."""
    from penstock import name_scope

    with name_scope(name or default_name) as scope:
        yield scope


@public("v1.colocate_with")
@contextlib.contextmanager
def colocate_with(op, ignore_existing=False):
    """Does nothing: there is one device."""
    yield
