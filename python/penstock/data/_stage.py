"""Making the stages of a dataset: operands, functions, and the spec of the result."""

from __future__ import annotations

from penstock import _core, dtypes
from penstock._tensors.kinds import is_tensor_like
from penstock.data import _structure


def constant(value, dtype=None):
    """A tensor that is no node of a graph, unless it is one already."""
    if is_tensor_like(value):
        return _core.to_tensor(value, dtype)
    leave = _core.LeaveTraces()
    leave.enter()
    try:
        return _core.to_tensor(value, dtype)
    finally:
        leave.exit()


def number(value):
    """A whole number as an operand."""
    return constant(value, dtypes.int64)


def text(value):
    return constant("" if value is None else value, dtypes.string)


def known(tensor):
    """The value of a scalar operand; None for a symbolic one."""
    return None if isinstance(tensor, _core.SymbolicTensor) else int(tensor)


def make(
    stage, inputs=(), operands=(), functions=(), *, spec=None, source=None, cls=None, **settings
):
    """The dataset of a stage. `spec` is the form of its elements: the runtime knows dtypes and
    shapes. Without one it is that of the function, or of the first input."""
    Dataset = _structure.dataset_class()
    given = None if spec is None else _structure.core_spec(spec)
    settings = {name: int(value) for name, value in settings.items()}
    core = _core.make_dataset(
        stage,
        [each._core for each in inputs],
        list(operands),
        [each.core for each in functions],
        settings,
        given,
        source,
    )
    if spec is None:
        spec = inputs[0].element_spec
    element_spec = _structure.with_core(spec, core.spec())
    calls = [call for each in functions for call in each.calls]
    return (cls or Dataset)._of(core, element_spec, (*inputs, *calls))
