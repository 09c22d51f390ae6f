"""The objects under a checkpoint as a list of nodes: their children and names."""

from __future__ import annotations

import collections

from penstock import _core
from penstock._variables.track import StateHolder, children

_VALUE = "VARIABLE_VALUE"


def identity(value):
    """A key that is equal for the same object; several Python objects may be one variable."""
    if isinstance(value, _core.VariableHandle):
        return ("variable", value._id)
    return id(value)


def _escaped(name: str) -> str:
    return name.replace(".", "..").replace("/", ".S")


def key_of(path, what=_VALUE) -> str:
    """The name of a variable in the file, from the path that leads to it."""
    return "/".join([*map(_escaped, path), ".ATTRIBUTES", what])


def _key(value, path):
    if isinstance(value, StateHolder):
        return key_of(path, value._STATE)
    return key_of(path) if isinstance(value, _core.VariableHandle) else None


class Node:
    """An object: the numbers of its children by name and, for a variable or an object with a state,
    its key in the file."""

    __slots__ = ("children", "key", "path", "value")

    def __init__(self, value, path):
        self.value, self.path = value, path
        self.children = {}
        self.key = _key(value, path)


def objects_under(root) -> list[Node]:
    """Every object reachable from `root`, once, in breadth-first order; `root` is number 0."""
    nodes = [Node(root, ())]
    numbers = {identity(root): 0}
    queue = collections.deque(nodes)
    while queue:
        node = queue.popleft()
        for name, child in children(node.value):
            if not isinstance(name, str):
                raise ValueError(
                    f"Unable to save the object {node.value!r} (a dictionary). The dictionary "
                    "contains a non-string key which maps to a trackable object or mutable data "
                    "structure.\n\nIf you don't need this dictionary checkpointed, wrap it in a "
                    "non-trackable object; it will be subsequently ignored."
                )
            which = identity(child)
            if which not in numbers:
                numbers[which] = len(nodes)
                nodes.append(Node(child, (*node.path, name)))
                queue.append(nodes[-1])
            node.children[name] = numbers[which]
    return nodes


def variables_under(root) -> list:
    """The variables among them, and the objects with a state."""
    return [node.value for node in objects_under(root) if node.key is not None]
