"""Lists that loops in graphs append to (Feature.LISTS): converts `x = []` and `x.append(…)` to
operator calls."""

from __future__ import annotations

import ast

from penstock.autograph import _tree


class Lists(ast.NodeTransformer):
    """Converts the lists of a function, for its own names only."""

    def visit_Assign(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.List) and isinstance(node.targets[0], ast.Name):
            node.value = _tree.at(_tree.operator("new_list", node.value), node.value)
        return node

    def visit_Expr(self, node):
        self.generic_visit(node)
        call = node.value
        if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
            return node
        method = call.func
        if not isinstance(method, ast.Attribute) or method.attr != "append":
            return node
        if not isinstance(method.value, ast.Name):
            return node
        name = method.value.id
        call_of_append = _tree.operator("list_append", _tree.load(name), call.args[0])
        return _tree.at(ast.Assign([_tree.store(name)], call_of_append), node)
