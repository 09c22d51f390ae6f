"""Operands: which arrays a line of the user gives to penstock as they are.

`tf.constant(data)` and `data @ w` copy `data` itself; `tf.constant(data[order])` copies what numpy
made of it. Nothing of the program is run to find out: names, attributes and items are looked up.
"""

from __future__ import annotations

import ast
import functools
import inspect
from typing import NamedTuple

import numpy as np

from penstock.profiler._doctor._source import tree_of


class Operand(NamedTuple):
    """An expression that is an operand as a whole, and those whose values make it one."""

    text: str
    node: ast.expr
    partner: ast.expr  # what is called, or the other side of an operator


@functools.cache
def _by_line(file) -> dict[int, list[Operand]]:
    tree = tree_of(file)
    by_line = {}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call):
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                _add(by_line, argument, node.func)
        elif isinstance(node, ast.BinOp):
            _add(by_line, node.left, node.right)
            _add(by_line, node.right, node.left)
    return by_line


def _add(by_line, node, partner):
    if isinstance(node, (ast.List, ast.Tuple)):
        for element in node.elts:
            _add(by_line, element, partner)
    elif isinstance(node, ast.Dict):
        for element in node.values:
            _add(by_line, element, partner)
    elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        by_line.setdefault(node.lineno, []).append(Operand(ast.unparse(node), node, partner))


def arrays_at(site, frame) -> dict[str, np.ndarray]:
    """The arrays that the line passes to penstock, by their names in the program."""
    arrays = {}
    for operand in _by_line(site.file).get(site.line, ()):
        value = _value(operand.node, frame)
        if isinstance(value, np.ndarray) and _is_penstocks(operand.partner, frame):
            arrays[operand.text] = value
    return arrays


def _is_penstocks(node, frame) -> bool:
    """Whether an expression is a function, module or object of penstock, or comes from one."""
    if isinstance(node, ast.Call):
        return _is_penstocks(node.func, frame)
    if isinstance(node, ast.BinOp):
        return _is_penstocks(node.left, frame) or _is_penstocks(node.right, frame)
    value = _value(node, frame)
    if value is None:
        inner = getattr(node, "value", None)
        return isinstance(inner, ast.expr) and _is_penstocks(inner, frame)
    if isinstance(value, np.ndarray):
        return False
    home = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)
    homes = [home, *(kind.__module__ for kind in type(value).__mro__)]
    return any(str(home).partition(".")[0] == "penstock" for home in homes)


def _value(node, frame):
    """What an expression means in a frame; None where finding out would run something."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        owner = _value(node.value, frame)
        return None if owner is None else inspect.getattr_static(owner, node.attr, None)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        owner, key = _value(node.value, frame), node.slice.value
        if type(owner) is dict:
            return owner.get(key)
        if type(owner) in (list, tuple) and type(key) is int and 0 <= key < len(owner):
            return owner[key]
    return None
