"""Decides which functions called by converted code are converted."""

from __future__ import annotations

import ast
import builtins
import sys
import types

from penstock.autograph._tree import OPERATORS

# Their functions are not converted: they have no control flow over tensors, or handle it
# themselves.
_OTHERS = frozenset(
    [
        "penstock",
        "numpy",
        "scipy",
        "tensorflow",
        "keras",
        "jax",
        "torch",
        "pandas",
        "matplotlib",
        "absl",
        "six",
        "pytest",
        "_pytest",
        "IPython",
    ]
)
# Functions of penstock that call their arguments.
TAKES_FUNCTIONS = frozenset(
    [
        "case",
        "cond",
        "foldl",
        "foldr",
        "map_fn",
        "recompute_grad",
        "scan",
        "switch_case",
        "vectorized_map",
        "while_loop",
    ]
)


def is_left_alone(module) -> bool:
    """Whether functions of a module, given by its name, are not converted."""
    root = (module or "").partition(".")[0]
    return root in _OTHERS or root in sys.stdlib_module_names


def _root(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return getattr(node, "id", None)


class Calls:
    """Static knowledge of the functions that a piece of code calls."""

    def __init__(self, names, overloads, prints, bound=frozenset()):
        self._names, self._overloads, self._prints = names, overloads, prints
        self._bound = bound  # names that are not global

    def inside(self, bound):
        """The same for a nested function with its own names."""
        return Calls(self._names, self._overloads, self._prints, self._bound | bound)

    def _find(self, node):
        """The global object that an expression names; None if unknown."""
        if isinstance(node, ast.Name):
            if node.id in self._bound:
                return None
            return self._names.get(node.id, getattr(builtins, node.id, None))
        if isinstance(node, ast.Attribute):
            owner = self._find(node.value)
            if isinstance(owner, types.ModuleType) and is_left_alone(owner.__name__):
                return getattr(owner, node.attr, None)
        return None

    def is_plain(self, node) -> bool:
        """Whether the callee is known to stay unconverted."""
        if _root(node) == OPERATORS:
            return True
        callee = self._find(node)
        if callee is None or getattr(callee, "__name__", "") in TAKES_FUNCTIONS:
            return False
        try:
            if callee in self._overloads:
                return False
        except TypeError:
            return False
        return is_left_alone(getattr(callee, "__module__", None))

    def prints(self, node) -> bool:
        """Whether this is Python's `print`, which prints tensors at run time."""
        return self._prints and self._find(node) is print

    def may_be_range(self, node) -> bool:
        return getattr(node, "id", getattr(node, "attr", None)) == "range"
