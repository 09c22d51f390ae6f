"""Top-level functions over whole tensors that need more than one op, or other arguments than it."""

from __future__ import annotations

import builtins
import contextlib
import math
import re

from penstock import _core, dtypes, errors, raw_ops
from penstock._api import public
from penstock._base.nest import flatten
from penstock._context.scope import graph_scope, scoped
from penstock._core import Tensor
from penstock._ops.convert import cast, convert_to_tensor, size_of
from penstock._ops.index import unstack
from penstock._tensors.kinds import is_tensor_like
from penstock._tensors.shape import TensorShape
from penstock._tensors.slices import IndexedSlices, values_of, with_values
from penstock._tensors.tensor import get_static_value


def tensor(value, dtype=None) -> Tensor:
    return _core.to_tensor(value, dtype)


@public("linspace", "v1.lin_space")
def linspace(start, stop, num, name=None, axis=0) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, both included.

    Args:
      start: The first number.
      stop: The last number.
      num: How many.
      name: The name of the operation in a graph.
      axis: The dimension; a negative one counts from the end.

    Returns:
      A tensor.

    >>> tf.linspace(0.0, 1.0, 3)
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0. , 0.5, 1. ], dtype=float32)>
    """
    start, num = tensor(start), tensor(num)
    stop = tensor(stop, start.dtype)
    if not num.dtype.is_integer:
        raise TypeError(
            "Argument `tensor` (name: num) must be of type integer. Received `tensor` = "
            f"{num} of dtype: {num.dtype}"
        )
    if start.dtype.is_integer:
        start, stop = cast(start, dtypes.float64), cast(stop, dtypes.float64)
    if num.shape.rank == 1:
        num = raw_ops.Reshape(tensor=num, shape=[])
    if isinstance(num, _core.EagerTensor) and num.ndim == 0 and int(num) == 0:
        # The op refuses it: an empty part of a single number.
        return raw_ops.LinSpace(start=start, stop=stop, num=1, axis=axis)[_nothing_along(axis)]
    num = num if num.dtype is dtypes.int64 else cast(num, dtypes.int32)
    return raw_ops.LinSpace(start=start, stop=stop, num=num, axis=axis, name=name)


def _nothing_along(axis):
    """The index of no element along a dimension."""
    every = (slice(None),)
    return (*every * axis, slice(0)) if axis >= 0 else (..., slice(0), *every * (-axis - 1))


@public("transpose")
def transpose(a, perm=None, conjugate=False, name="transpose") -> Tensor:
    """The dimensions in another order; without `perm` in the opposite one.

    Args:
      a: The tensor.
      perm: The order of the dimensions; None reverses them.
      conjugate: True to conjugate the elements as well.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.transpose([[1, 2, 3], [4, 5, 6]])
    <tf.Tensor: shape=(3, 2), dtype=int32, numpy=
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)>
    """
    a = tensor(a)
    if conjugate and a.dtype.is_complex:
        a = raw_ops.Conj(input=a)
    return raw_ops.Transpose(x=a, perm=perm, name=name)


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
    a, b = tensor(a), tensor(b)
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
        axes_a, axes_b = range_list(a.ndim - axes, a.ndim), range_list(0, axes)
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


def range_list(start, stop) -> list[int]:
    return list(builtins.range(start, stop))


@public("meshgrid")
def meshgrid(*args, **kwargs) -> list[Tensor]:
    """Grids of coordinates: each vector spread over the dimensions of the others.

    Args:
      *args: Vectors.
      **kwargs: indexing: "xy" (the default) or "ij".

    Returns:
      A list of tensors.

    >>> tf.meshgrid([1, 2], [3, 4, 5])
    [<tf.Tensor: shape=(3, 2), dtype=int32, numpy=
    array([[1, 2],
           [1, 2],
           [1, 2]], dtype=int32)>, <tf.Tensor: shape=(3, 2), dtype=int32, numpy=
    array([[3, 3],
           [4, 4],
           [5, 5]], dtype=int32)>]
    """
    indexing = kwargs.pop("indexing", "xy")
    name = kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` must be either 'xy' or 'ij', got '{indexing}'")
    return _grids(list(args), indexing, name=name) if args else []


@scoped("meshgrid", "mul", *(f"mul_{i}" for i in builtins.range(1, 16)))
def _grids(values, indexing, name) -> list[Tensor]:
    return raw_ops.Meshgrid(values=values, indexing=indexing)


@public("repeat")
@scoped("Repeat")
def repeat(input, repeats, axis=None, name=None) -> Tensor:
    """Every element, or every slice along `axis`, so many times."""
    if axis is not None:
        input, axis = tensor(input), int(axis)
        if input.shape.rank == 0:
            input = raw_ops.Reshape(tensor=input, shape=[1])
        rank = input.shape.rank
        if rank is not None and not -rank <= axis < rank:
            raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    if isinstance(repeats, _core.SymbolicTensor):
        return _open_repeat(tensor(input), repeats, axis)
    # TensorFlow's last node: all elements are repeated as often, or each as it is told.
    last = "boolean_mask/GatherV2" if tensor(repeats).shape.num_elements() != 1 else "Reshape_1"
    axes = None if axis is None else [axis]
    return raw_ops.Repeat(data=input, repeats=repeats, axis=axes, name=last)


def _open_repeat(input, repeats, axis):
    """How often is known only when a function runs: which slice comes where is found then."""
    if axis is None:
        input, axis = raw_ops.Reshape(tensor=input, shape=[-1]), 0
    each = raw_ops.BroadcastTo(input=repeats, shape=[size_of(input, axis)])
    places = raw_ops.Where(input=raw_ops.SequenceMask(lengths=each))[:, 0]
    last = "boolean_mask/GatherV2"
    if input.shape.rank is not None and axis >= 0:
        axis -= input.shape.rank  # by a first axis given as 0 the gradient would be a list of rows
    return raw_ops.GatherV2(params=input, indices=places, axis=axis, name=last)


@public("sequence_mask")
def sequence_mask(lengths, maxlen=None, dtype=dtypes.bool, name=None) -> Tensor:
    """True in the first lengths[i] places of row i."""
    dtype = dtypes.as_dtype(dtype)
    if maxlen is None:
        return raw_ops.SequenceMask(lengths=lengths, dtype=dtype, name=name)
    maxlen = tensor(maxlen)
    if maxlen.shape.rank not in (0, None):
        raise ValueError(
            f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen} "
            f"with shape '{maxlen.shape}' instead"
        )
    if not (maxlen.dtype.is_integer or maxlen.dtype.is_floating):
        raise TypeError(f"Cannot convert 0 to EagerTensor of dtype {maxlen.dtype.name}")
    if isinstance(maxlen, _core.SymbolicTensor):
        places = raw_ops.Range(start=0, limit=cast(maxlen, dtypes.int64), delta=1)
        ends = raw_ops.ExpandDims(input=cast(lengths, dtypes.int64), axis=-1)
        return cast(raw_ops.Less(x=places, y=ends), dtype, name)
    limit = maxlen.numpy()
    if limit < 0:
        raise errors.InvalidArgumentError(
            None, None, f"Requires start <= limit when delta > 0: 0/{limit}"
        )
    # A part of a place is a place.
    return raw_ops.SequenceMask(lengths=lengths, maxlen=[math.ceil(limit)], dtype=dtype, name=name)


@public("strided_slice")
def strided_slice(
    input_,
    begin,
    end,
    strides=None,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
    var=None,
    name=None,
) -> Tensor:
    """What `input_[begin:end:strides]` picks, dimension by dimension."""
    begin = tensor(begin)
    return raw_ops.StridedSlice(
        input=input_,
        begin=begin,
        end=cast(end, begin.dtype),
        strides=raw_ops.OnesLike(x=begin) if strides is None else cast(strides, begin.dtype),
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
        name=name or "StridedSlice",
    )


@public("reverse_sequence")
def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None) -> Tensor:
    """The first seq_lengths[i] elements of every row in opposite order."""
    if seq_axis is None:
        raise TypeError("reverse_sequence() missing argument 'seq_axis'")
    return raw_ops.ReverseSequence(
        input=input,
        seq_lengths=seq_lengths,
        seq_dim=seq_axis,
        batch_dim=batch_axis or 0,
        name=name,
    )


@public("dynamic_stitch")
def dynamic_stitch(indices, data, name=None) -> Tensor:
    """The slices of `data` at the places that `indices` names, in one tensor."""
    if not indices or len(indices) != len(data):
        raise errors.InvalidArgumentError(
            None,
            None,
            "dynamic_stitch needs as many indices as data, and at least one: it got "
            f"{len(indices)} and {len(data)}",
        )
    places = [tensor(each, dtypes.int32) for each in indices]
    first = next((each.dtype for each in data if is_tensor_like(each)), None)
    pieces = [tensor(each, first) for each in data]
    return raw_ops.DynamicStitch(indices=places, data=pieces, name=name)


@public("ensure_shape")
def ensure_shape(x, shape, name=None) -> Tensor:
    """`x`, if its shape is as given; None stands for any size."""
    shape = TensorShape(shape)
    if shape.rank is None:
        return tensor(x)
    return raw_ops.EnsureShape(
        input=x, shape=[-1 if dim is None else dim for dim in shape], name=name
    )


@public("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x, shape_y) -> Tensor:
    """The shape that two shapes broadcast to, as a tensor."""
    return raw_ops.BroadcastArgs(s0=shape_x, s1=shape_y)


@public("broadcast_static_shape")
def broadcast_static_shape(shape_x, shape_y) -> TensorShape:
    """The shape that two shapes broadcast to."""
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    rank = max(x.rank, y.rank)
    pairs = zip([1] * (rank - x.rank) + list(x), [1] * (rank - y.rank) + list(y), strict=True)
    dims = []
    for a, b in pairs:
        if a != b and 1 not in (a, b) and None not in (a, b):
            raise ValueError(f"Incompatible shapes for broadcasting: {x} and {y}.")
        dims.append(b if a == 1 or (a is None and b not in (None, 1)) else a)
    return TensorShape(dims)


def expand_dims(input, axis, name=None) -> Tensor:
    """With an axis that is an array: one of a single element is taken for that."""
    known = get_static_value(axis)
    if isinstance(known, (list, tuple)) or getattr(known, "ndim", 0):
        found = flatten(known.tolist() if hasattr(known, "tolist") else list(known))
        if len(found) != 1:
            fault = errors._TracingError if _core.is_tracing() else errors.InvalidArgumentError
            raise fault(None, None, "'dim' must be a tensor with a single value [Op:ExpandDims]")
        axis = found[0]
    return raw_ops.ExpandDims(input=input, axis=axis, name=name)


@public("scalar_mul", "math.scalar_mul")
def scalar_mul(scalar, x, name=None) -> Tensor:
    """`x` times a number."""
    values = values_of(x)
    scalar = tensor(scalar, values.dtype)
    if scalar.ndim:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    return with_values(x, raw_ops.Mul(x=scalar, y=values, name=name or "scalar_mul"))


@public("complex", "dtypes.complex")
def complex(real, imag, name=None) -> Tensor:
    """Complex numbers of the given parts."""
    return raw_ops.Complex(real=real, imag=imag, name=name)


@public("identity")
def identity(input, name=None):
    """The same values, as a tensor of their own.

    Args:
      input: The tensor.
      name: The name of the operation in a graph.

    >>> tf.identity([1, 2])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    if isinstance(input, IndexedSlices):
        return type(input)(identity(input.values), identity(input.indices), input.dense_shape)
    return raw_ops.Identity(input=input, name=name)


@public("clip_by_norm")
def clip_by_norm(t, clip_norm, axes=None, name=None):
    """The tensor, scaled down so that its norm is at most `clip_norm`.

    Args:
      t: The tensor.
      clip_norm: The largest norm that stays.
      axes: The dimensions of one norm; None is all of them.
      name: The name of the operation in a graph.

    >>> tf.clip_by_norm([3.0, 4.0], 1.0)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.6, 0.8], dtype=float32)>
    """
    made = raw_ops.ClipByNorm(t=values_of(t), clip_norm=clip_norm, axes=axes, name=name)
    return with_values(t, made)


@scoped("clip_by_value")
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """The elements, with those outside of the bounds replaced by them: where a bound is no plain
    number, or t is IndexedSlices."""
    values = values_of(t)
    # The op takes a bound that is not a number for none; here NaN spreads.
    below = raw_ops.Minimum(x=values, y=clip_value_max)
    values.shape.assert_is_compatible_with(below.shape)
    clipped = raw_ops.Maximum(x=below, y=clip_value_min, name=name)
    values.shape.assert_is_compatible_with(clipped.shape)
    return with_values(t, clipped)


def stop_gradient(input, name=None):
    """The same values, through which no gradient goes."""
    return with_values(input, raw_ops.StopGradient(input=values_of(input), name=name))


@public("clip_by_global_norm")
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """The tensors, scaled down together so that their joint norm is at most `clip_norm`."""
    values = _given_values(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    clipped = iter(_clipped(values, clip_norm, use_norm, name=name))
    return [each if each is None else with_values(each, next(clipped)) for each in t_list], use_norm


@scoped("clip_by_global_norm")
def _clipped(values, clip_norm, use_norm, name) -> list:
    made = raw_ops.ClipByGlobalNorm(clip_norm=clip_norm, use_norm=use_norm, t_list=values)
    made = made if isinstance(made, (list, tuple)) else [made]
    if not _core.is_building():
        return made
    return [raw_ops.Identity(input=each, name=f"{name}_{i}") for i, each in enumerate(made)]


@public("linalg.global_norm", "v1.global_norm")
def global_norm(t_list, name=None):
    """The norm of all the tensors together. None counts for nothing."""
    return raw_ops.GlobalNorm(t_list=_given_values(t_list), name=name)


def _given_values(t_list) -> list:
    if not isinstance(t_list, (list, tuple)):
        raise TypeError("t_list should be a sequence")
    return [values_of(each) for each in t_list if each is not None]


@public("concat")
def concat(values, axis, name="concat") -> Tensor:
    """The tensors one after the other along a dimension that they have.

    Args:
      values: A list of tensors that differ in this dimension only.
      axis: The dimension; a negative one counts from the end.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], axis=0)
    <tf.Tensor: shape=(3, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)>
    """
    values = values if isinstance(values, (list, tuple)) else [values]
    if len(values) > 1:
        return raw_ops.ConcatV2(values=values, axis=axis, name=name)
    with graph_scope(name or "concat"):
        return raw_ops.ConcatV2(values=values, axis=axis, name=name)


@public("fill")
def fill(dims, value, name=None, layout=None) -> Tensor:
    """A tensor of one value.

    Args:
      dims: The shape of the result.
      value: The value.
      name: The name of the operation in a graph.
      layout: Taken as in TensorFlow, and not used.

    >>> tf.fill([2, 2], 7)
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[7, 7],
           [7, 7]], dtype=int32)>
    """
    # A list without elements has no dtype of its own: as a shape it is one of integers.
    is_empty = isinstance(dims, (list, tuple)) and len(dims) == 0
    dims, value = _core.to_tensor(dims, dtypes.int32 if is_empty else None), tensor(value)
    if dims.ndim == 0:
        dims = raw_ops.ExpandDims(input=dims, axis=0)
    if value.shape.rank != 0 and value.shape.num_elements() in (1, None):
        value = raw_ops.Reshape(tensor=value, shape=[])
    return raw_ops.Fill(dims=dims, value=value, name=name)


@public("sort")
def sort(values, axis=-1, direction="ASCENDING", name=None) -> Tensor:
    """The values in order along an axis, NaN being the largest."""
    return raw_ops.Sort(values=values, axis=axis, direction=_checked(direction), name=name)


@public("argsort")
def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None) -> Tensor:
    """The positions that put the values in order along an axis; equal ones keep their order."""
    return raw_ops.ArgSort(
        values=values, axis=axis, direction=_checked(direction), stable=stable, name=name
    )


def _checked(direction):
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            "Argument `direction` should be one of ASCENDING, DESCENDING. Received: "
            f"direction={direction}"
        )
    return direction


@public("stack")
def stack(values, axis=0, name="stack") -> Tensor:
    """The tensors as one, along a new dimension.

    Args:
      values: A list of tensors.
      axis: The dimension; a negative one counts from the end.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> tf.stack([[1, 2], [3, 4]])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4]], dtype=int32)>
    >>> tf.stack([[1, 2], [3, 4]], axis=1)
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 3],
           [2, 4]], dtype=int32)>
    """
    if hasattr(values, "__tf_tensor__"):
        values = tensor(values)
    if isinstance(values, _core.SymbolicTensor):
        if axis == 0:
            return values  # its rows as one: what it is
        if not values.shape.rank or values.shape[0] is None:
            raise TypeError(f"Expected list for 'values' argument to 'pack' Op, not {values}.")
        values = unstack(values)
    if axis == 0 and not any(is_tensor_like(each) for each in values):
        with contextlib.suppress(TypeError, ValueError):  # not numbers throughout
            return convert_to_tensor(values, name=name)
    known = tensor(values[0]).shape.rank
    if axis != 0:
        rank = None if known is None else known + 1
        if rank is not None and not -rank <= axis < rank:
            raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return raw_ops.Pack(values=values, axis=axis, name=name)


@public("parallel_stack")
@scoped("parallel_stack")
def parallel_stack(values, name="parallel_stack") -> Tensor:
    """The tensors as one, along a new first dimension."""
    return raw_ops.Pack(values=values, name="ParallelConcat")


@public("required_space_to_batch_paddings")
@scoped("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape, block_shape, base_paddings=None, name=None
) -> tuple[Tensor, Tensor]:
    """(paddings, crops) with which blocks divide the shape evenly."""
    if any(isinstance(size, _core.SymbolicTensor) for size in flatten(input_shape)):
        return _open_paddings(input_shape, block_shape, base_paddings)
    import numpy as np

    size, block = np.asarray(input_shape), np.asarray(block_shape)
    base = np.zeros([len(block), 2]) if base_paddings is None else np.asarray(base_paddings)
    base = base.astype(np.int32)
    extra = -(size + base.sum(axis=1)) % block
    paddings = np.stack([base[:, 0], base[:, 1] + extra], axis=1)
    crops = np.stack([np.zeros_like(extra), extra], axis=1)
    return tensor(paddings.astype(np.int32)), tensor(crops.astype(np.int32))


def _open_paddings(input_shape, block_shape, base_paddings):
    """The same, of sizes that are known only when a function runs."""
    block = tensor(block_shape, dtypes.int32)
    if base_paddings is None:
        base_paddings = raw_ops.Fill(dims=[block.shape[0], 2], value=0)
    before, after = unstack(tensor(base_paddings, dtypes.int32), 2, axis=1)
    extra = raw_ops.FloorMod(x=-(tensor(input_shape) + before + after), y=block)
    paddings = raw_ops.Pack(values=[before, after + extra], axis=1)
    return paddings, raw_ops.Pack(values=[raw_ops.ZerosLike(x=extra), extra], axis=1)
