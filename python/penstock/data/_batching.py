"""Batches, windows and buckets of elements."""

from __future__ import annotations

import numpy as np

from penstock import _core, dtypes, raw_ops
from penstock._ops.convert import cast
from penstock._tensors.kinds import is_tensor_like
from penstock._tensors.shape import TensorShape
from penstock.data import _structure
from penstock.data._stage import constant, make, number


def batch(dataset, batch_size, drop_remainder, num_parallel_calls):
    drops = bool(drop_remainder)
    if num_parallel_calls is None:
        return make("Batch", [dataset], [number(batch_size)], drop_remainder=drops)
    operands = [number(batch_size), number(num_parallel_calls)]
    return make("ParallelBatch", [dataset], operands, drop_remainder=drops)


def _padded_shape(shape, spec):
    """The shape that a component is padded to, as a vector with -1 for the largest of a batch."""
    if is_tensor_like(shape):
        return cast(shape, dtypes.int64)
    if isinstance(shape, (str, bytes)):
        raise ValueError(
            f"Padded shape {shape} must be a `tf.int64` vector tensor, but its shape was ()."
        )
    if isinstance(shape, (list, tuple, np.ndarray)):
        shape = [None if isinstance(dim, (int, np.integer)) and dim == -1 else dim for dim in shape]
    dims = TensorShape(shape)._dims
    own = spec.shape._dims
    is_larger = own is not None and any(
        a is not None and b is not None and a < b for a, b in zip(dims, own, strict=False)
    )
    if own is not None and (len(dims) != len(own) or is_larger):
        raise ValueError(
            f"The padded shape {TensorShape(dims)} is not compatible with the shape {spec.shape} "
            "of the corresponding input component."
        )
    return constant(np.array([-1 if dim is None else dim for dim in dims], np.int64))


def _shapes_of(element_spec, padded_shapes):
    leaves = _structure.flatten(element_spec)
    if padded_shapes is None:
        for i, leaf in enumerate(leaves):
            if leaf.shape.rank is None:
                raise ValueError(
                    f"You must provide `padded_shapes` argument because component {i} has unknown "
                    "rank."
                )
        return [_padded_shape(leaf.shape, leaf) for leaf in leaves]
    shapes = _up_to(element_spec, padded_shapes)
    return [_padded_shape(shape, leaf) for shape, leaf in zip(shapes, leaves, strict=True)]


def _up_to(form, values):
    """The values at the places of the form's leaves."""
    if isinstance(form, tuple):
        if not isinstance(values, (tuple, list)) or len(values) != len(form):
            raise TypeError(
                "If shallow structure is a sequence, input must also be a sequence. Input has "
                f"type: {type(values).__name__!r}."
            )
        pairs = zip(form, values, strict=True)
        return [leaf for part, value in pairs for leaf in _up_to(part, value)]
    if isinstance(form, dict):
        if not isinstance(values, dict) or set(values) != set(form):
            raise ValueError(f"the keys {list(form)} are expected, but got {values!r}")
        return [leaf for key in sorted(form) for leaf in _up_to(form[key], values[key])]
    if isinstance(values, tuple) and any(isinstance(each, (tuple, list)) for each in values):
        raise ValueError(f"a shape is expected, but got {values!r}")
    return [values]


def _padding(value, spec):
    if value is None:
        if spec.dtype == dtypes.string:
            return constant("")
        return constant(np.zeros([], spec.dtype.as_numpy_dtype))
    is_python = isinstance(value, (int, float)) and not isinstance(value, np.generic)
    # A Python number takes the component's dtype only if it would have it by itself.
    value = constant(value)
    if is_python and value.dtype == dtypes.int32 and spec.dtype.is_integer:
        value = cast(value, spec.dtype) if _core.is_tracing() else _cast_now(value, spec.dtype)
    if value.shape.rank != 0:
        raise ValueError(
            "Invalid `padding_values`. `padding_values` values should be scalars, but got "
            f"{value.shape}."
        )
    if value.dtype != spec.dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {value.dtype!r} does not "
            f"match type {spec.dtype!r} of the corresponding input component."
        )
    return value


def _cast_now(value, dtype):
    return constant(np.asarray(value).astype(dtype.as_numpy_dtype))


def _paddings_of(element_spec, padding_values):
    leaves = _structure.flatten(element_spec)
    if padding_values is None:
        return [_padding(None, leaf) for leaf in leaves]
    if not _structure.is_structure(padding_values):
        return [_padding(padding_values, leaf) for leaf in leaves]
    if not _structure.is_structure(element_spec):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(padding_values).__name__!r}."
        )
    values = _up_to(element_spec, padding_values)
    return [_padding(value, leaf) for value, leaf in zip(values, leaves, strict=True)]


def padded_batch(dataset, batch_size, padded_shapes, padding_values, drop_remainder):
    spec = dataset.element_spec
    shapes = _shapes_of(spec, padded_shapes)
    values = _paddings_of(spec, padding_values)
    operands = [number(batch_size)]
    for shape, value in zip(shapes, values, strict=True):
        operands += [shape, value]
    return make("PaddedBatch", [dataset], operands, drop_remainder=bool(drop_remainder))


def unbatch(dataset):
    rows = None
    for leaf in _structure.flatten(dataset.element_spec):
        if leaf.shape.rank == 0:
            raise ValueError("Cannot unbatch an input with scalar components.")
        count = None if leaf.shape.rank is None else leaf.shape._dims[0]
        if rows is not None and count is not None and rows != count:
            raise ValueError(
                "`unbatch()` is only supported for datasets of elements whose components have a "
                f"matching leading dimension. Encountered both {rows} and {count}."
            )
        rows = count if rows is None else rows
    return make("Unbatch", [dataset])


def _check_batched(dataset):
    for leaf in _structure.flatten(dataset.element_spec):
        if leaf.shape.rank == 0:
            raise ValueError(
                "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found a dataset "
                "with scalar elements. Fix the issue by adding the `batch` transformation to the "
                "dataset."
            )


def rebatch(dataset, batch_size, drop_remainder):
    _check_batched(dataset)
    sizes = number(batch_size)
    if sizes.shape.rank == 1 and sizes.shape[0] == 0:
        raise IndexError("index 0 is out of bounds for axis 0 with size 0")
    if sizes.shape.rank == 0:
        sizes = raw_ops.Reshape(tensor=sizes, shape=[1])
    return make("Rebatch", [dataset], [sizes], drop_remainder=bool(drop_remainder))


def window(dataset, size, shift, stride, drop_remainder):
    size = number(size)
    operands = [size, size if shift is None else number(shift), number(stride)]
    spec = _structure.map_leaves(_structure.DatasetSpec, dataset.element_spec)
    return make("Window", [dataset], operands, spec=spec, drop_remainder=bool(drop_remainder))


def bucket_by_sequence_length(
    dataset,
    element_length_func,
    bucket_boundaries,
    bucket_batch_sizes,
    padded_shapes,
    padding_values,
    pad_to_bucket_boundary,
    no_padding,
    drop_remainder,
):
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError(
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
            f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
            f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
        )
    boundaries = np.array(bucket_boundaries, np.int64)
    sizes = np.array(bucket_batch_sizes, np.int64)

    def bucket(*element):
        length = cast(element_length_func(*element), dtypes.int64)
        below = raw_ops.LessEqual(x=_core.to_tensor(boundaries), y=length)
        return raw_ops.Sum(input=cast(below, dtypes.int64), axis=[0])

    def size_of(key):
        return raw_ops.GatherV2(params=_core.to_tensor(sizes), indices=key, axis=0)

    def shapes(key, elements):
        form = dataset.element_spec
        given = padded_shapes
        if given is None:
            given = _structure.map_leaves(lambda leaf: leaf.shape, form)
        if not pad_to_bucket_boundary:
            return given
        ends = np.array([*bucket_boundaries, -1], np.int64)
        end = raw_ops.GatherV2(params=_core.to_tensor(ends), indices=key, axis=0) - 1

        def filled(shape):
            dims = TensorShape(shape)._dims
            parts = [end if dim is None else _core.to_tensor(dim, dtypes.int64) for dim in dims]
            return raw_ops.Pack(values=parts) if parts else _core.to_tensor([], dtypes.int64)

        leaves = [filled(shape) for shape in _up_to(form, given)]
        return _structure.pack(form, leaves)

    def reduce(key, elements):
        size = size_of(key)
        if no_padding:
            return elements.batch(size, drop_remainder)
        return elements.padded_batch(size, shapes(key, elements), padding_values, drop_remainder)

    if pad_to_bucket_boundary:
        dataset = _check_lengths(dataset, element_length_func, bucket_boundaries)
    return dataset.group_by_window(bucket, reduce, window_size_func=size_of)


def _check_lengths(dataset, length_of, boundaries):
    from penstock import debugging

    def checked(*element):
        length = cast(length_of(*element), dtypes.int64)
        debugging.assert_less(
            length,
            _core.to_tensor(boundaries[-1], dtypes.int64),
            message="an element is longer than the last bucket",
        )
        return element if len(element) > 1 else element[0]

    return dataset.map(checked)
