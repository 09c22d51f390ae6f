"""x[i] and x[a:b] inside a function, where i, a and b are known only at run time."""

from __future__ import annotations

from penstock import _core

_slice_symbolic = _core.SymbolicTensor.__getitem__  # before it is getitem


def _slice(tensor, index):
    """For indices that are known."""
    is_symbolic = isinstance(tensor, _core.SymbolicTensor)
    return _slice_symbolic(tensor, index) if is_symbolic else tensor[index]


def _is_unknown(part) -> bool:
    return (
        isinstance(part, (_core.SymbolicTensor, _core.VariableHandle))
        and part.shape.rank == 0
        and part.dtype.is_integer
    )


def _is_unknown_range(part) -> bool:
    return isinstance(part, slice) and any(map(_is_unknown, (part.start, part.stop, part.step)))


def has_unknown(index) -> bool:
    """Whether the index contains a symbolic number."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(_is_unknown(part) or _is_unknown_range(part) for part in parts)


def getitem(self, index):
    """The part that `index` selects; numbers in it may be tensors."""
    if not has_unknown(index):
        return _slice(self, index)
    parts = index if isinstance(index, tuple) else (index,)
    if not _core.is_building():
        return _picked(self, parts)
    from penstock._context.scope import name_scope, result_named, take_name

    for _ in filter(_is_unknown, parts):  # where a slice of the one element ends
        take_name("add")
    with name_scope("strided_slice") as scope:
        return result_named(_picked(self, parts), scope)


def _picked(self, parts):
    """Slices by the known numbers; gathers the element along the other axes."""
    has_ellipsis = any(part is Ellipsis for part in parts)
    if any(map(_is_unknown_range, parts)) or (has_ellipsis and self.shape.rank is None):
        return _strided(self, parts)
    taken = sum(1 for part in parts if part is not None and part is not Ellipsis)
    static, gathered, axis = [], [], 0
    for part in parts:
        if _is_unknown(part):
            gathered.append((axis, part))
            part = slice(None)
        static.append(part)
        if part is Ellipsis:
            axis += self.shape.rank - taken
        elif part is None or isinstance(part, slice):
            axis += 1
    result = _slice(self, tuple(static))
    for at, part in reversed(gathered):
        result = _gathered(result, _core.to_tensor(part), at)
    return result


def _gathered(tensor, i, axis):
    from penstock import dtypes, raw_ops

    if i.dtype.size < 4:
        i = raw_ops.Cast(x=i, DstT=dtypes.int32)
    size = tensor.shape[axis]
    if size is None:
        size = raw_ops.Cast(x=raw_ops.Shape(input=tensor)[axis], DstT=i.dtype)
    from_start = raw_ops.SelectV2(condition=i < 0, t=i + size, e=i)
    return raw_ops.GatherV2(params=tensor, indices=from_start, axis=axis)


def _strided(tensor, parts):
    """A slice with tensors as bounds: its size is known only at run time."""
    from penstock import raw_ops

    bounds = {"begin": [], "end": [], "strides": []}
    masks = dict.fromkeys(("begin", "end", "ellipsis", "new_axis", "shrink_axis"), 0)

    def add(begin, end, stride):
        for values, value in zip(bounds.values(), (begin, end, stride), strict=True):
            values.append(value)

    for i, part in enumerate(parts):
        if isinstance(part, slice):
            masks["begin"] |= (part.start is None) << i
            masks["end"] |= (part.stop is None) << i
            add(
                0 if part.start is None else part.start,
                0 if part.stop is None else part.stop,
                1 if part.step is None else part.step,
            )
        elif part is None or part is Ellipsis:
            masks["new_axis" if part is None else "ellipsis"] |= 1 << i
            add(0, 0, 1)
        else:
            masks["shrink_axis"] |= 1 << i
            add(part, part + 1, 1)
    inputs = {name: _packed(values) for name, values in bounds.items()}
    return raw_ops.StridedSlice(
        input=tensor, **inputs, **{f"{name}_mask": bits for name, bits in masks.items()}
    )


def _packed(values):
    from penstock import dtypes, raw_ops

    tensors = [_core.to_tensor(value) for value in values]
    wide = any(tensor.dtype == dtypes.int64 for tensor in tensors)
    kind = dtypes.int64 if wide else dtypes.int32
    return raw_ops.Pack(values=[raw_ops.Cast(x=tensor, DstT=kind) for tensor in tensors], axis=0)
