"""User functions of datasets, traced once: map's, filter's, reduce's."""

from __future__ import annotations

from penstock import _core, autograph, dtypes, errors
from penstock._context.frames import Frame
from penstock._context.trace import Tracing
from penstock._ops.convert import cast
from penstock._tensors.kinds import is_tensor_like
from penstock._tensors.spec import TensorSpec
from penstock.data import _structure


class ElementFunction:
    """A traced function of elements: what the runtime calls, and the spec of its results."""

    def __init__(self, core, element_spec, calls):
        self.core = core
        self.element_spec = element_spec
        self.calls = calls  # kept: the runtime knows Python functions only by where they are


def _arguments(element) -> tuple:
    """A tuple is several arguments."""
    return element if type(element) is tuple else (element,)


def _as_result(value):
    """What a function returns: a list is a tuple, as TensorFlow has it."""
    if isinstance(value, list):
        value = tuple(value)
    try:
        return _structure.as_element(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"Unsupported return value from function passed to Dataset.map(): {value}."
        ) from None


class Inputs:
    """The symbolic arguments of a trace, made from specs."""

    def __init__(self, trace):
        self._trace = trace

    def element(self, element_spec):
        return _structure.map_leaves(self._component, element_spec)

    def _component(self, spec):
        if isinstance(spec, TensorSpec):
            return self._trace.input(spec.dtype, spec.shape._dims)
        if isinstance(spec, _structure.DatasetSpec):
            Dataset = _structure.dataset_class()
            handle = self._trace.input(dtypes.int64, ())
            core = _core.dataset_of(handle, _structure.core_spec(spec.element_spec))
            return Dataset._of(core, spec.element_spec)
        return None


def trace(function, *element_specs, name=None, check=None) -> ElementFunction:
    """The function traced for elements of these specs. One tuple is several arguments; of several
    elements each is one argument. `check(result)` may refuse what it returns, or change it."""
    if not callable(function):
        raise ValueError(
            f"Argument `func` must be a callable. Received func={function!r} (of type "
            f"{type(function)})"
        )
    # Before the trace: they read the context around it.
    tracing, frame = Tracing(False), Frame()
    core_trace = _core.Trace(name or getattr(function, "__name__", "function").strip("<>"))
    try:
        with tracing, frame:
            inputs = Inputs(core_trace)
            elements = [inputs.element(spec) for spec in element_specs]
            if len(elements) == 1:
                elements = _arguments(elements[0])
            result = _as_result(autograph._traced(function)(*elements))
            if check is not None:
                result = check(result)
            spec = _structure.map_leaves(_structure.spec_of, result)
            core = core_trace.finish_for_dataset(_structure.components_of(result))
    finally:
        core_trace.close()
    return ElementFunction(core, _structure.with_core(spec, core.spec()), tracing.calls)


def check_predicate(function, what):
    """Raises unless the function gives one bool."""
    spec = function.element_spec
    is_one = isinstance(spec, TensorSpec) and spec.is_compatible_with(TensorSpec([], dtypes.bool))
    if not is_one:
        raise ValueError(
            f"Invalid `{what}`. `{what}` must return a `tf.bool` scalar tensor, but its return "
            f"type is {spec}."
        )


def trace_to_dataset(function, *element_specs, what="map_func", **options) -> ElementFunction:
    """The trace of a function that returns a dataset. Its spec is that of the elements."""

    def check(result):
        if not _structure.is_dataset(result):
            raise TypeError(
                f"The `{what}` argument must return a `Dataset` object. Got {type(result)}."
            )
        return result

    traced = trace(function, *element_specs, check=check, **options)
    return ElementFunction(traced.core, traced.element_spec.element_spec, traced.calls)


def trace_with_state(function, state, element_spec, state_of, who):
    """The trace of a function of a state and an element, and the state's spec: its shapes are as
    open as the function needs. `state_of(spec)` is the state's part of the result's spec."""
    state_spec = _structure.map_leaves(_structure.spec_of, state)
    while True:
        traced = trace(function, state_spec, element_spec)
        new_spec = state_of(traced.element_spec)
        _check_state(state_spec, new_spec, who)
        wider = _structure.common(state_spec, new_spec)
        if wider == state_spec:
            return traced, state_spec
        state_spec = wider


def _check_state(state_spec, new_spec, who):
    old, new = _structure.flatten(state_spec), _structure.flatten(new_spec)
    if len(old) != len(new):
        raise errors.InvalidArgumentError(
            None,
            None,
            "The number of components of the initial state and the reduce function output does "
            f"not match. (initial_state={len(old)}, output={len(new)}).",
        )
    if not _structure.same_structure(state_spec, new_spec):
        raise TypeError(
            f"{who}The structure of the new state must match the initial state. Expected "
            f"{state_spec}, got {new_spec}."
        )
    for before, after in zip(old, new, strict=True):
        if type(before) is not type(after):
            raise TypeError(
                f"{who}The element classes for the new state must match the initial state. "
                f"Expected {type(before)}, got {type(after)}."
            )
        if isinstance(before, TensorSpec) and before.dtype != after.dtype:
            raise TypeError(
                f"{who}The element types for the new state must match the initial state. Expected "
                f"{before.dtype!r}, got {after.dtype!r}."
            )


def as_int64(value):
    """A number that a function returned; a float is refused."""
    if is_tensor_like(value) and value.dtype != dtypes.int64:
        if not value.dtype.is_integer:
            raise TypeError(f"Expected int64, but got {value} of type {value.dtype.name!r}.")
        return cast(value, dtypes.int64)
    return _core.to_tensor(value, dtypes.int64)
