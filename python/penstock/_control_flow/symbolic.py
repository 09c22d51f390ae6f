"""Control flow inside a function that is being traced: the one place that makes nodes of it.

Callers see to structures, dtypes and shapes. Here everything is flat: a branch, and the body of a
loop, is a function that returns a list of tensors and TensorArrays. Such a function is called once,
the branches in order; it sets the Python variables that it works on, and raises where what it gives
does not fit what came before. All are called again where that has shown what an array holds.
"""

from __future__ import annotations

from penstock import _core, dtypes, errors, raw_ops
from penstock._functions.basic import cast
from penstock._graph_array import GraphArray
from penstock._nest import flatten, pack_like
from penstock._spec import TensorSpec
from penstock._tensor_array import TensorArray


def is_symbolic(value) -> bool:
    """Whether the value is known only when the function runs."""
    if isinstance(value, _core.VariableHandle):
        return _core.is_tracing()
    return isinstance(value, _core.SymbolicTensor)


def condition(value, name):
    """A value that decides, as a scalar bool; `name` is what it is an input of, for messages."""
    value = _core.to_tensor(value, None, False)
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
    """Whether it is what branches and loops give."""
    return isinstance(leaf, (_core.Tensor, TensorArray))


def _inputs(trace, specs) -> list:
    dims = [None if spec.shape.rank is None else spec.shape.as_list() for spec in specs]
    return [trace.input(spec.dtype, dim) for spec, dim in zip(specs, dims, strict=True)]


def _region(name, function, specs=()):
    """The function as a part of the one that is being traced: it takes tensors like `specs`."""
    trace = _core.Trace(name, is_region=True)
    try:
        return trace.finish(list(function(*_inputs(trace, specs))))
    finally:
        trace.close()


class _Leaves:
    """Tensors and arrays as tensors alone: an array is its rows, and none while it is blank."""

    def __init__(self, leaves):
        self.leaves = [GraphArray.of(x) if isinstance(x, TensorArray) else x for x in leaves]
        self.blanks = [isinstance(x, GraphArray) and x.is_blank() for x in self.leaves]

    def tensors(self) -> list:
        return [
            leaf.rows() if isinstance(leaf, GraphArray) else leaf
            for leaf, is_blank in zip(self.leaves, self.blanks, strict=True)
            if not is_blank
        ]

    def pack(self, tensors) -> list:
        """The same with other tensors."""
        tensors = iter(tensors)
        made = []
        for leaf, is_blank in zip(self.leaves, self.blanks, strict=True):
            if is_blank:
                made.append(leaf)
            else:
                tensor = next(tensors)
                is_array = isinstance(leaf, GraphArray)
                made.append(leaf.with_rows(tensor) if is_array else tensor)
        return made

    def require(self, blanks):
        """Raises where arrays are blank that must not be, or the other way round."""
        if self.blanks != blanks:
            raise ValueError(
                "a TensorArray has elements of a known shape in one place only: give it an "
                "`element_shape`"
            )


def _branches(index, names, functions):
    """The results of the function that the scalar `index` picks."""
    for is_last in (False, True):
        found = []

        def branch(function, found=found):
            leaves = _Leaves(function())
            found.append(leaves)
            return leaves.tensors()

        pairs = zip(names, functions, strict=True)
        regions = [_region(name, lambda f=function: branch(f)) for name, function in pairs]
        if is_last or all(leaves.blanks == found[0].blanks for leaves in found):
            break
    for leaves in found:
        leaves.require(found[0].blanks)
    return found[0].pack(_core.add_branch(index, regions))


def cond(pred, true_fn, false_fn):
    """The results of the branch that the scalar `pred`, a bool, picks."""
    picked = raw_ops.Cast(x=raw_ops.LogicalNot(x=pred), dtype=dtypes.int32)
    return _branches(picked, ["cond_true", "cond_false"], [true_fn, false_fn])


def switch(index, branches):
    """The results of the branch that the scalar `index` picks: the last one out of range."""
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
    if any(start.blanks):
        _probe(body, start, bounds)
        start = _Leaves(start.leaves)
    specs = _specs(start, bounds)
    tensors, num_own = start.tensors(), 0
    if maximum_iterations is not None:
        limit = cast(maximum_iterations, dtypes.int32)
        tensors, num_own = [_core.to_tensor(0, dtypes.int32, False), *tensors], 1
        specs = [TensorSpec([], dtypes.int32), *specs]

    def goes_on(*flat):
        result = cond(*start.pack(flat[num_own:]))
        return [raw_ops.LogicalAnd(x=flat[0] < limit, y=result) if num_own else result]

    def step(*flat):
        after = _Leaves(body(*start.pack(flat[num_own:])))
        after.require(start.blanks)
        return [*(count + 1 for count in flat[:num_own]), *after.tensors()]

    made = _core.add_loop(
        _region("while_cond", goes_on, specs),
        _region("while_body", step, specs),
        tensors,
        checkpoints or 0,
        bool(swap_memory),
    )[num_own:]
    if not back_prop:
        made = [raw_ops.StopGradient(input=tensor) for tensor in made]
    return start.pack(made)


def _specs(start, bounds) -> list:
    """The dtypes and the bounds of the tensors of a state."""
    specs = []
    for leaf, is_blank, bound in zip(start.leaves, start.blanks, bounds, strict=True):
        if isinstance(leaf, GraphArray):
            bound = None if is_blank else leaf.bound()
        if not is_blank:
            specs.append(TensorSpec(leaf.shape if bound is None else bound, leaf.dtype))
    return specs


def _probe(body, start, bounds):
    """Traces the body for what it writes to blank arrays: what these know of their elements they
    share with those of the body."""
    _region("while_body", lambda *flat: _written(body(*start.pack(flat))), _specs(start, bounds))


def _written(leaves) -> list:
    return [leaf for leaf in leaves if isinstance(leaf, _core.Tensor)]


def specs_of(function, specs=()):
    """What a function of tensors like `specs` would return, with TensorSpecs for tensors: it is
    traced apart, and nothing of it becomes part of the graph."""
    trace = _core.Trace("apart")
    try:
        result = function(*_inputs(trace, specs))
        found = [
            TensorSpec.from_tensor(leaf) if isinstance(leaf, _core.Tensor) else leaf
            for leaf in flatten(result)
        ]
        return pack_like(result, found)
    finally:
        trace.close()
