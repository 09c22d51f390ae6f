"""Which ops of a graph run before others: control dependencies, groups. Elsewhere all have run."""

from __future__ import annotations

import contextlib

from penstock import _core
from penstock._api import public
from penstock._base.version_1 import version_1
from penstock._context import frames


def _nodes():
    """What makes the nodes of the graph that is being built; None where there is none."""
    return version_1.nodes if _core.is_building() else None


@public("no_op")
def no_op(name=None):
    """Nothing; in a graph, an operation that does nothing."""
    nodes = _nodes()
    return frames.done() if nodes is None else nodes.no_op(name)


@public("group")
def group(*inputs, **kwargs):
    """Nothing to do: the inputs have been computed. In a graph, an operation that runs them.

    Args:
      *inputs: Tensors and operations.
      **kwargs: name: the operation's name.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     w = tf.compat.v1.get_variable("w", initializer=1.0)
    ...     sess.run(tf.compat.v1.global_variables_initializer())
    ...     sess.run(tf.group(w.assign_add(1.0)))
    ...     print(sess.run(w))
    2.0
    """
    nodes = _nodes()
    return frames.done() if nodes is None else nodes.group(*inputs, **kwargs)


@public("tuple")
def tuple(tensors, control_inputs=None, name=None):
    """The tensors, which have all been computed."""
    nodes = _nodes()
    return tensors if nodes is None else nodes.together(tensors, control_inputs, name)


@public("control_dependencies")
def control_dependencies(control_inputs):
    """Nothing to wait for: the inputs have been computed. Those that are functions are called.
    In a graph, what is made inside runs after the inputs.

    Args:
      control_inputs: Tensors and operations.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     w = tf.compat.v1.get_variable("w", initializer=1.0)
    ...     sess.run(tf.compat.v1.global_variables_initializer())
    ...     with tf.control_dependencies([w.assign_add(1.0)]):
    ...         done = tf.identity(5.0)
    ...     print(sess.run(done), sess.run(w))
    5.0 2.0
    """
    nodes = _nodes()
    if nodes is not None:
        return nodes.control_dependencies(control_inputs)
    for control_input in control_inputs or ():
        if callable(control_input):
            control_input()
    return contextlib.nullcontext()
