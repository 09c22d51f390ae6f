"""Function calls in converted code."""

from __future__ import annotations

import functools
import types

from penstock.autograph._calls import TAKES_FUNCTIONS, is_left_alone
from penstock.autograph._conversion import MARK, converted_function
from penstock.autograph._operators.builtin import OVERLOADS


def converted(callee, operators):
    """The callee with its control flow converted, or unchanged."""
    kind = type(callee)
    if kind is types.FunctionType:
        if callee.__name__ in TAKES_FUNCTIONS and is_left_alone(callee.__module__):
            return functools.partial(_call_with_functions, callee, operators)
        return converted_function(callee, operators)
    if kind is types.BuiltinFunctionType or kind is type:
        return OVERLOADS.get(callee, callee)
    if kind is types.MethodType:
        return _method(callee, operators)
    if kind is functools.partial:
        inner = converted(callee.func, operators)
        return functools.partial(inner, *callee.args, **callee.keywords)
    call = next((vars(base)["__call__"] for base in kind.__mro__ if "__call__" in vars(base)), None)
    if isinstance(call, types.FunctionType) and not is_left_alone(kind.__module__):
        function = converted_function(call, operators)
        return callee if function is call else types.MethodType(function, callee)
    return callee


def _method(callee, operators):
    function = callee.__func__
    if not isinstance(function, types.FunctionType):
        return callee
    new_function = converted_function(function, operators)
    return callee if new_function is function else types.MethodType(new_function, callee.__self__)


def _call_with_functions(callee, operators, *args, **kwargs):
    """Calls a function that takes functions, with those converted."""
    args = [_within(argument, operators) for argument in args]
    return callee(
        *args, **{name: _within(argument, operators) for name, argument in kwargs.items()}
    )


def _within(value, operators):
    if isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
        return converted(value, operators)
    if type(value) in (list, tuple):
        return type(value)(_within(element, operators) for element in value)
    return value


def convert(function, operators):
    """The function that tf.function traces."""
    if getattr(function, MARK, False):
        return function
    return converted(function, operators)
