"""The syntax tree of a function, if its source is available, with the file's lines and columns."""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import linecache

from penstock.autograph._names import parameters

_PAUSES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def tree_of(code) -> ast.FunctionDef | None:
    """The definition, without decorators, annotations and defaults; None where it is not found, and
    for what pauses in the middle."""
    if code.co_flags & _PAUSES:
        return None
    try:
        tree = _lambda(code) if code.co_name == "<lambda>" else _definition(code)
    except (OSError, TypeError, SyntaxError, IndexError):
        return None
    if tree is not None:
        _strip(tree)
    return tree


def _definition(code):
    lines, first = inspect.getsourcelines(code)
    is_inside = lines[0][:1].isspace()
    # An indented definition is parsed inside a block, so that multi-line strings in it stay
    # unchanged.
    statement = ast.parse("".join(["if 1:\n", *lines] if is_inside else lines)).body[0]
    statement = statement.body[0] if is_inside else statement
    if not isinstance(statement, ast.FunctionDef) or statement.name != code.co_name:
        return None
    if not _has_parameters(code, statement):
        return None  # the file has changed since it was imported
    return ast.increment_lineno(statement, max(first, 1) - (2 if is_inside else 1))


def _lambda(code):
    """A lambda as a function that returns its expression, if it can be told from its neighbours."""
    lines = linecache.getlines(code.co_filename)
    same = [
        node
        for node in ast.walk(_parsed("".join(lines)))
        if isinstance(node, ast.Lambda) and _is_of(code, node)
    ]
    if len(same) != 1:
        return None
    lambda_node = copy.deepcopy(same[0])
    result = ast.copy_location(ast.Return(lambda_node.body), lambda_node.body)
    definition = ast.FunctionDef("lambda_", lambda_node.args, [result], [])
    return ast.fix_missing_locations(ast.copy_location(definition, lambda_node))


@functools.lru_cache(maxsize=1)
def _parsed(text):
    return ast.parse(text)


def _has_parameters(code, node) -> bool:
    names = tuple(parameters(node.args))
    return names == code.co_varnames[: len(names)]


def _is_of(code, node) -> bool:
    if node.lineno != code.co_firstlineno:
        return False
    if not _has_parameters(code, node):
        return False
    if not hasattr(code, "co_positions"):  # before Python 3.11
        return True
    places = [(line, column) for line, _, column, _ in code.co_positions() if column is not None]
    body = node.body
    start, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    return all(start <= place <= end for place in places if place != (code.co_firstlineno, 0))


def _strip(tree):
    """Removes what the new function takes from the original."""
    arguments = tree.args
    tree.decorator_list, tree.returns = [], None
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    for argument in (arguments.vararg, arguments.kwarg):
        if argument is not None:
            argument.annotation = None
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [default and ast.Constant(None) for default in arguments.kw_defaults]
