"""Control flow inside a function being traced: the only place that creates its nodes.

Callers handle structures, dtypes and shapes. Here everything is flat: a branch, or the body of a
loop, is a function that returns a list of tensors and TensorArrays. Each function is called once,
the branches in order. It sets the Python variables that it works on, and raises if its results do
not fit the previous ones. All are called again if the first calls revealed what an array holds.
"""

from __future__ import annotations

import contextlib
import itertools

from penstock import _core, dtypes, errors, raw_ops
from penstock._base.nest import flatten, pack_like
from penstock._context import frames
from penstock._context import trace as _tracing
from penstock._context.frames import Frame
from penstock._control_flow.tensor_array import TensorArray
from penstock._ops.convert import cast
from penstock._tensors.spec import TensorSpec


def is_symbolic(value) -> bool:
    """Whether the value is known only at run time."""
    if isinstance(value, _core.VariableHandle):
        return _core.is_tracing()
    return isinstance(value, _core.SymbolicTensor)


def condition(value, name):
    """A deciding value as a scalar bool; `name` names it in messages."""
    value = _core.to_tensor(value)
    if value.dtype.name != "bool":
        raise errors.InvalidArgumentError(
            None, None, f"Input '{name}' passed {value.dtype.name} expected bool"
        )
    if value.shape.rank == 0:
        return value
    if value.shape.num_elements() not in (1, None):
        raise errors.InvalidArgumentError(
            None, None, f"The second input must be a scalar, but it has shape {value.shape}"
        )
    return raw_ops.Reshape(tensor=value, shape=[])


def can_go_through(leaf) -> bool:
    """Whether branches and loops can return it."""
    return isinstance(leaf, (_core.Tensor, TensorArray))


def _inputs(trace, specs) -> list:
    dims = [None if spec.shape.rank is None else spec.shape.as_list() for spec in specs]
    return [trace.input(spec.dtype, dim) for spec, dim in zip(specs, dims, strict=True)]


def _region(name, function, specs=()):
    """The function as a region of the one being traced: it takes the region's frame, and tensors
    like `specs`."""
    frame, seeds = Frame(), _tracing.Region()  # before the trace, whose context they read
    trace = _core.Trace(name, is_region=True)
    try:
        with frame, seeds, _noted_custom_gradients() as noted:
            region = trace.finish(list(function(frame, *_inputs(trace, specs))))
        if noted:
            region.note_custom_gradients()
        return region
    except errors.InvalidArgumentError as error:
        if type(error) is not errors.InvalidArgumentError:
            raise
        raise _tracing.of_program(error).with_traceback(error.__traceback__) from None
    finally:
        trace.close()


@contextlib.contextmanager
def _noted_custom_gradients():
    """A list that is non-empty once a custom gradient was met: regions do not support them."""
    tracing, noted = _tracing.notes(), []
    if tracing is None:
        yield noted
        return
    before, tracing.has_custom_gradient = tracing.has_custom_gradient, False
    tracing.num_regions += 1
    try:
        yield noted
    finally:
        tracing.num_regions -= 1
        if tracing.has_custom_gradient:
            noted.append(True)
        tracing.has_custom_gradient = before or tracing.has_custom_gradient


class _Leaves:
    """Tensors and arrays as tensors alone: an array is its rows, and no tensor while it is
    blank."""

    def __init__(self, leaves):
        self.leaves = [x._in_graph() if isinstance(x, TensorArray) else x for x in leaves]
        self.blanks = [isinstance(x, TensorArray) and x.is_blank() for x in self.leaves]

    def tensors(self) -> list:
        inner = []
        for leaf, is_blank in zip(self.leaves, self.blanks, strict=True):
            if not is_blank:
                inner += leaf.tensors() if isinstance(leaf, TensorArray) else [leaf]
        return inner

    def pack(self, tensors) -> list:
        """The same with other tensors."""
        tensors = iter(tensors)
        packed = []
        for leaf, is_blank in zip(self.leaves, self.blanks, strict=True):
            if is_blank:
                packed.append(leaf)
            elif isinstance(leaf, TensorArray):
                packed.append(leaf.with_tensors(itertools.islice(tensors, leaf.num_tensors())))
            else:
                packed.append(next(tensors))
        return packed

    def require(self, blanks):
        """Raises if arrays are blank that must not be, or the reverse."""
        if self.blanks != blanks:
            raise ValueError(
                "a TensorArray has elements of a known shape in one place only: give it an "
                "`element_shape`"
            )


def _branches(index, names, functions):
    """The results of the function that the scalar `index` selects."""
    written, seeds = [], _tracing.SeedMark()
    for is_last in (False, True):
        seeds.go_back()
        traced, changed = [], list(written)

        def branch(frame, function, traced=traced, changed=changed, written=written):
            leaves = _Leaves(function())
            traced.append(leaves)
            changed += [variable for variable in frame.written if variable not in changed]
            return [*leaves.tensors(), *map(frame.read, written)]

        pairs = zip(names, functions, strict=True)
        regions = [
            _region(name, lambda frame, f=function: branch(frame, f)) for name, function in pairs
        ]
        is_known = changed == written and all(
            branch_results.blanks == traced[0].blanks for branch_results in traced
        )
        if is_last or is_known:
            break
        written = changed
    for leaves in traced:
        leaves.require(traced[0].blanks)
    results = _core.add_branch(index, regions)
    count = len(results) - len(written)
    return traced[0].pack(frames.assign(written, results[count:], results[:count]))


def cond(pred, true_fn, false_fn):
    """The results of the branch that the bool scalar `pred` selects."""
    picked = raw_ops.Cast(x=raw_ops.LogicalNot(x=pred), dtype=dtypes.int32)
    return _branches(picked, ["cond_true", "cond_false"], [true_fn, false_fn])


def switch(index, branches):
    """The results of the branch that the scalar `index` selects; the last one if out of range."""
    names = [f"branch_{i}" for i in range(len(branches))]
    return _branches(cast(index, dtypes.int32), names, branches)


def while_loop(
    cond,
    body,
    flat_vars,
    shape_invariants=None,
    maximum_iterations=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    checkpoints=None,
):
    """The variables after the last iteration: tensors and TensorArrays. `cond` and `body` take them
    as arguments; `cond` gives a scalar bool. `shape_invariants` has a TensorShape for each, or None
    for one that keeps its shape, and is None where all do; `maximum_iterations` may be a tensor."""
    start = _Leaves(flat_vars)
    bounds = shape_invariants or [None] * len(start.leaves)
    seeds = _tracing.SeedMark()
    written = _probe(body, start, bounds) if any(start.blanks) else []
    start = _Leaves(start.leaves)
    limit = None if maximum_iterations is None else cast(maximum_iterations, dtypes.int32)
    while True:
        seeds.go_back()
        state = _State(start, bounds, written, limit)
        step = _region("while_body", lambda *flat, s=state: s.step(body, *flat), state.specs)
        if state.written == written:
            break
        written = state.written
    goes_on = _region("while_cond", lambda *flat: state.goes_on(cond, *flat), state.specs)
    results = _core.add_loop(goes_on, step, state.tensors, checkpoints or 0, bool(swap_memory))
    own, variables = state.parts(results)
    own = frames.assign(written, variables, own)
    if not back_prop:
        own = [raw_ops.StopGradient(input=tensor) for tensor in own]
    return start.pack(own)


class _State:
    """The state of a loop: the number of the iteration if there is a limit, the caller's state,
    and the values of graph variables that the body assigns to."""

    def __init__(self, start, bounds, variables, limit):
        self._start, self._variables, self._limit = start, variables, limit
        self.written = variables
        counts = [] if limit is None else [_core.to_tensor(0, dtypes.int32)]
        self._begin = len(counts)
        self.tensors = [*counts, *start.tensors(), *map(frames.read, variables)]
        self._end = len(self.tensors) - len(variables)
        self.specs = [
            *(TensorSpec([], dtypes.int32) for _ in counts),
            *_specs(start, bounds),
            *(TensorSpec(variable.shape, variable.dtype) for variable in variables),
        ]

    def parts(self, flat):
        """(the caller's tensors, those of variables)"""
        return flat[self._begin : self._end], flat[self._end :]

    def goes_on(self, cond, frame, *flat):
        own, variables = self.parts(flat)
        frame.set(self._variables, variables)
        result = cond(*self._start.pack(own))
        if frame.written:
            raise NotImplementedError("the condition of a loop assigns to a variable")
        if self._limit is not None:
            result = raw_ops.LogicalAnd(x=flat[0] < self._limit, y=result)
        return [result]

    def step(self, body, frame, *flat):
        own, variables = self.parts(flat)
        frame.set(self._variables, variables)
        after = _Leaves(body(*self._start.pack(own)))
        after.require(self._start.blanks)
        more = [variable for variable in frame.written if variable not in self._variables]
        self.written = [*self._variables, *more]
        counts = [count + 1 for count in flat[: self._begin]]
        return [*counts, *after.tensors(), *map(frame.read, self._variables)]


def _specs(start, bounds) -> list:
    """The dtypes and the bounds of the tensors of a state."""
    specs = []
    for leaf, is_blank, bound in zip(start.leaves, start.blanks, bounds, strict=True):
        if is_blank:
            continue
        if isinstance(leaf, TensorArray):
            specs += map(TensorSpec, leaf.bounds(), (leaf.dtype, dtypes.int32))
        else:
            specs.append(TensorSpec(leaf.shape if bound is None else bound, leaf.dtype))
    return specs


def _probe(body, start, bounds) -> list:
    """Traces the body for what it writes to blank arrays, which share what they know of their
    elements with those of the body; gives the graphs' variables that it assigns to."""
    written = []

    def step(frame, *flat):
        leaves = body(*start.pack(flat))
        written.extend(frame.written)
        return [leaf for leaf in leaves if isinstance(leaf, _core.Tensor)]

    _region("while_body", step, _specs(start, bounds))
    return written


def specs_of(function, specs=()):
    """What a function of tensors like `specs` would return, with TensorSpecs for tensors: it is
    traced apart, and nothing of it becomes part of the graph."""
    mark, seeds = _tracing.SeedMark(), _tracing.Region()
    trace = _core.Trace("apart")
    try:
        with seeds:
            result = function(*_inputs(trace, specs))
        results = [
            TensorSpec.from_tensor(leaf) if isinstance(leaf, _core.Tensor) else leaf
            for leaf in flatten(result)
        ]
        return pack_like(result, results)
    finally:
        trace.close()
        mark.go_back()
