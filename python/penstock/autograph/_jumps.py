"""Lowers `break`, `continue` and `return` to flags: statements after one run only if its flag is
not set.

A function whose only `return` is its last statement keeps it."""

from __future__ import annotations

import ast

from penstock.autograph._names import inside

_LOOPS = (ast.While, ast.For)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


class Flags:
    """Generates names that the function does not use."""

    def __init__(self, taken):
        self._taken = set(taken)

    def new(self, name) -> str:
        unique, number = name, 0
        while unique in self._taken:
            number += 1
            unique = f"{name}_{number}"
        self._taken.add(unique)
        return unique


def _set(name, value, like) -> ast.stmt:
    target = ast.Name(name, ast.Store())
    value = value if isinstance(value, ast.expr) else ast.Constant(value)
    return ast.fix_missing_locations(ast.copy_location(ast.Assign([target], value), like))


def _unless(flag, statements) -> list:
    """The statements, run only if the flag is not set."""
    if not statements:
        return []
    test = ast.UnaryOp(ast.Not(), ast.Name(flag, ast.Load()))
    guarded = ast.copy_location(ast.If(test, statements, []), statements[0])
    return [ast.fix_missing_locations(guarded)]


def _has(node, kinds, through_loops) -> bool:
    """Whether a jump of these kinds is in the node: `break` and `continue` of inner loops are not
    its own."""
    if isinstance(node, kinds):
        return True
    if isinstance(node, _FUNCTIONS) or (isinstance(node, _LOOPS) and not through_loops):
        return False
    return any(_has(child, kinds, through_loops) for child in ast.iter_child_nodes(node))


def blocks_of(node):
    """The lists of statements that a statement holds."""
    for name in _BLOCKS:
        for child in getattr(node, name, None) or []:
            if isinstance(child, (ast.ExceptHandler, ast.match_case)):
                yield child, "body"
        block = getattr(node, name, None)
        if block and name not in ("handlers", "cases"):
            yield node, name


def _guard(statements, kinds, flag, replace, through_loops) -> list:
    """The statements with every jump replaced, and those after a jump guarded by the flag."""
    guarded = []
    for i, statement in enumerate(statements):
        if isinstance(statement, kinds):
            return guarded + replace(statement)
        guarded.append(statement)
        if isinstance(statement, _FUNCTIONS) or not _has(statement, kinds, through_loops):
            continue
        skips_else = isinstance(statement, ast.Try) and any(
            _has(child, kinds, through_loops) for child in statement.body
        )
        for owner, name in list(blocks_of(statement)):
            block = _guard(getattr(owner, name), kinds, flag, replace, through_loops)
            is_else = name == "orelse" and skips_else
            setattr(owner, name, _unless(flag, block) if is_else else block)
        return guarded + _unless(
            flag, _guard(statements[i + 1 :], kinds, flag, replace, through_loops)
        )
    return guarded


def lower_loops(statements, flags) -> list:
    """Removes `break` and `continue` from loops; an `else` follows its loop."""
    lowered = []
    for statement in statements:
        if isinstance(statement, _FUNCTIONS):
            lowered.append(statement)
            continue
        for owner, name in list(blocks_of(statement)):
            setattr(owner, name, lower_loops(getattr(owner, name), flags))
        lowered += _lowered(statement, flags) if isinstance(statement, _LOOPS) else [statement]
    return lowered


def _lowered(loop, flags) -> list:
    before, flag = [], None
    if any(_has(statement, ast.Break, False) for statement in loop.body):
        flag = flags.new("break_")
        before = [_set(flag, False, loop)]
        loop.body = _guard_break(loop.body, flag)
    if any(_has(statement, ast.Continue, False) for statement in loop.body):
        skip = flags.new("continue_")
        body = _guard(loop.body, ast.Continue, skip, lambda jump: [_set(skip, True, jump)], False)
        loop.body = [_set(skip, False, loop), *body]
    if flag is not None:
        goes_on = ast.UnaryOp(ast.Not(), ast.Name(flag, ast.Load()))
        if isinstance(loop, ast.While):
            goes_on = ast.BoolOp(ast.And(), [goes_on, loop.test])
            loop.test = ast.fix_missing_locations(ast.copy_location(goes_on, loop.test))
        else:
            loop.goes_on = ast.fix_missing_locations(ast.copy_location(goes_on, loop.iter))
    after, loop.orelse = loop.orelse, []
    return [*before, loop, *(_unless(flag, after) if flag else after)]


def _guard_break(body, flag) -> list:
    """A `break` sets its flag and continues like a `continue`."""

    class Replace(ast.NodeTransformer):
        def visit_Break(self, node):
            return [_set(flag, True, node), ast.copy_location(ast.Continue(), node)]

        def generic_visit(self, node):
            is_other = isinstance(node, (*_LOOPS, *_FUNCTIONS))
            return node if is_other else super().generic_visit(node)

    return [
        replacement for statement in body for replacement in _as_list(Replace().visit(statement))
    ]


def _as_list(nodes):
    return nodes if isinstance(nodes, list) else [nodes]


def needs_lowering(body) -> bool:
    """Whether a function returns anywhere but at its end."""
    *others, last = body
    return any(_has(other, ast.Return, True) for other in others) or (
        not isinstance(last, ast.Return) and _has(last, ast.Return, True)
    )


def returns_in_finally(body) -> bool:
    """Whether a `finally` jumps out and swallows an error: flags cannot express that."""
    jumps = (ast.Return, ast.Break, ast.Continue)
    return any(
        isinstance(part, ast.Try) and any(_has(inner, jumps, True) for inner in part.finalbody)
        for node in body
        for part in inside(node)
    )


class Returns:
    """Stores the result of a function in a variable that is returned at the end."""

    def __init__(self, flags):
        self.done, self.value = flags.new("do_return"), flags.new("retval_")

    def lower(self, body) -> list:
        return self._block(body, False)

    def _replace(self, jump, in_loop) -> list:
        replacement = [
            _set(self.value, jump.value or ast.Constant(None), jump),
            _set(self.done, True, jump),
        ]
        return [*replacement, ast.copy_location(ast.Break(), jump)] if in_loop else replacement

    def _block(self, statements, in_loop) -> list:
        block = []
        for i, statement in enumerate(statements):
            if isinstance(statement, ast.Return):
                return block + self._replace(statement, in_loop)
            block.append(statement)
            if isinstance(statement, _FUNCTIONS) or not _has(statement, ast.Return, True):
                continue
            rest = statements[i + 1 :]
            if isinstance(statement, ast.If) and not in_loop:
                rest = _into_other_branch(statement, rest)
            self._inner(statement, in_loop)
            if isinstance(statement, _LOOPS) and in_loop:
                block.append(self._leave(statement))
            rest = self._block(rest, in_loop)
            return block + (rest if in_loop else _unless(self.done, rest))
        return block

    def _inner(self, node, in_loop):
        is_loop = isinstance(node, _LOOPS)
        skips_else = isinstance(node, ast.Try) and any(
            _has(child, ast.Return, True) for child in node.body
        )
        for owner, name in list(blocks_of(node)):
            block = self._block(getattr(owner, name), in_loop or (is_loop and name == "body"))
            if name == "orelse" and skips_else:
                block = _unless(self.done, block)
            setattr(owner, name, block)

    def _leave(self, loop):
        """Leaves the outer loop as well."""
        jump = ast.copy_location(ast.Break(), loop)
        jump_out = ast.If(ast.Name(self.done, ast.Load()), [jump], [])
        return ast.fix_missing_locations(ast.copy_location(jump_out, loop))


def _into_other_branch(node, rest) -> list:
    """If one branch always returns, the following statements belong to the other."""
    body, orelse = _always_returns(node.body), _always_returns(node.orelse)
    if body and orelse:
        return []
    if body:
        node.orelse = node.orelse + rest
        return []
    if orelse:
        node.body = node.body + rest
        return []
    return rest


def _always_returns(statements) -> bool:
    for statement in statements:
        if isinstance(statement, (ast.Return, ast.Raise)):
            return True
        if (
            isinstance(statement, ast.If)
            and _always_returns(statement.body)
            and _always_returns(statement.orelse)
        ):
            return True
        if isinstance(statement, ast.With) and _always_returns(statement.body):
            return True
    return False
