"""The default graph of a thread: the entered one, or the global one."""

from __future__ import annotations

from penstock._api import public
from penstock.compat.v1 import _graph_stack
from penstock.compat.v1._graph import Graph

_global = None  # the graph without any `as_default`


@public("v1.get_default_graph")
def get_default_graph():
    """The entered graph, or the global one."""
    global _global
    entered = _graph_stack.innermost()
    if entered is not None:
        return entered
    if _global is None:
        _global = Graph()
    return _global


@public("v1.reset_default_graph")
def reset_default_graph():
    """Makes a new default graph; the old one is freed with its last reference."""
    global _global
    entered = _graph_stack.entered()
    if len(entered) > 1 or (entered and entered[0] is not _global):
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, exit the nesting and create a new graph."
        )
    if entered:
        _graph_stack.leave(_global)
    _global = None
    if entered:
        _graph_stack.enter(get_default_graph())


def enter_graph_mode():
    """Sends ops of this thread to the default graph from now on."""
    if not _graph_stack.entered():
        _graph_stack.enter(get_default_graph())


def leave_graph_mode():
    """Makes ops run eagerly again."""
    if _graph_stack.entered() == [_global]:
        _graph_stack.leave(_global)
