"""The operators that converted code calls in place of statements and expressions: `ag__`.

Every operator decides at run time. Python values behave as in Python; tensors of a function being
traced become control flow of its graph. Eager tensors behave as in Python while a function is
traced; in code from tf.autograph.to_graph they use eager control flow, with TensorFlow's checks.
"""

from __future__ import annotations

from penstock.autograph._operators import (
    builtin,
    calls,
    conditions,
    for_loops,
    lists,
    logic,
    while_loops,
)
from penstock.autograph._operators.state import NO_RETURN, is_undefined, result


class Operators:
    """The operators for a set of optional features; one object per set."""

    NO_RETURN = NO_RETURN
    and_ = staticmethod(logic.and_)
    compare = staticmethod(logic.compare)
    for_stmt = staticmethod(for_loops.for_stmt)
    if_exp = staticmethod(conditions.if_exp)
    if_stmt = staticmethod(conditions.if_stmt)
    is_undefined = staticmethod(is_undefined)
    list_append = staticmethod(lists.list_append)
    loop_options = staticmethod(while_loops.loop_options)
    new_list = staticmethod(lists.new_list)
    not_ = staticmethod(logic.not_)
    or_ = staticmethod(logic.or_)
    overloads = builtin.OVERLOADS
    print_ = staticmethod(builtin.print_)
    result = staticmethod(result)
    while_stmt = staticmethod(while_loops.while_stmt)

    def __init__(self, features=frozenset()):
        self.features = features
        self.prints = bool(features & {"ALL", "BUILTIN_FUNCTIONS"})
        self.lists = bool(features & {"ALL", "LISTS"})
        self._asserts = bool(features & {"ALL", "ASSERT_STATEMENTS"})

    def converted(self, callee):
        """The function called in place of `callee`."""
        return calls.converted(callee, self)

    def rows_of(self, callee):
        """The function called in place of `callee` for the rows of a loop."""
        return for_loops.lazy(callee) or calls.converted(callee, self)

    def assert_stmt(self, test, message):
        """`assert test, message()`"""
        builtin.assert_stmt(test, message, self._asserts)


_made = {}


def operators(features=frozenset()) -> Operators:
    if features not in _made:
        _made[features] = Operators(features)
    return _made[features]
