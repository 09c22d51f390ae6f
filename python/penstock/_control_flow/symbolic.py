"""Control flow inside a function that is being traced: the one place that makes nodes of it.

Callers see to structures, dtypes and shapes. Here everything is flat: a branch, and the body of a
loop, is a function that returns a list of tensors. Each is to be called once, the branches in
order: it sets the Python variables that it works on, and raises where what it gives does not fit
what came before.
"""

from __future__ import annotations

from penstock import _core, dtypes, raw_ops
from penstock._functions.basic import cast
from penstock._nest import flatten, pack_like
from penstock._spec import TensorSpec


def is_symbolic(value) -> bool:
    """Whether the value is known only when the function runs."""
    if isinstance(value, _core.VariableHandle):
        return _core.is_tracing()
    return isinstance(value, _core.SymbolicTensor)


def _region(name, function, specs=()):
    """The function as a part of the one that is being traced: it takes tensors like `specs`."""
    trace = _core.Trace(name, is_region=True)
    try:
        dims = [None if spec.shape.rank is None else spec.shape.as_list() for spec in specs]
        inputs = [trace.input(spec.dtype, dim) for spec, dim in zip(specs, dims, strict=True)]
        return trace.finish(list(function(*inputs)))
    finally:
        trace.close()


def cond(pred, true_fn, false_fn):
    """The results of the branch that the scalar `pred`, a bool, picks."""
    picked = raw_ops.Cast(x=raw_ops.LogicalNot(x=pred), dtype=dtypes.int32)
    return _core.add_branch(
        picked, [_region("cond_true", true_fn), _region("cond_false", false_fn)]
    )


def switch(index, branches):
    """The results of the branch that the scalar `index` picks: the last one out of range."""
    regions = [_region(f"branch_{i}", branch) for i, branch in enumerate(branches)]
    return _core.add_branch(cast(index, dtypes.int32), regions)


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
    """The variables after the last iteration: tensors, and TensorArrays as they are. `cond` and
    `body` take them as arguments; `cond` gives a scalar bool. `shape_invariants` has a TensorShape
    for each, and is None where all keep their shapes; `maximum_iterations` may be a tensor."""
    shapes = shape_invariants or [var.shape for var in flat_vars]
    specs = [TensorSpec(shape, var.dtype) for shape, var in zip(shapes, flat_vars, strict=True)]
    goes_on = _region("while_cond", lambda *flat: [cond(*flat)], specs)
    step = _region("while_body", body, specs)
    return _core.add_loop(goes_on, step, list(flat_vars), checkpoints or 0, swap_memory)


def specs_of(function):
    """What a function would return, with TensorSpecs for tensors: it is traced apart, and nothing
    of it becomes part of the graph."""
    trace = _core.Trace("apart")
    try:
        result = function()
        specs = [
            TensorSpec.from_tensor(leaf) if isinstance(leaf, _core.Tensor) else leaf
            for leaf in flatten(result)
        ]
        return pack_like(result, specs)
    finally:
        trace.close()
