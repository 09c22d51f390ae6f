"""tf.Operation, and the readable form of a graph's nodes."""

from __future__ import annotations

from typing import ClassVar

from penstock._api import public
from penstock._proto.message import Message
from penstock.compat.v1._default_session import session_for


@public("Operation", "v1.Operation")
class Operation:
    """A node of a graph."""

    def __init__(self, graph, node):
        self._graph = graph
        self._node = node

    graph = property(lambda self: self._graph)
    name = property(lambda self: self._graph._builder.name(self._node))
    type = property(lambda self: self._graph._builder.type(self._node))
    inputs = property(lambda self: self._graph._builder.inputs(self._node))
    outputs = property(lambda self: self._graph._builder.outputs(self._node))
    device = ""

    def values(self):
        """The outputs, in a tuple."""
        return tuple(self.outputs)

    @property
    def control_inputs(self):
        numbers = self._graph._builder.control_inputs(self._node)
        return [self._graph._operation(number) for number in numbers]

    @property
    def node_def(self):
        return node_def_of(self)

    @property
    def traceback(self):
        """(file, line) of its creation."""
        return [self._graph._builder.line(self._node)]

    def run(self, feed_dict=None, session=None):
        """Runs it in the given or the default session.

        Args:
          feed_dict: Values for placeholders and other tensors.
          session: The session; None is the default one.

        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     w = tf.compat.v1.get_variable("w", initializer=1.0)
        ...     tf.compat.v1.global_variables_initializer().run()
        ...     print(sess.run(w))
        1.0
        """
        session_for(session, self._graph, "execute operation", "run").run(self, feed_dict)

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self):
        return str(self.node_def)


@public("v1.NodeDef")
class NodeDef(Message):
    """One node of a GraphDef."""

    FIELDS: ClassVar = {
        "name": (1, "string"),
        "op": (2, "string"),
        "input": (3, ["string"]),
        "device": (4, "string"),
    }


@public("v1.GraphDef")
class GraphDef(Message):
    """The nodes of a graph, readable and in TensorBoard's format."""

    FIELDS: ClassVar = {"node": (1, [NodeDef])}


def node_def_of(operation) -> NodeDef:
    """A node as a message."""
    inputs = [tensor.name.removesuffix(":0") for tensor in operation.inputs]
    inputs += ["^" + control_input.name for control_input in operation.control_inputs]
    return NodeDef(name=operation.name, op=operation.type, input=inputs)


def consumers_of(graph, tensor) -> list:
    """The operations that take a tensor as input."""
    builder, value = graph._builder, tensor._value
    return [
        graph._operation(node)
        for node in range(builder.node_of(tensor) + 1, builder.num_nodes())
        if any(tensor._value == value for tensor in builder.inputs(node))
    ]
