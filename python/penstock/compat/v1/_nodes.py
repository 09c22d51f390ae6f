"""Nodes that are not ops: placeholders, constants, control dependencies, gradients."""

from __future__ import annotations

import contextlib

from penstock import _core, dtypes, errors
from penstock._api import public
from penstock._autodiff.tape import IndexedSlices
from penstock._tensors.shape import TensorShape
from penstock.compat.v1 import _default
from penstock.compat.v1._graph import check_name


def _needs_graph(name):
    if not _core.is_building():
        raise RuntimeError(f"tf.{name}() is not compatible with eager execution.")
    return _default.get_default_graph()


@public("v1.placeholder")
def placeholder(dtype, shape=None, name=None):
    """A tensor whose value is fed to each run.

    Args:
      dtype: The dtype of what is fed.
      shape: The shape of what is fed; None is any.
      name: The name of the operation in a graph.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     x = tf.compat.v1.placeholder(tf.float32, [None, 2])
    ...     print(x.shape, sess.run(tf.reduce_sum(x, axis=0), {x: [[1, 2], [3, 4]]}))
    (None, 2) [4. 6.]
    """
    graph = _needs_graph("placeholder")
    return _placeholder(graph, dtypes.as_dtype(dtype), TensorShape(shape), name or "Placeholder")


def _placeholder(graph, dtype, shape, name):
    check_name(name)
    return graph._builder.placeholder(dtype, shape._dims, name)


def unfed(builder, node):
    """The error of a run that needs an unfed placeholder."""
    tensor, name = builder.outputs(node)[0], builder.name(node)
    dtype = {"float32": "float", "float64": "double"}.get(tensor.dtype.name, tensor.dtype.name)
    text = ""
    if tensor.shape.rank is not None:
        sizes = ",".join("?" if n is None else str(n) for n in tensor.shape.as_list())
        text = f" and shape [{sizes}]"
    return errors.InvalidArgumentError(
        None,
        None,
        f"Graph execution error:\n\nNode: '{name}'\nYou must feed a value for placeholder tensor "
        f"'{name}' with dtype {dtype}{text}\n\t [[{{{{node {name}}}}}]]",
    )


@public("v1.placeholder_with_default")
def placeholder_with_default(input, shape, name=None):
    """A tensor with the value of `input` unless another one is fed."""
    if not _core.is_building():
        return _core.to_tensor(input)
    graph = _default.get_default_graph()
    with name_scope(name or "PlaceholderWithDefault") as scope:
        default = in_graph(_core.to_tensor(input), graph, "input")
        tensor = graph._builder.placeholder(default.dtype, TensorShape(shape)._dims, scope)
    graph._implicit[graph._builder.node_of(tensor)] = lambda session: session._run_tensor(default)
    return tensor


def fed_by_session(graph, dtype, value, name="session"):
    """A number that each session feeds itself: value(session)."""
    number = graph._builder.placeholder(dtype, (), name)
    graph._implicit[graph._builder.node_of(number)] = value
    return number


def in_graph(tensor, graph, name=""):
    """A tensor as one of the graph: an eager one becomes a constant."""
    if isinstance(tensor, _core.SymbolicTensor):
        return tensor
    return graph._builder.constant(tensor, name)


def constant(tensor, name):
    """A value as a node of the current graph."""
    graph = _default.get_default_graph()
    if name is None:
        name = "Const"
    check_name(name)
    return in_graph(tensor, graph, name)


def no_op(name=None):
    """An operation that does nothing."""
    graph = _default.get_default_graph()
    return graph._operation(graph._builder.no_op(name or "NoOp"))


def group(*inputs, name=None, **unknown):
    """An operation that completes when all inputs have run."""
    from penstock._base.nest import flatten

    if unknown:
        raise ValueError(f"Unknown keyword arguments: {', '.join(unknown)}")

    graph = _default.get_default_graph()
    nodes = [leaf for leaf in flatten(inputs) if leaf is not None]
    with graph.control_dependencies(nodes):
        return no_op(name or "group_deps")


def control_dependencies(control_inputs):
    """Makes ops created inside run after these."""
    graph = _default.get_default_graph()
    if control_inputs is None:
        return graph.control_dependencies(None)
    nodes = [
        control_input() if _is_function(control_input) else control_input
        for control_input in control_inputs
    ]
    for node in nodes:
        if node is not None and not isinstance(node, (IndexedSlices, _core.EagerTensor)):
            graph.as_graph_element(node)
    return graph.control_dependencies(nodes)


def _is_function(value) -> bool:
    return callable(value) and not hasattr(value, "_as_graph_element")


def together(tensors, control_inputs=None, name=None):
    """The tensors, none of which is available before all are."""
    from penstock import raw_ops

    nodes = [node for node in [*tensors, *(control_inputs or ())] if node is not None]
    with name_scope(name or "tuple"), control_dependencies([group(*nodes, name="group_deps")]):
        return [
            None if tensor is None else raw_ops.Identity(input=tensor, name="control_dependency")
            for tensor in tensors
        ]


@public("v1.container")
def container(container_name):
    """Puts variables created inside into this container, which Session.reset empties."""
    return _default.get_default_graph().container(container_name)


@public("v1.name_scope")
@contextlib.contextmanager
def name_scope(name, default_name=None, values=None):
    """Names ops and variables created inside `name/…`."""
    from penstock._context import scope as _scope

    name = default_name if name is None else name
    if name is None and values is not None:
        raise ValueError(
            f"At least one of name (None) and default_name ({default_name}) must be provided."
        )
    with _scope.name_scope(name or "") as scope:
        yield scope
