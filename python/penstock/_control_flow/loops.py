"""tf.while_loop: a loop over a structure of tensors that keeps only the current one."""

from __future__ import annotations

import operator

import numpy as np

from penstock import _core, dtypes, errors
from penstock._api import public
from penstock._base.nest import flatten, pack_like
from penstock._context.scope import graph_scope
from penstock._control_flow import symbolic
from penstock._control_flow.naming import node_named, results_as_nodes
from penstock._control_flow.tensor_array import TensorArray
from penstock._tensors.shape import TensorShape
from penstock._tensors.spec import TensorSpec
from penstock.nest import assert_same_structure


@public("while_loop")
def while_loop(
    cond,
    body,
    loop_vars,
    shape_invariants=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    maximum_iterations=None,
    name=None,
    checkpoints=None,
):
    """The variables after `loop_vars = body(*loop_vars)` while `cond(*loop_vars)` holds.

    In eager programs the shapes may change from one iteration to the next; with `shape_invariants`
    they must stay within these, and inside a function within what they are before the loop.

    The gradient of a loop in a function keeps `checkpoints` states of earlier iterations, about the
    square root of their number unless it is told otherwise, and works out the others again. With
    `swap_memory` it keeps them in a file. `back_prop=False`: there is no gradient.

    Args:
      cond: A function of the loop variables that returns a boolean.
      body: A function of the loop variables that returns their next values.
      loop_vars: The first values: a nest of tensors.
      shape_invariants: Shapes that the loop variables always have, where they change.
      parallel_iterations: Taken as in TensorFlow, and not used.
      back_prop: False for a loop that has no gradient.
      swap_memory: True to keep the states of the gradient in a file.
      maximum_iterations: The largest number of steps; None is no limit.
      name: The name of the operation in a graph.
      checkpoints: How many states the gradient keeps; None is chosen from the number of
        steps and the budget.

    >>> tf.while_loop(lambda i, total: i < 5, lambda i, total: (i + 1, total + i), (0, 0))
    (<tf.Tensor: shape=(), dtype=int32, numpy=5>, <tf.Tensor: shape=(), dtype=int32, numpy=10>)
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if not isinstance(loop_vars, (list, tuple, dict)) or not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    limit = _checked_limit(maximum_iterations)
    loop = _Loop(body, loop_vars, shape_invariants)
    del loop_vars  # the loop holds them until it starts
    if _core.is_tracing():
        with graph_scope(name or "while") as scope:
            with node_named("while", scope):
                final = symbolic.while_loop(
                    lambda *flat: _condition(cond(*loop.pack(flat))),
                    lambda *flat: loop.step(flat, may_change=False),
                    loop.start(),
                    shape_invariants=loop.invariants,
                    maximum_iterations=limit,
                    parallel_iterations=parallel_iterations,
                    back_prop=back_prop,
                    swap_memory=swap_memory,
                    checkpoints=_checked_checkpoints(checkpoints),
                )
            # The first two results of TensorFlow's loops are the step count and its limit.
            return results_as_nodes(loop.pack(final), "Exit", first=2)
    return _run(cond, loop, limit)


def _run(cond, loop, limit):
    state, count = loop.start(), 0
    while (limit is None or count < limit) and _is_true(cond(*loop.pack(state))):
        state = loop.step(state, may_change=True)
        count += 1
    return loop.pack_result(state)


def _checked_checkpoints(checkpoints):
    if checkpoints is not None and operator.index(checkpoints) < 1:
        raise ValueError(f"'checkpoints' must be at least 1. Received: {checkpoints}")
    return checkpoints


def _checked_limit(maximum_iterations):
    if maximum_iterations is None:
        return None
    if _core.is_tracing():
        is_tensor = isinstance(maximum_iterations, (_core.Tensor, _core.VariableHandle))
        limit = _core.to_tensor(maximum_iterations, None if is_tensor else dtypes.int32)
    else:
        limit = _core.to_tensor(maximum_iterations)
    if limit.shape.rank != 0 and _core.is_tracing():
        raise errors.InvalidArgumentError(
            None, None, f"The second input must be a scalar, but it has shape {limit.shape}"
        )
    if limit.shape.rank != 0:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    return limit if symbolic.is_symbolic(limit) else int(limit)


def _condition(value):
    """The result of a condition inside a function."""
    if value is None:
        raise AssertionError("cond_graph has 0 outputs; Expected: 1")
    return symbolic.condition(value, "input")


def _goes_on(value):
    if isinstance(value, _core.Tensor):
        return value
    is_plain = isinstance(value, (int, type(None)))
    return _core.to_tensor(bool(value) if is_plain else value, dtypes.bool)


def _is_true(value) -> bool:
    return bool(value if isinstance(value, bool) else _goes_on(value))


_NUMBERS = (bool, int, float, complex, str, bytes, np.generic, np.ndarray)


def _as_state(leaf):
    """A leaf of the state: a tensor, or a TensorArray as it is. Outside of functions the body sees
    numbers and arrays as they are, and what is left of them becomes tensors at the end."""
    if isinstance(leaf, TensorArray) or (isinstance(leaf, _NUMBERS) and not _core.is_tracing()):
        return leaf
    return _core.to_tensor(leaf)


def _as_result(leaf):
    return leaf if isinstance(leaf, TensorArray) else _core.to_tensor(leaf)


class _Place:
    """Represents a variable in messages about structures."""

    def __repr__(self):
        return "."


class _Loop:
    """The body of a loop, and the structure and the bounds of its state."""

    def __init__(self, body, loop_vars, shape_invariants):
        self._body = body
        self._start = [_as_state(leaf) for leaf in flatten(loop_vars)]
        self._form = self._last = pack_like(loop_vars, [_Place()] * len(self._start))
        self._names = [_name(leaf, i) for i, leaf in enumerate(self._start)]
        self.invariants = None
        if shape_invariants is not None:
            self._set_invariants(shape_invariants)

    def _set_invariants(self, invariants):
        assert_same_structure(self._form, invariants, check_types=False)
        pairs = zip(flatten(invariants), self._start, strict=True)
        self.invariants = [_shape_of(invariant, leaf) for invariant, leaf in pairs]
        for leaf, shape, name in zip(self._start, self.invariants, self._names, strict=True):
            if isinstance(leaf, _core.Tensor) and not shape.is_compatible_with(leaf.shape):
                raise ValueError(
                    f"The shape invariant specified for {name} is not compatible with the initial "
                    f"shape of the loop variable. It enters the loop with shape {leaf.shape}, but "
                    f"the specified shape invariant is {shape}."
                )

    def start(self) -> list:
        """The state before the loop; it is not kept here."""
        start, self._start = self._start, None
        self._specs = [
            TensorSpec.from_tensor(leaf) if isinstance(leaf, _core.Tensor) else None
            for leaf in start
        ]
        return start

    def pack(self, flat):
        return pack_like(self._form, flat)

    def pack_result(self, flat):
        """The state in the form that the body last returned: a list if it returns lists."""
        return pack_like(self._last, list(map(_as_result, flat)))

    def step(self, state, may_change) -> list:
        """The state after one iteration."""
        result = self._body(*self.pack(state))
        if not isinstance(result, (list, tuple)) or self._is_bare_result(result):
            result = self._as_only_variable(result)
        assert_same_structure(self._form, result, check_types=False)
        new_state = [_as_state(leaf) for leaf in flatten(result)]
        self._check(new_state, may_change)
        self._last = pack_like(result, [_Place()] * len(new_state))
        return new_state

    def _as_only_variable(self, result):
        if _core.is_tracing():
            if result is None:
                raise AssertionError("body_graph gives nothing for the variables of the loop")
            return [result]
        if result is None or len(self._form) != 1:
            raise TypeError(
                f"The body of a loop over {len(self._form)} variables returned "
                f"{type(result).__name__}, not a list of them."
            )
        return type(self._form)([result])

    def _is_bare_result(self, result) -> bool:
        """Whether it is the only variable itself, a structure, rather than a list with it."""
        if len(self._form) != 1 or not isinstance(self._form[0], (list, tuple)):
            return False
        try:
            assert_same_structure(self._form[0], result, check_types=False)
        except (TypeError, ValueError):
            return False
        return True

    def _check(self, state, may_change):
        for i, (leaf, spec, name) in enumerate(zip(state, self._specs, self._names, strict=True)):
            if spec is None or not isinstance(leaf, _core.Tensor):
                continue
            if not may_change:
                check_dtype(name, spec, leaf)
            bound = self.invariants[i] if self.invariants else None if may_change else spec.shape
            if bound is not None and not bound.is_compatible_with(leaf.shape):
                raise ValueError(
                    f"Input tensor `{name}` enters the loop with shape {bound}, but has shape "
                    f"{leaf.shape} after one iteration. To allow the shape to vary across "
                    "iterations, use the `shape_invariants` argument of tf.while_loop to specify "
                    "a less-specific shape."
                )


def check_dtype(name, before, after):
    """Raises if a variable inside a function changes its dtype."""
    if before.dtype != after.dtype:
        raise TypeError(
            f"Loop var {name} enters the loop with type {before.dtype} but has type {after.dtype} "
            f"after 1 iteration. {name} type should remain constant."
        )


def _name(leaf, number) -> str:
    is_named = isinstance(leaf, _core.SymbolicTensor)
    return leaf.name if is_named else f"loop_vars[{number}]"


def _shape_of(invariant, leaf):
    if isinstance(invariant, TensorSpec):
        if isinstance(leaf, _core.Tensor) and invariant.dtype != leaf.dtype:
            raise TypeError(f"TypeSpec {invariant} is not compatible with {leaf!r}")
        return invariant.shape
    if invariant is not None and not isinstance(invariant, TensorShape):
        raise TypeError(
            f"'shape' must be one of TypeSpec, TensorShape or None. Received: {type(invariant)}"
        )
    return TensorShape(invariant)
