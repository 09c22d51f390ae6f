"""`while` statements, and the parts shared by all loops over tensors."""

from __future__ import annotations

from penstock import _core
from penstock._base.nest import flatten, pack_like
from penstock._control_flow import symbolic
from penstock._control_flow.tensor_array import TensorArray
from penstock._ops.create import zeros
from penstock._tensors.shape import TensorShape
from penstock._tensors.spec import TensorSpec
from penstock.autograph._operators import state
from penstock.autograph._operators.lists import in_loop
from penstock.autograph._operators.logic import and_
from penstock.autograph._operators.state import NO_RETURN, Undefined
from penstock.nest import assert_same_structure


def loop_options(
    parallel_iterations=10,
    swap_memory=False,
    maximum_iterations=None,
    shape_invariants=None,
    checkpoints=None,
):
    """The arguments of a loop's set_loop_options."""
    return {
        "parallel_iterations": parallel_iterations,
        "swap_memory": swap_memory,
        "checkpoints": checkpoints,
        "maximum_iterations": maximum_iterations,
        "shape_invariants": shape_invariants,
    }


def while_stmt(test, body, get, put, names, options):
    """Runs `body()` while `test()` holds; `names` are the loop variables."""
    goes_on = test()
    while not state.is_tensor(goes_on):
        if not goes_on:
            return
        body()
        goes_on = test()
    state.check_condition(goes_on, "while loop")
    loop = Loop(get, put, names, options)
    if _core.is_tracing():
        loop.in_graph(lambda: _checked(test()), lambda unused: body())
        return
    while goes_on and loop.may_go_on():
        loop.step(body)
        goes_on = _checked(test())


def _checked(value):
    if state.is_tensor(value):
        state.check_condition(value, "while loop")
    return value


class Loop:
    """The state of a loop over tensors, and its shape bounds."""

    def __init__(self, get, put, names, options):
        self._get, self._put, self._names = get, put, names
        self._options = {} if options is None else options()
        self._limit = self._options.pop("maximum_iterations", None)
        self._count = 0
        self._start = state.read(get, names)
        self._invariants = self._find_invariants()

    def _find_invariants(self) -> dict:
        """By variable name: the shapes that set_loop_options gives."""
        invariants = {}
        for value, shape in self._options.pop("shape_invariants", None) or ():
            for name, own in zip(self._names, self._start, strict=True):
                if own is value:
                    invariants[name] = TensorShape(getattr(shape, "shape", shape))
        return invariants

    def may_go_on(self) -> bool:
        return self._limit is None or self._count < self._limit

    def step(self, body, *item):
        """One eager iteration of a loop."""
        body(*item)
        self._count += 1
        values = state.read(self._get, self._names)
        for name, before, after in zip(self._names, self._start, values, strict=True):
            self._check(name, before, after)
        self._start = values  # earlier values are not kept

    def _check(self, name, before, after):
        """Raises if an iteration changes the kind of a variable."""
        if before is None or isinstance(before, Undefined):
            return
        if isinstance(after, Undefined):
            raise ValueError(f"'{name}' must also be initialized at the end of the loop's body")
        if after is None:
            raise ValueError(f"'{name}' is None at the end of the iteration.")
        try:
            assert_same_structure(before, after)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"'{name}' does not have the same nested structure after one iteration.\n\n{error}"
            ) from None
        for one, other in zip(flatten(before), flatten(after), strict=True):
            self._check_leaf(name, state.as_leaf(one), state.as_leaf(other))

    def _check_leaf(self, name, one, other):
        if not isinstance(one, _core.Tensor) or not isinstance(other, _core.Tensor):
            return
        if one.dtype != other.dtype:
            raise TypeError(
                f"'{name}' has dtype {one.dtype.name} before the loop, but dtype "
                f"{other.dtype.name} after one iteration"
            )
        bound = self._invariants.get(name)
        if bound is not None and not bound.is_compatible_with(other.shape):
            raise ValueError(
                f"'{name}' has shape {other.shape} after one iteration, which does not conform "
                f"with the shape invariant {bound}."
            )
        if bound is None and not other.shape.is_subtype_of(one.shape):
            raise ValueError(
                f"'{name}' has shape {one.shape} before the loop, but shape {other.shape} after "
                "one iteration. Use tf.autograph.experimental.set_loop_options to set shape "
                "invariants."
            )

    def in_graph(self, test, body, count=None):
        """The loop as a part of a graph. `body` takes the number of the iteration where a `count`
        of them is given, and None where `test()` alone decides."""
        self._start = [in_loop(value) for value in self._start]
        self._define(body, count)
        form = [_as_leaves(value) for value in self._start]
        goes_through = [symbolic.can_go_through(leaf) for leaf in flatten(form)]
        start = [leaf for leaf in flatten(form) if symbolic.can_go_through(leaf)]
        numbers = [] if count is None else [_core.to_tensor(0, count.dtype)]

        def enter(flat):
            flat = iter(flat)
            leaves = [
                next(flat) if is_one else leaf
                for leaf, is_one in zip(flatten(form), goes_through, strict=True)
            ]
            values = pack_like(form, leaves)
            if self._put is not None:
                self._put(values)
            return values

        def goes_on(*flat):
            enter(flat[len(numbers) :])
            if count is None:
                return test()
            return flat[0] < count if test is None else and_(flat[0] < count, test)

        def step(*flat):
            before = enter(flat[len(numbers) :])
            body(flat[0] if numbers else None)
            after = state.read(self._get, self._names)
            for name, one, other in zip(self._names, before, after, strict=True):
                self._check(name, one, other)
            leaves = [_same(name, a, b) for name, a, b in self._pairs(before, after)]
            tensors = [leaf for leaf in leaves if symbolic.can_go_through(leaf)]
            return [*(number + 1 for number in flat[: len(numbers)]), *tensors]

        bounds = [None] * len(numbers) + [
            self._invariants.get(name)
            for name, value in zip(self._names, form, strict=True)
            for leaf in flatten(value)
            if symbolic.can_go_through(leaf)
        ]
        final = symbolic.while_loop(
            goes_on, step, [*numbers, *start], shape_invariants=bounds,
            maximum_iterations=self._limit, **self._options,
        )  # fmt: skip
        enter(final[len(numbers) :])

    def _pairs(self, before, after):
        for name, one, other in zip(self._names, before, after, strict=True):
            for a, b in zip(flatten(one), flatten(other), strict=True):
                yield name, a, state.as_leaf(b) if isinstance(a, _core.Tensor) else b

    def _define(self, body, count):
        """Values for variables without one before the loop: zeros like those its body makes."""
        missing = [i for i, value in enumerate(self._start) if _is_blank(value)]
        if not missing:
            return
        for i in missing:
            if self._start[i] is NO_RETURN:
                raise NotImplementedError(
                    "a return statement cannot be placed inside this TensorFlow loop; this may "
                    "happen if a return statement depends on a static Python condition such as a "
                    "hyperparameter"
                )

        def once():
            body(None if count is None else _core.to_tensor(0, count.dtype))
            values = state.read(self._get, self._names)
            for i in missing:
                if _is_blank(values[i]):
                    raise ValueError(f"'{self._names[i]}' must be defined before the loop")
                if any(isinstance(leaf, TensorArray) for leaf in flatten(values[i])):
                    raise ValueError(
                        f"'{self._names[i]}' must be defined before the loop: it is a TensorArray"
                    )
            packed = pack_like(values, [state.as_leaf(leaf) for leaf in flatten(values)])
            return [packed[i] for i in missing]

        for i, spec in zip(missing, symbolic.specs_of(once), strict=True):
            self._start[i] = pack_like(spec, [_blank_like(leaf) for leaf in flatten(spec)])
        if self._put is not None:
            self._put(self._start)


def _blank_like(spec):
    if not isinstance(spec, TensorSpec):
        return spec
    return zeros([size or 0 for size in spec.shape], spec.dtype)


def _is_blank(value) -> bool:
    return value is None or isinstance(value, Undefined)


def _as_leaves(value):
    return pack_like(value, [state.as_leaf(leaf) for leaf in flatten(value)])


def _same(name, before, after):
    """A leaf of the state: a tensor, or an object that must not change."""
    if isinstance(before, _core.Tensor) or before is after:
        return after
    if isinstance(before, TensorArray) and isinstance(after, TensorArray):
        return after
    raise TypeError(
        f"'{name}' is of type {type(before).__name__}, and changes: only tensors may change in a "
        "loop that a tensor ends."
    )
