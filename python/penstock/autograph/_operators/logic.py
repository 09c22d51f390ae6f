"""`and`, `or`, `not` and chained comparisons."""

from __future__ import annotations

import operator

from penstock import _core, raw_ops
from penstock._control_flow import symbolic
from penstock._control_flow.conditionals import cond
from penstock.autograph._operators.state import is_tensor

_COMPARE = {
    **{name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge", "is_")},
    "is_not": operator.is_not,
    "in_": lambda a, b: a in b,
    "not_in": lambda a, b: a not in b,
}


def and_(first, second):
    """`first and second()`"""
    if symbolic.is_symbolic(first):
        return cond(first, second, lambda: first)
    return first and second()


def or_(first, second):
    """`first or second()`"""
    if symbolic.is_symbolic(first):
        return cond(first, lambda: first, second)
    return first or second()


def not_(value):
    """`not value`"""
    if symbolic.is_symbolic(value) or (is_tensor(value) and not _core.is_tracing()):
        if value.dtype.name != "bool" and symbolic.is_symbolic(value):
            raise TypeError(
                f"Input 'x' of 'LogicalNot' Op has type {value.dtype.name} that does not match "
                "expected type of bool."
            )
        return raw_ops.LogicalNot(x=value)
    return not value


def compare(left, *links):
    """`left op a op b …`; each link is an operator's name and a function of its right side."""
    (name, right), *rest = links
    right = right()
    result = _COMPARE[name](left, right)
    return and_(result, lambda: compare(right, *rest)) if rest else result
