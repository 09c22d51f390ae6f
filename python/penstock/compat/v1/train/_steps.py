"""The global step: a variable that optimizers increment."""

from __future__ import annotations

from penstock import dtypes
from penstock._api import public
from penstock._ops.create import zeros
from penstock.compat.v1 import _collections
from penstock.compat.v1._collections import GraphKeys
from penstock.compat.v1._variables import make_variable


@public("v1.train.get_global_step")
def get_global_step(graph=None):
    """The global step, or None.

    Args:
      graph: The graph; None is the default graph.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.train.get_global_step())
    None
    """
    steps = _of(graph).get(GraphKeys.GLOBAL_STEP)
    if len(steps) > 1:
        raise TypeError("Multiple tensors in global_step collection.")
    if not steps:
        return None
    assert_global_step(steps[0])
    return steps[0]


def _of(graph):
    """The collections of a graph, or of the default one."""
    return _collections.current() if graph is None else graph._collections


@public("v1.train.create_global_step")
def create_global_step(graph=None):
    """A new global step; raises ValueError if there is one."""
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    step = make_variable(lambda: zeros([], dtypes.int64), GraphKeys.GLOBAL_STEP, dtypes.int64)
    _of(graph).add(GraphKeys.GLOBAL_STEP, step)
    return step


@public("v1.train.get_or_create_global_step")
def get_or_create_global_step(graph=None):
    """The global step, created if missing.

    Args:
      graph: The graph; None is the default graph.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.train.get_or_create_global_step().name)
    global_step:0
    """
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


@public("v1.train.assert_global_step")
def assert_global_step(global_step_tensor) -> None:
    """Raises TypeError unless it is a single integer."""
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(
            f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}'
        )
    if global_step_tensor.shape.rank != 0:
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.shape}')
