"""Fragments of syntax trees. They take the line numbers of the code they replace."""

from __future__ import annotations

import ast

OPERATORS = "ag__"  # the name of penstock.autograph._operators in converted code


def load(name) -> ast.Name:
    return ast.Name(name, ast.Load())


def store(name) -> ast.Name:
    return ast.Name(name, ast.Store())


def operator(name, *args) -> ast.Call:
    """ag__.name(args)"""
    return ast.Call(ast.Attribute(load(OPERATORS), name, ast.Load()), list(args), [])


def thunk(body) -> ast.Lambda:
    """lambda: body"""
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def function(name, parameters, body) -> ast.FunctionDef:
    arguments = ast.arguments(
        [], [ast.arg(parameter) for parameter in parameters], None, [], [], None, []
    )
    return ast.FunctionDef(name, arguments, body or [ast.Pass()], [])


def texts(names) -> ast.Tuple:
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())


def at(node, like):
    """Gives the parts of a node without a line number that of another node."""
    for attribute in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        setattr(node, attribute, getattr(like, attribute))
    return ast.fix_missing_locations(node)
