"""Checks of values: they raise InvalidArgumentError, with the wrong values."""

from __future__ import annotations

import functools

import numpy as np

from penstock import _core, errors, raw_ops
from penstock._api import public
from penstock._autodiff.tape import pause
from penstock._base.nest import flatten
from penstock._context import frames
from penstock._context.scope import default_graph, name_scope
from penstock._context.trace import call_when_run, init_scope


def _when_run(check):
    """Runs the check; for tensors of a function being traced, at run time."""

    @functools.wraps(check)
    def checked(*args, **kwargs):
        if not _core.is_tracing():
            return check(*args, **kwargs)
        if any(isinstance(leaf, _LATER) for leaf in flatten((args, kwargs))):
            run = lambda arguments: check(*arguments[0], **arguments[1])  # noqa: E731
            _add_check(check, run, args, kwargs)
            return frames.done()
        with init_scope():
            return check(*args, **kwargs)

    return checked


def _add_check(check, run, args, kwargs):
    """A check as a node, under the given name or its own."""
    own = check.__name__
    if not _core.is_building() or own.startswith("_"):
        call_when_run(own.removeprefix("_"), run, (args, kwargs))
        return
    place = check.__code__.co_varnames.index("name")
    name = (args[place] if place < len(args) else kwargs.get("name")) or own
    if own != "Assert":  # the check is another one in it, by the same name
        default_graph().unique_name(name)
    with name_scope(name):
        node = "AssertGuard/Identity" if own == "Assert" else "Assert/AssertGuard/Identity"
        call_when_run(own, run, (args, kwargs), node=node)


_LATER = (_core.SymbolicTensor, _core.VariableHandle)


def _tensor(value, dtype=None):
    return _core.to_tensor(value, dtype)


def _invalid(text):
    return errors.InvalidArgumentError(None, None, text)


def _limit(summarize) -> int:
    """The number of elements in a message: 3 by default, all if negative."""
    if summarize is None:
        return 3
    return 10**9 if summarize < 0 else int(summarize)


def _elements(tensor, limit) -> list[str]:
    flat = tensor._read_only_array().ravel()
    more = ["..."] if flat.size > limit else []
    return [*map(str, flat[:limit]), *more]


@public("Assert", "debugging.Assert")
@_when_run
def Assert(condition, data, summarize=None, name=None):
    """Raises with the elements of `data` if the condition does not hold."""
    if condition:
        return
    if not isinstance(data, (list, tuple)):
        raise TypeError("values must be a sequence.")
    texts = [", ".join(_elements(_tensor(value), _limit(summarize))) for value in data]
    raise _invalid(f"Expected '{condition!s}' to be true. Summarized data: " + "\n".join(texts))


def _pairs_text(x, y, holds, limit) -> str:
    """Where two arrays of one shape violate the condition, with the values."""
    places = np.argwhere(~holds)[:limit]
    at = tuple(places.T)
    return (
        f"Indices of first {len(places)} different values:\n{places}\n"
        f"Corresponding x values:\n{x[at]}\nCorresponding y values:\n{y[at]}\n"
    )


def _compare(sign, op, x, y, message, summarize):
    with pause():
        x, y = _tensor(x), _tensor(y)
        holds = getattr(raw_ops, op)(x=x, y=y)
        if raw_ops.All(input=holds):
            return
    limit = _limit(summarize)
    has_pairs = x.ndim and x.shape == y.shape
    x, y = x._read_only_array(), y._read_only_array()
    text = f"{message}\n" if message else ""
    text += f"Condition x {sign} y did not hold.\n"
    if has_pairs:
        text += _pairs_text(x, y, holds._read_only_array(), limit)
    for name, values in ("x", x.ravel()), ("y", y.ravel()):
        text += f"First {min(values.size, limit)} elements of {name}:\n{values[:limit]}\n"
    raise _invalid(text.rstrip("\n"))


@public("assert_equal", "debugging.assert_equal")
@_when_run
def assert_equal(x, y, message=None, summarize=None, name=None):
    """Raises unless x == y everywhere."""
    if x is not y:
        _compare("==", "Equal", x, y, message, summarize)


@public("debugging.assert_none_equal")
@_when_run
def assert_none_equal(x, y, summarize=None, message=None, name=None):
    """Raises unless x != y everywhere."""
    _compare("!=", "NotEqual", x, y, message, summarize)


@public("assert_less", "debugging.assert_less")
@_when_run
def assert_less(x, y, message=None, summarize=None, name=None):
    """Raises unless x < y everywhere."""
    _compare("<", "Less", x, y, message, summarize)


@public("debugging.assert_less_equal")
@_when_run
def assert_less_equal(x, y, message=None, summarize=None, name=None):
    """Raises unless x <= y everywhere."""
    _compare("<=", "LessEqual", x, y, message, summarize)


@public("assert_greater", "debugging.assert_greater")
@_when_run
def assert_greater(x, y, message=None, summarize=None, name=None):
    """Raises unless x > y everywhere."""
    _compare(">", "Greater", x, y, message, summarize)


@public("debugging.assert_greater_equal")
@_when_run
def assert_greater_equal(x, y, message=None, summarize=None, name=None):
    """Raises unless x >= y everywhere."""
    _compare(">=", "GreaterEqual", x, y, message, summarize)


def _values_text(name, tensor, elements) -> str:
    return f"\n{name} (shape={tensor.shape} dtype={tensor.dtype.name}) = \n{elements}"


def _compare_with_zero(sign, op, x, message, summarize):
    with pause():
        x = _tensor(x)
        zero = _tensor(0, x.dtype)
        if raw_ops.All(input=getattr(raw_ops, op)(x=x, y=zero)):
            return
    elements = _elements(x, _limit(summarize))
    raise _invalid(
        (f"{message}.  " if message else "")
        + f"\nCondition x {sign} 0 did not hold element-wise:"
        + _values_text("x", x, elements if x.ndim else elements[0])
    )


@public("debugging.assert_positive")
@_when_run
def assert_positive(x, message=None, summarize=None, name=None):
    """Raises unless x > 0 everywhere."""
    _compare_with_zero(">", "Greater", x, message, summarize)


@public("debugging.assert_negative")
@_when_run
def assert_negative(x, message=None, summarize=None, name=None):
    """Raises unless x < 0 everywhere."""
    _compare_with_zero("<", "Less", x, message, summarize)


@public("debugging.assert_non_negative")
@_when_run
def assert_non_negative(x, message=None, summarize=None, name=None):
    """Raises unless x >= 0 everywhere."""
    _compare_with_zero(">=", "GreaterEqual", x, message, summarize)


@public("debugging.assert_non_positive")
@_when_run
def assert_non_positive(x, message=None, summarize=None, name=None):
    """Raises unless x <= 0 everywhere."""
    _compare_with_zero("<=", "LessEqual", x, message, summarize)


@public("debugging.assert_near")
@_when_run
def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    """Raises unless |x - y| <= atol + rtol · |y| everywhere. Ten rounding errors by default."""
    with pause():
        x = _tensor(x)
        y = _tensor(y, x.dtype)
        real = raw_ops.Real(input=x).dtype if x.dtype.is_complex else x.dtype
        rtol, atol = (
            _tensor(_ten_roundings(x.dtype) if tolerance is None else tolerance, real)
            for tolerance in (rtol, atol)
        )
        difference, size = (
            raw_ops.ComplexAbs(x=value) if x.dtype.is_complex else raw_ops.Abs(x=value)
            for value in (x - y, y)
        )
        if raw_ops.All(input=difference <= atol + rtol * size):
            return
    limit = _limit(summarize)
    raise _invalid(
        (f"{message}.  " if message else "")
        + f"x and y not equal to tolerance rtol = {rtol!s}, atol = {atol!s}"
        + _values_text("x", x, ", ".join(_elements(x, limit)))
        + _values_text("y", y, ", ".join(_elements(y, limit)))
    )


def _ten_roundings(dtype) -> float:
    if dtype.name == "bfloat16":
        return 10 * 2.0**-7
    return 10 * float(np.finfo(dtype.as_numpy_dtype).eps)


@public("debugging.check_numerics", "v1.check_numerics")
def check_numerics(tensor, message, name=None):
    """`tensor`, if all of it is finite; otherwise an error that lists what it contains.

    Args:
      tensor: The tensor.
      message: The beginning of the error's text.
      name: The name of the operation in a graph.

    >>> try:
    ...     tf.debugging.check_numerics([1.0, float("nan")], "x")
    ... except tf.errors.InvalidArgumentError as error:
    ...     print("x" in error.message)
    True
    """
    _check_finite(tensor, message)
    return raw_ops.Identity(input=_tensor(tensor), name=name or "CheckNumerics")


@_when_run
def _check_finite(tensor, message):
    tensor = _tensor(tensor)
    with pause():
        # IsFinite rejects dtypes that are not floating.
        if raw_ops.All(input=raw_ops.IsFinite(x=tensor)):
            return
        kinds = (("Inf", raw_ops.IsInf), ("NaN", raw_ops.IsNan))
        kinds_found = [kind for kind, op in kinds if raw_ops.Any(input=op(x=tensor))]
        kinds = " and ".join(kinds_found)
        raise _invalid(f"{message} : Tensor had {kinds} values [Op:CheckNumerics]")


@public("debugging.assert_all_finite")
def assert_all_finite(x, message, name=None):
    """`x`, if all of it is finite; otherwise an error that lists what it contains."""
    return check_numerics(x, message)
