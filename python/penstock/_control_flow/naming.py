"""TensorFlow 1's node names of branches, loops and their results."""

from __future__ import annotations

import contextlib

from penstock import _core, raw_ops
from penstock._base.nest import flatten, pack_like
from penstock._context import trace as _tracing
from penstock._context.scope import default_graph


def results_as_nodes(results, old, first=0):
    """The tensors of a result as nodes of their own, where a graph is built: numbered from `first`
    on, or called `old` as before TensorFlow 2."""
    if not _core.is_building():
        return results
    leaves = [
        raw_ops.Identity(input=leaf, name=_name(number, old))
        if isinstance(leaf, _core.Tensor)
        else leaf
        for number, leaf in enumerate(flatten(results), first)
    ]
    return pack_like(results, leaves)


def _name(number, old) -> str:
    if not _tracing.has_control_flow_v2:
        return old
    return f"Identity_{number}" if number else "Identity"


@contextlib.contextmanager
def node_named(kind, scope):
    """Gives the node of that kind created inside the scope's name, as in TensorFlow 2."""
    is_wanted = _core.is_building() and _tracing.has_control_flow_v2
    builder = default_graph()._builder if is_wanted else None
    first = builder.num_nodes() if is_wanted else 0
    yield
    if is_wanted:
        nodes = range(first, builder.num_nodes())
        node = next((node for node in nodes if builder.type(node) == kind), None)
        if node is not None:
            builder.rename(node, scope)
