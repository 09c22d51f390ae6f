"""Functions with converted control flow, cached by code object.

The new code has the file name, line numbers, closure cells and globals of the user's function, and
the operators as an additional cell. Functions with nothing to convert are returned unchanged.
"""

from __future__ import annotations
import __future__

import ast
import functools
import itertools
import os
import types
import weakref

from penstock.autograph import _tree, _verbosity
from penstock.autograph._calls import Calls, is_left_alone
from penstock.autograph._lists import Lists
from penstock.autograph._source import tree_of
from penstock.autograph._statements import FunctionBody

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_made = {}  # by id of a code object and features: a reference to it, and the new code
_own = {}  # by id: references to code objects made by conversion
_NEW = "ag__function"
_FUTURE = __future__.annotations.compiler_flag
MARK = "_autograph_do_not_convert"


def _remember(table, key, code, value):
    table[key] = weakref.ref(code, lambda unused: table.pop(key, None)), value


def is_converted(code) -> bool:
    return id(code) in _own


def converted_function(function, operators):
    """The function as converted code calls it."""
    code = function.__code__
    if is_converted(code) or function.__dict__.get(MARK):
        return function
    if is_left_alone(function.__module__):
        return function
    if code.co_filename.startswith(_PACKAGE):
        return _around(function, operators)
    key = id(code), operators.features
    entry = _made.get(key)
    if entry is None:
        _remember(_made, key, code, _new_code(function, operators))
        entry = _made[key]
    return function if entry[1] is None else _rebuilt(function, entry[1], operators)


def _around(function, operators):
    """One of our own wrappers around the converted function."""
    inner = getattr(function, "__wrapped__", None)
    if not isinstance(inner, types.FunctionType) or not function.__closure__:
        return function
    converted = converted_function(inner, operators)
    if converted is inner:
        return function
    cells = tuple(
        types.CellType(converted) if _content(cell) is inner else cell
        for cell in function.__closure__
    )
    return _copy(function, function.__code__, cells)


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _rebuilt(function, code, operators):
    own = function.__code__.co_freevars
    cells = dict(zip(own, function.__closure__ or (), strict=True))
    cells[_tree.OPERATORS] = types.CellType(operators)
    return _copy(function, code, tuple(cells[name] for name in code.co_freevars))


def _copy(function, code, cells):
    copy = types.FunctionType(code, function.__globals__, function.__name__, None, cells)
    functools.update_wrapper(copy, function)
    copy.__defaults__, copy.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return copy


def converted_tree(function, operators):
    """The converted syntax tree of the function; None if it stays unchanged."""
    tree = tree_of(function.__code__)
    if tree is None:
        return None
    names = Calls(function.__globals__, operators.overloads, operators.prints)
    before = ast.dump(tree)
    if operators.lists:
        tree = Lists().visit(tree)
    calls = names.inside(frozenset(function.__code__.co_freevars))
    converted = FunctionBody(tree, calls, [0]).convert()
    return None if ast.dump(converted) == before else converted


def _new_code(function, operators):
    """The new code object; None if there is nothing to convert."""
    tree = converted_tree(function, operators)
    if tree is None:
        _verbosity.say(function, "is run as it is written")
        return None
    _verbosity.say(function, "is converted")
    return _compiled(tree, function.__code__, _owner(function))


def _owner(function) -> str | None:
    """The class that a function is defined in: private names are mangled with it."""
    parts = function.__qualname__.split(".")
    pairs = itertools.pairwise(parts)
    classes = [name for name, inner in pairs if "<locals>" not in (name, inner)]
    return classes[-1] if classes else None


def _compiled(tree, old, owner):
    """The code of a function that has the free variables of the old one, and the operators.

    It is compiled inside of a function that has these, and where it is a method inside of a class.
    The names of both must not hide global ones."""
    tree.name, body = _NEW, [tree]
    if owner is not None:
        body = [ast.ClassDef(owner, [], [], body, [])]
        if owner not in old.co_freevars:
            body = [ast.Global([owner]), *body]
    free = [name for name in old.co_freevars if not (owner and name == "__class__")]
    outer = _tree.at(_tree.function("outer", [*free, _tree.OPERATORS], body), tree)
    module, flags = ast.Module([outer], []), old.co_flags & _FUTURE
    code = compile(module, old.co_filename, "exec", flags, dont_inherit=True)
    for name in ("outer", owner, _NEW) if owner else ("outer", _NEW):
        code = _inner(code, name)
    return _named(code, getattr(old, "co_qualname", old.co_name), old.co_name)


def _inner(code, name):
    return next(
        constant
        for constant in code.co_consts
        if isinstance(constant, types.CodeType) and constant.co_name == name
    )


def _named(code, qualname, name):
    """The code with the names that tracebacks show: blocks are named after their function."""
    constants = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            is_block = constant.co_name.startswith(_tree.OPERATORS)
            own = name if is_block else constant.co_name
            constant = _named(
                constant, qualname if is_block else getattr(constant, "co_qualname", own), own
            )
        constants.append(constant)
    renamed = code.replace(co_consts=tuple(constants), co_name=name)
    if hasattr(code, "co_qualname"):
        renamed = renamed.replace(co_qualname=qualname)
    _remember(_own, id(renamed), renamed, True)
    return renamed
