"""Converts expressions that choose (`and`, `or`, `not`, `a if c else b`, chained comparisons)
and calls into operator calls."""

from __future__ import annotations

import ast

from penstock.autograph import _tree
from penstock.autograph._names import inside

_COMPARISONS = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
    ast.Is: "is_", ast.IsNot: "is_not", ast.In: "in_", ast.NotIn: "not_in",
}  # fmt: skip
_TESTS = ("isinstance", "issubclass", "hasattr", "callable")  # return Python bools


def is_plain_test(node) -> bool:
    """Whether an expression always gives a Python bool."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not) and is_plain_test(node.operand)
    if isinstance(node, ast.BoolOp):
        return all(map(is_plain_test, node.values))
    if isinstance(node, ast.Compare):
        return all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in _TESTS


def _binds(node) -> bool:
    """Whether it contains a `:=`, which must stay in its own scope."""
    return any(isinstance(part, ast.NamedExpr) for part in inside(node))


class Expressions(ast.NodeTransformer):
    """Converts the expressions of one function; nested functions go to `nested_function`."""

    def __init__(self, nested_function, calls, first_parameter):
        self._nested, self._calls, self._first = nested_function, calls, first_parameter

    def visit_FunctionDef(self, node):
        return self._nested(node)

    def visit_AsyncFunctionDef(self, node):
        return node

    def visit_ClassDef(self, node):
        return node  # its methods are converted when called

    def visit_AnnAssign(self, node):
        """Removes the annotation: a name that a block shares must not have one."""
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        assignment = ast.Assign([node.target], node.value)
        return self.generic_visit(ast.copy_location(assignment, node))

    def visit_Assert(self, node):
        message = _tree.thunk(self.visit(node.msg)) if node.msg else ast.Constant(None)
        if (node.msg and _binds(node.msg)) or is_plain_test(node.test):
            return self.generic_visit(node)
        call = _tree.operator("assert_stmt", self.visit(node.test), message)
        return _tree.at(ast.Expr(call), node)

    def visit_BoolOp(self, node):
        *firsts, last = node.values
        if all(map(is_plain_test, firsts)) or _binds(node):
            return self.generic_visit(node)
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        expression = self.visit(last)
        for operand in reversed(firsts):
            expression = _tree.at(
                _tree.operator(name, self.visit(operand), _tree.thunk(expression)), node
            )
        return expression

    def visit_UnaryOp(self, node):
        node.operand = self.visit(node.operand)
        if not isinstance(node.op, ast.Not) or is_plain_test(node.operand):
            return node
        return _tree.at(_tree.operator("not_", node.operand), node)

    def visit_IfExp(self, node):
        if is_plain_test(node.test) or _binds(node.body) or _binds(node.orelse):
            return self.generic_visit(node)
        text = ast.Constant(ast.unparse(node.test))
        test, body, orelse = map(self.visit, (node.test, node.body, node.orelse))
        branches = _tree.thunk(body), _tree.thunk(orelse)
        return _tree.at(_tree.operator("if_exp", test, *branches, text), node)

    def visit_Compare(self, node):
        if len(node.ops) == 1 or _binds(node) or is_plain_test(node):
            return self.generic_visit(node)
        links = [
            ast.Tuple(
                [ast.Constant(_COMPARISONS[type(op)]), _tree.thunk(self.visit(comparator))],
                ast.Load(),
            )
            for op, comparator in zip(node.ops, node.comparators, strict=True)
        ]
        return _tree.at(_tree.operator("compare", self.visit(node.left), *links), node)

    def visit_Call(self, node):
        if getattr(node.func, "id", "") == "super" and not node.args and self._first:
            node.args = [_tree.load("__class__"), _tree.load(self._first)]
            return ast.fix_missing_locations(node)
        is_plain = self._calls.is_plain(node.func)
        prints = self._calls.prints(node.func)
        self.generic_visit(node)
        if prints:
            node.func = _tree.at(
                ast.Attribute(_tree.load(_tree.OPERATORS), "print_", ast.Load()), node
            )
        elif not is_plain:
            node.func = _tree.at(_tree.operator("converted", node.func), node.func)
        return node
