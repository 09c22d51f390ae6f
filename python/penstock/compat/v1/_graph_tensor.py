"""The members that graph tensors have in addition to those of functions: names, ops, eval,
hashing."""

from __future__ import annotations

from penstock import _core
from penstock.compat.v1 import _graph_stack
from penstock.compat.v1._default_session import session_for
from penstock.compat.v1._operation import consumers_of

_graph_of = _graph_stack.graph_of
_is_installed = False


def _name(of_function):
    def name(self):
        graph = _graph_of(self)
        if graph is None:
            return of_function.__get__(self)
        node = graph._builder.node_of(self)
        outputs = graph._builder.outputs(node)
        index = self._value - outputs[0]._value
        return f"{graph._builder.name(node)}:{index}"

    return property(name)


def _op(self):
    graph = _graph_of(self)
    if graph is None:
        raise AttributeError("Tensor.op is undefined inside of a function.")
    return graph._operation(graph._builder.node_of(self))


def _graph(self):
    graph = _graph_of(self)
    if graph is None:
        raise AttributeError("Tensor.graph is undefined inside of a function.")
    return graph


def _consumers(self):
    graph = _graph_of(self)
    return [] if graph is None else consumers_of(graph, self)


def _eval(of_function):
    def eval(self, feed_dict=None, session=None):
        graph = _graph_of(self)
        if graph is None:
            return of_function(self)
        return session_for(session, graph, "evaluate tensor", "eval").run(self, feed_dict)

    return eval


def install():
    """Gives symbolic tensors these members, once."""
    global _is_installed
    if _is_installed:
        return
    _is_installed = True
    kind = _core.SymbolicTensor
    members = {
        "name": _name(kind.__dict__["name"]),
        "op": property(_op),
        "graph": property(_graph),
        "consumers": _consumers,
        "eval": _eval(kind.eval),
    }
    for name, value in members.items():
        setattr(kind, name, value)
