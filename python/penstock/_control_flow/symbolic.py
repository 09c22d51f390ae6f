"""Control flow inside a function that is being traced: the one place that makes nodes of it.

Callers see to structures, dtypes and shapes. Here everything is flat: a branch, and the body of a
loop, is a function that returns a list of tensors. Each is to be called once, the branches in
order: it sets the Python variables that it works on, and raises where what it gives does not fit
what came before.
"""

from __future__ import annotations

from penstock import _core, errors
from penstock._nest import flatten, pack_like
from penstock._spec import TensorSpec


def is_symbolic(value) -> bool:
    """Whether the value is known only when the function runs."""
    if isinstance(value, _core.VariableHandle):
        return _core.is_tracing()
    return isinstance(value, _core.SymbolicTensor)


def _unimplemented(what):
    raise errors.UnimplementedError(
        None,
        None,
        f"{what} that depends on a tensor cannot be part of a tf.function yet. Use tf.where, pass "
        "the value as a Python number, or run eagerly with tf.config.run_functions_eagerly(True).",
    )


def cond(pred, true_fn, false_fn):
    """The results of the branch that the scalar `pred`, a bool, picks."""
    _unimplemented("A condition")


def switch(index, branches):
    """The results of the branch that the scalar `index` picks: the last one out of range."""
    _unimplemented("A choice of branches")


def while_loop(
    cond,
    body,
    flat_vars,
    shape_invariants=None,
    maximum_iterations=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
):
    """The variables after the last iteration: tensors, and TensorArrays as they are. `cond` and
    `body` take them as arguments; `cond` gives a scalar bool. `shape_invariants` has a TensorShape
    for each, and is None where all keep their shapes; `maximum_iterations` may be a tensor.

    A loop of which every condition is known while the function is traced is unrolled."""
    if is_symbolic(maximum_iterations):
        _unimplemented("A number of iterations")
    count = 0
    while maximum_iterations is None or count < maximum_iterations:
        goes_on = cond(*flat_vars)
        if is_symbolic(goes_on):
            _unimplemented("A loop")
        if not goes_on:
            break
        flat_vars = body(*flat_vars)
        count += 1
    return flat_vars


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
