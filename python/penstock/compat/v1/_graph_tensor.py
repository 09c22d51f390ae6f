"""What tensors of graphs can do beyond those of functions: names, ops, eval, being keys."""

from __future__ import annotations

from penstock import _core
from penstock.compat.v1 import _default

_graph_of = _default.graph_of
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
    from penstock.compat.v1._operation import consumers_of

    graph = _graph_of(self)
    return [] if graph is None else consumers_of(graph, self)


def _eval(of_function):
    def eval(self, feed_dict=None, session=None):
        graph = _graph_of(self)
        if graph is None:
            return of_function(self)
        from penstock.compat.v1._session import session_for

        return session_for(session, graph, "evaluate tensor", "eval").run(self, feed_dict)

    return eval


def _hash(of_function):
    numbers = _default._by_number.data

    def hash_of(self):
        if self._graph_number in numbers:
            return self._value
        return of_function(self)

    return hash_of


def _equal(of_function, is_equal):
    numbers = _default._by_number.data

    def compare(self, other):
        # As TensorFlow has it: tensors of a graph are compared by which they are.
        if self._graph_number not in numbers:
            return of_function(self, other)
        if self is other:
            return is_equal
        if not isinstance(other, _core.SymbolicTensor):
            return not is_equal
        is_same = self._value == other._value and self._graph_number == other._graph_number
        return is_same is is_equal

    return compare


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
        "__hash__": _hash(kind.__hash__),
        "__eq__": _equal(kind.__eq__, True),
        "__ne__": _equal(kind.__ne__, False),
    }
    for name, value in members.items():
        setattr(kind, name, value)
