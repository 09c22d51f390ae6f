"""x[i] inside a function, where i is a scalar that is known only when the function runs."""

from __future__ import annotations

from penstock import _core

_slice = _core.SymbolicTensor.__getitem__  # for indices that are known


def _is_unknown(part) -> bool:
    return (
        isinstance(part, (_core.SymbolicTensor, _core.VariableHandle))
        and part.shape.rank == 0
        and part.dtype.is_integer
    )


def has_unknown(index) -> bool:
    """Whether a scalar in it is known only later."""
    return any(map(_is_unknown, index)) if isinstance(index, tuple) else _is_unknown(index)


def getitem(self, index):
    """What is known is sliced; along the other axes, the element is gathered."""
    if not has_unknown(index):
        return _slice(self, index)
    parts = index if isinstance(index, tuple) else (index,)
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
        result = _gathered(result, _core.to_tensor(part, None, False), at)
    return result


def _gathered(tensor, i, axis):
    from penstock import raw_ops

    size = _core.to_tensor(tensor.shape[axis], i.dtype, False)
    from_start = raw_ops.SelectV2(condition=i < 0, t=i + size, e=i)
    return raw_ops.GatherV2(params=tensor, indices=from_start, axis=axis)
