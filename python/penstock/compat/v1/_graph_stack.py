"""The graphs that a thread has entered, and the graphs of tensors."""

from __future__ import annotations

import threading
import weakref

from penstock import _core
from penstock._context import scope as _scope

_by_number = weakref.WeakValueDictionary()  # graphs by the number that their tensors have


class _Here(threading.local):
    def __init__(self):
        self.stack = []  # (graph, what entered it, the scope outside), the innermost last


_here = _Here()


def add(graph):
    """Makes a new graph known to its tensors."""
    _by_number[graph._number] = graph


def graph_of(tensor):
    """The graph of a tensor; None for one of a function."""
    return _by_number.get(tensor._graph_number)


def enter(graph):
    """From here on ops of this thread become nodes of the graph."""
    handle = _core.EnteredGraph(graph._builder)
    handle.enter()
    _here.stack.append((graph, handle, _scope.current_scope()))
    _scope.set_scope(graph._name_stack)


def leave(graph):
    """Ends what `enter` began."""
    top, handle, scope = _here.stack[-1]
    if top is not graph:
        raise AssertionError("Nesting violated for default stack of graphs.")
    _here.stack.pop()
    handle.exit()
    _scope.set_scope(scope)


def entered() -> list:
    """The graphs that this thread is in, the innermost last."""
    return [graph for graph, _, _ in _here.stack]


def innermost():
    """The graph that this thread is in; None for none."""
    return _here.stack[-1][0] if _here.stack else None
