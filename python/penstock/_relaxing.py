"""Which traces of a function leave dimensions open: those that were asked for with such specs, and
with reduce_retracing those for shapes that keep changing."""

from __future__ import annotations

from penstock._arguments import is_traced, key_of
from penstock._composite import flatten_all, pack_all
from penstock._shape import TensorShape
from penstock._spec import TensorSpec


def key_of_call(bound):
    """The key of bound arguments."""
    args, kwargs = bound
    return tuple(map(key_of, args)), tuple([(name, key_of(kwargs[name])) for name in kwargs])


def traced_leaves(bound) -> list:
    return [leaf for leaf in flatten_all(bound) if is_traced(leaf)]


def _with_shapes(bound, shapes):
    """The arguments with specs of these shapes for their tensors."""
    shapes = iter(shapes)
    leaves = [
        TensorSpec(next(shapes), leaf.dtype) if is_traced(leaf) else leaf
        for leaf in flatten_all(bound)
    ]
    return pack_all(bound, leaves)


def _common(a, b) -> TensorShape:
    """The most special shape that both are of."""
    if a.rank is None or a.rank != b.rank:
        return TensorShape(None)
    return TensorShape([x if x == y else None for x, y in zip(a, b, strict=True)])


class Relaxing:
    """Shapes by the rest of the arguments: calls of such tensors share a trace."""

    def __init__(self, reduces_retracing):
        self._reduces_retracing = reduces_retracing
        self._shapes = {}

    def widen(self, bound):
        """The arguments with specs that leave something open, when there is or should be a trace
        for those; None otherwise."""
        shapes = [leaf.shape for leaf in traced_leaves(bound)]
        if not shapes:
            return None
        kind = key_of_call(_with_shapes(bound, [None] * len(shapes)))
        known = self._shapes.get(kind)
        if not all(shape.is_fully_defined() for shape in shapes):
            self._shapes[kind] = shapes
            return None
        if known is None:
            if self._reduces_retracing:
                self._shapes[kind] = shapes
            return None
        both = [_common(a, b) for a, b in zip(known, shapes, strict=True)]
        if both != known:
            if not self._reduces_retracing:
                return None
            self._shapes[kind] = both
        return _with_shapes(bound, both)
