"""Variables of TensorFlow 1 graphs inside branches and loops.

A graph has reads and assignments as nodes, and it may run any of them. In a branch or loop body an
assignment must take effect only if that region runs. So it changes the variable's value in the
region's frame. That value becomes an additional result of the region, and the result is assigned.
"""

from __future__ import annotations

import threading

from penstock import _core
from penstock._base.version_1 import version_1

_here = threading.local()


def current():
    """The frame of the region being traced; None outside regions of graphs."""
    return getattr(_here, "frame", None)


class Frame:
    """The values of variables in a region while it is traced."""

    def __init__(self):
        self._now = {}
        self.written = []
        self._is_used = current() is not None or _core.is_building()

    def __enter__(self):
        self._outer = current()
        if self._is_used:
            _here.frame = self
        return self

    def __exit__(self, *unused):
        if self._is_used:
            _here.frame = self._outer

    def set(self, variables, values):
        """Sets the initial values."""
        self._now.update(zip(variables, values, strict=True))

    def read(self, variable):
        if variable not in self._now:
            outer = self._outer
            self._now[variable] = variable._read() if outer is None else outer.read(variable)
        return self._now[variable]

    def write(self, variable, value):
        self._now[variable] = value
        if variable not in self.written:
            self.written.append(variable)


def read(variable):
    """The value outside the region to be made."""
    frame = current()
    return variable._read() if frame is None else frame.read(variable)


def assign(variables, values, results) -> list:
    """Assigns a node's values to the variables; the results wait for that."""
    if not variables:
        return results
    frame = current()
    if frame is not None:
        for variable, value in zip(variables, values, strict=True):
            frame.write(variable, value)
        return results
    pairs = zip(variables, values, strict=True)
    assigned = [variable._assigned(value, None, read_value=True) for variable, value in pairs]
    if not results:
        version_1.nodes.group(*assigned)  # the last operation represents the node
    return version_1.nodes.together(results, assigned)


def with_effects(call):
    """The results of a call that makes nodes: in a graph they are there when all that it does is
    done, as those of a function are."""
    if not _core.is_building():
        return call()
    from penstock._context.scope import default_graph
    from penstock._tensors.composite import flatten_all, pack_all

    builder = default_graph()._builder
    first, result = builder.num_nodes(), call()
    leaves = flatten_all(result)
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, _core.Tensor)]
    ordered = builder.after_effects(first, [leaves[place] for place in places])
    for place, tensor in zip(places, ordered, strict=True):
        leaves[place] = tensor
    return pack_all(result, leaves)


def done():
    """What stands for an operation that has been made: the graph's last one; inside of a region,
    where all run, a tensor; None where there is no graph."""
    if _core.is_building():
        from penstock._context.scope import default_graph

        return default_graph()._last_operation()
    return None if current() is None else _core.to_tensor(True)


class outside:
    """Leaves the regions of a graph: nodes created inside belong to the graph itself."""

    def __enter__(self):
        from penstock._context.scope import default_graph

        self._frame, _here.frame = current(), None
        self._graph = default_graph()
        self._scope = self._graph._name_stack  # names of the region do not belong to the graph
        self._leave = _core.LeaveTraces()
        self._leave.enter()
        self._entered = _core.EnteredGraph(self._graph._builder)
        self._entered.enter()

    def __exit__(self, *unused):
        self._graph._set_scope(self._scope)
        self._entered.exit()
        self._leave.exit()
        _here.frame = self._frame
