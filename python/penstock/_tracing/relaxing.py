"""Traces with open dimensions: those requested with such specs and, with reduce_retracing, those
for shapes that keep changing."""

from __future__ import annotations

from penstock._tensors.composite import flatten_all, pack_all
from penstock._tensors.shape import TensorShape
from penstock._tensors.spec import TensorSpec
from penstock._tracing.arguments import is_traced, key_of


def key_of_call(bound):
    """The key of bound arguments."""
    args, kwargs = bound
    return tuple(map(key_of, args)), tuple([(name, key_of(kwargs[name])) for name in kwargs])


def traced_leaves(bound) -> list:
    return [leaf for leaf in flatten_all(bound) if is_traced(leaf)]


def _with_specs(bound, specs):
    """The arguments with specs of these (shape, name) for their tensors."""
    specs = iter(specs)
    leaves = []
    for leaf in flatten_all(bound):
        if is_traced(leaf):
            shape, name = next(specs)
            leaf = TensorSpec(shape, leaf.dtype, name)
        leaves.append(leaf)
    return pack_all(bound, leaves)


def _specs_of(bound) -> list:
    """The (shape, name) of the tensors; only specs have names."""
    return [
        (leaf.shape, leaf.name if isinstance(leaf, TensorSpec) else None)
        for leaf in traced_leaves(bound)
    ]


def _common(a, b) -> TensorShape:
    """The narrowest shape that covers both."""
    if a.rank is None or a.rank != b.rank:
        return TensorShape(None)
    return TensorShape([x if x == y else None for x, y in zip(a, b, strict=True)])


def _serves(wide, specs) -> bool:
    """Whether a trace for `wide` also serves tensors like `specs`."""
    return all(
        _common(shape, own) == shape and own_name in (None, name)
        for (shape, name), (own, own_name) in zip(wide, specs, strict=True)
    )


class Relaxing:
    """Shapes by the rest of the arguments: calls of such tensors share a trace."""

    def __init__(self, reduces_retracing):
        self._reduces_retracing = reduces_retracing
        self._traced = {}  # specs that traces were made for
        self._shapes = {}  # the common part of the calls' changing shapes

    def _kind(self, bound, count):
        return key_of_call(_with_specs(bound, [(None, None)] * count))

    def traced(self, bound):
        """Notes a trace for these arguments: if they are specs, it serves narrower ones too."""
        if any(isinstance(leaf, TensorSpec) for leaf in flatten_all(bound)):
            specs = _specs_of(bound)
            known = self._traced.setdefault(self._kind(bound, len(specs)), [])
            if specs not in known:
                known.append(specs)

    def widen(self, bound):
        """The arguments with specs that leave something open, when there is or should be a trace
        for those; None otherwise."""
        specs = _specs_of(bound)
        if not specs:
            return None
        kind = self._kind(bound, len(specs))
        narrowest = self._narrowest(kind, specs)
        if narrowest is None and self._reduces_retracing:
            narrowest = self._relaxed(kind, [shape for shape, _ in specs])
        return None if narrowest is None else _with_specs(bound, narrowest)

    def _narrowest(self, kind, specs):
        """The narrowest of the traced specs that serve these."""
        narrowest = None
        for trace in self._traced.get(kind, ()):
            if _serves(trace, specs) and (narrowest is None or _serves(narrowest, trace)):
                narrowest = trace
        return narrowest

    def _relaxed(self, kind, shapes):
        if not all(shape.is_fully_defined() for shape in shapes):
            return None
        known = self._shapes.get(kind)
        if known is None:
            self._shapes[kind] = shapes
            return None
        self._shapes[kind] = [_common(a, b) for a, b in zip(known, shapes, strict=True)]
        return [(shape, None) for shape in self._shapes[kind]]
