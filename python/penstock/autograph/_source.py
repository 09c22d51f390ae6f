"""The syntax tree of a function, where it has a source: with the lines and columns of its file."""

from __future__ import annotations

import ast
import inspect

_PAUSES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def is_unsupported(code) -> bool:
    """Whether a function stays as it is: lambdas are converted with the functions that they are in,
    and what pauses in the middle is not converted."""
    return code.co_name == "<lambda>" or bool(code.co_flags & _PAUSES)


def tree_of(code) -> ast.FunctionDef | None:
    """The definition, without decorators, annotations and defaults; None where it is not found."""
    if is_unsupported(code):
        return None
    try:
        lines, first = inspect.getsourcelines(code)
        is_inside = lines[0][:1].isspace()
        # An indented definition is read as it is, inside of a block: texts of several lines in it
        # stay what they are.
        text = "".join(["if 1:\n", *lines] if is_inside else lines)
        found = ast.parse(text).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return None
    found = found.body[0] if is_inside else found
    if not isinstance(found, ast.FunctionDef) or found.name != code.co_name:
        return None
    ast.increment_lineno(found, max(first, 1) - (2 if is_inside else 1))
    _strip(found)
    return found


def _strip(tree):
    """The function that is made takes these from the original."""
    arguments = tree.args
    tree.decorator_list, tree.returns = [], None
    for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        each.annotation = None
    for each in (arguments.vararg, arguments.kwarg):
        if each is not None:
            each.annotation = None
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [each and ast.Constant(None) for each in arguments.kw_defaults]
