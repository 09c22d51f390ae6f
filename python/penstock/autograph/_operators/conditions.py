"""`if` statements and conditional expressions."""

from __future__ import annotations

from penstock import _core
from penstock._base.nest import flatten, pack_like
from penstock._control_flow import symbolic
from penstock._control_flow.conditionals import cond
from penstock._control_flow.tensor_array import TensorArray
from penstock.autograph._operators import state
from penstock.autograph._operators.state import NO_RETURN, Undefined
from penstock.nest import assert_same_structure


def if_stmt(test, body, orelse, get, put, names, count):
    """Runs `body` or `orelse`. The first `count` of the variables `names` are needed afterwards;
    the blocks may find the others changed, and must not."""
    if state.is_tensor(test):
        state.check_condition(test, "if statement")
        if symbolic.is_symbolic(test):
            _in_graph(test, body, orelse, get, put, names, count)
            return
        if not _core.is_tracing():
            cond(
                test,
                lambda: _run(body, "main", get, names, count),
                lambda: _run(orelse, "else", get, names, count),
            )
            return
    if test:
        body()
    elif orelse is not None:
        orelse()


def _run(block, label, get, names, count):
    """Runs a block eagerly. It need not return where another one does."""
    if block is not None:
        block()
    for name, value in zip(names[:count], state.read(get, names), strict=False):
        if state.is_undefined(value):
            raise _missing(name, value, label)


def _in_graph(test, body, orelse, get, put, names, count):
    start, merged = state.read(get, names), Merged(names[:count])

    def branch(label, block):
        def run():
            if put is not None:
                put(start)
            if block is not None:
                block()
            return merged.add(label, state.read(get, names)[:count])

        return run

    pred = _core.to_tensor(test)
    tensors = symbolic.cond(pred, branch("main", body), branch("else", orelse))
    if put is not None:
        put([*merged.pack(tensors), *start[count:]])


def if_exp(test, body, orelse, text):
    """`body() if test else orelse()`; `text` is the condition, for messages."""
    if symbolic.is_symbolic(test):
        merged = Merged([text])
        tensors = symbolic.cond(
            _core.to_tensor(test),
            lambda: merged.add("main", [body()]),
            lambda: merged.add("else", [orelse()]),
        )
        return merged.pack(tensors)[0]
    return body() if test else orelse()


def _missing(name, value, label):
    if value is NO_RETURN:
        return ValueError(f"the {label} branch must also have a return statement.")
    return ValueError(f"'{name}' must also be initialized in the {label} branch")


class Merged:
    """The variables after two branches, with the same structure and dtypes."""

    def __init__(self, names):
        self._names, self._first = names, None

    def add(self, label, values) -> list:
        """The tensors of a branch; raises if the second does not match the first."""
        tensors = [_tensors(value) for value in values]
        if label == "main":
            self._first = tensors
        else:
            for name, one, other in zip(self._names, self._first, tensors, strict=True):
                _compare(name, one, other)
        return [leaf for leaf in flatten(tensors) if symbolic.can_go_through(leaf)]

    def pack(self, tensors) -> list:
        tensors = iter(tensors)
        leaves = flatten(self._first)
        return pack_like(
            self._first, [next(tensors) if symbolic.can_go_through(x) else x for x in leaves]
        )


def _tensors(value):
    """The value with its leaves converted to tensors where possible."""
    if value is None or isinstance(value, Undefined):
        return value
    return pack_like(value, [state.as_leaf(leaf) for leaf in flatten(value)])


def _are_arrays(one, other) -> bool:
    return isinstance(one, TensorArray) and isinstance(other, TensorArray)


def _compare(name, one, other):
    for value, label in ((one, "main"), (other, "else")):
        if isinstance(value, Undefined) and not (
            isinstance(one, Undefined) and isinstance(other, Undefined)
        ):
            raise _missing(name, value, label)
        if value is None and not (one is None and other is None):
            raise ValueError(f"'{name}' is None at the end of the {label} branch.")
    try:
        assert_same_structure(one, other)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"'{name}' must have the same nested structure in the main and else branches:\n\n"
            f"{error}"
        ) from None
    for a, b in zip(flatten(one), flatten(other), strict=True):
        if isinstance(a, _core.Tensor) and isinstance(b, _core.Tensor):
            if a.dtype != b.dtype:
                raise TypeError(
                    f"'{name}' has dtype {a.dtype.name} in the main branch, but dtype "
                    f"{b.dtype.name} in the else branch"
                )
        elif a is not b and not isinstance(a, Undefined) and not _are_arrays(a, b):
            raise TypeError(
                f"'{name}' is of type {type(a).__name__} in the main branch and of type "
                f"{type(b).__name__} in the else branch: only tensors may differ in branches that "
                "a tensor picks."
            )
