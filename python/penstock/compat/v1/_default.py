"""The default graph of a thread: the entered one, or the global one."""

from __future__ import annotations

import threading
import weakref

from penstock import _core
from penstock._api import public
from penstock._context import scope as _scope

_by_number = weakref.WeakValueDictionary()  # graphs by the number that their tensors know
_global = None  # the graph outside every `as_default`


class _Here(threading.local):
    def __init__(self):
        self.stack = []  # (graph, what entered it, the scope outside), the innermost last


_here = _Here()


def add(graph):
    """Registers a new graph for its tensors."""
    _by_number[graph._number] = graph


def graph_of(tensor):
    """The graph of a tensor; None if it belongs to a function."""
    return _by_number.get(tensor._graph_number)


def enter(graph):
    """Makes ops of this thread nodes of the graph."""
    entered = _core.EnteredGraph(graph._builder)
    entered.enter()
    _here.stack.append((graph, entered, _scope.current_scope()))
    _scope.set_scope(graph._name_stack)


def leave(graph):
    """Reverses `enter`."""
    found, entered, scope = _here.stack[-1]
    if found is not graph:
        raise AssertionError("Nesting violated for default stack of graphs.")
    _here.stack.pop()
    entered.exit()
    _scope.set_scope(scope)


def building():
    """The graph that receives new ops; None if they run or are part of a function."""
    return _here.stack[-1][0] if _here.stack and _core.is_building() else None


@public("v1.get_default_graph")
def get_default_graph():
    """The entered graph, or the global one."""
    global _global
    if _here.stack:
        return _here.stack[-1][0]
    if _global is None:
        from penstock.compat.v1._graph import Graph

        _global = Graph()
    return _global


@public("v1.reset_default_graph")
def reset_default_graph():
    """Makes a new default graph; the old one is freed when nobody else holds it."""
    global _global
    stack = _here.stack
    if len(stack) > 1 or (stack and stack[0][0] is not _global):
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, exit the nesting and create a new graph."
        )
    was_entered = bool(stack)
    if was_entered:
        leave(_global)
    _global = None
    if was_entered:
        enter(get_default_graph())


def enter_graph_mode():
    """Sends ops of this thread to the default graph from now on."""
    if not _here.stack:
        enter(get_default_graph())


def leave_graph_mode():
    """Makes ops run eagerly again."""
    if len(_here.stack) == 1 and _here.stack[0][0] is _global:
        leave(_global)
