"""tf.Graph: a TensorFlow 1 graph, built node by node while it is entered."""

from __future__ import annotations

import contextlib
import re
import weakref

from penstock import _core
from penstock._api import public
from penstock._context import scope as _scope
from penstock.compat.v1 import _graph_stack, _graph_tensor
from penstock.compat.v1._collections import Collections
from penstock.compat.v1._custom_gradients import CustomGradient
from penstock.compat.v1._growth import Growth
from penstock.compat.v1._operation import GraphDef, Operation, node_def_of

_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_SCOPE = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")


@public("Graph", "v1.Graph")
class Graph:
    """Ops and tensors, created inside `with graph.as_default():` and run by sessions.

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     x = tf.constant(2.0)
    >>> with tf.compat.v1.Session(graph=graph) as sess:
    ...     sess.run(x)
    np.float32(2.0)
    """

    building_function = False

    def __init__(self):
        self._builder = _core.GraphBuilder()
        self._number = self._builder.number()
        self._collections = Collections()
        self._variables = []  # GraphVariables, by number
        self._implicit = {}  # placeholders that a session feeds itself: node: function
        self._calls = []  # Python functions that nodes call
        self._control = []  # control inputs of new nodes, by number
        self._container = ""
        self._finalized = False
        self._operations = weakref.WeakValueDictionary()
        self._custom_gradients = []  # custom gradients of functions, in order
        self._num_random = 0
        self._growth = Growth()
        self.seed = None
        _graph_tensor.install()
        _graph_stack.add(self)

    _has_own_seed = True
    finalized = property(lambda self: self._finalized)
    version = property(lambda self: self._builder.num_nodes())
    _name_stack = property(lambda self: self._builder.scope())

    @contextlib.contextmanager
    def as_default(self):
        """Makes new ops nodes of this graph.

        >>> graph = tf.Graph()
        >>> with graph.as_default():
        ...     x = tf.constant(1.0, name="x")
        >>> [op.name for op in graph.get_operations()]
        ['x']
        """
        _graph_stack.enter(self)
        try:
            yield self
        finally:
            _graph_stack.leave(self)

    def finalize(self):
        """Forbids new nodes."""
        self._finalized = True
        self._builder.set_finalized(True)

    def _unsafe_unfinalize(self):
        self._finalized = False
        self._builder.set_finalized(False)

    def get_operations(self):
        """All operations, in creation order."""
        return [self._operation(node) for node in range(self._builder.num_nodes())]

    def _operation(self, node):
        operation = self._operations.get(node)
        if operation is None:
            operation = self._operations[node] = Operation(self, node)
        return operation

    def _reads(self) -> list[int]:
        """The number of reads of each variable."""
        return [
            len(self._builder.reads_of(variable._variable_number)) for variable in self._variables
        ]

    def _variables_read_since(self, reads) -> list:
        """The variables that are new, or have more reads than that."""
        before = [*reads, *(0 for _ in self._variables[len(reads) :])]
        counts = zip(self._variables, before, self._reads(), strict=True)
        return [variable for variable, old, new in counts if new > old]

    def _with_gradient(self, inputs, results, backward) -> list:
        """The results with a custom gradient: `backward` maps gradients at them to those at the
        inputs."""
        self._custom_gradients.append(CustomGradient(inputs, results, backward))
        return self._custom_gradients[-1].outputs

    def _last_operation(self):
        return self._operation(self._builder.num_nodes() - 1)

    def get_operation_by_name(self, name):
        """The operation of that name; raises KeyError if there is none."""
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        node = self._builder.find(name)
        if node < 0:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return self._operation(node)

    def get_tensor_by_name(self, name):
        """The tensor of a name such as "add:0"; raises KeyError if there is none."""
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        op_name, colon, index = name.rpartition(":")
        form = 'Tensor names must be of the form "<op_name>:<output_index>".'
        if not colon or not index.isdigit():
            if self._builder.find(name) >= 0:
                raise ValueError(f"The name {name!r} refers to an Operation, not a Tensor. {form}")
            raise ValueError(
                f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. {form}"
            )
        node = self._builder.find(op_name)
        start = (
            f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}"
        )
        if node < 0:
            raise KeyError(f"{start}, does not exist in the graph.")
        outputs = self._builder.outputs(node)
        if int(index) >= len(outputs):
            raise KeyError(f"{start}, exists but only has {len(outputs)} outputs.")
        return outputs[int(index)]

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """The tensor or operation of this graph that an object refers to."""
        stands_for = getattr(obj, "_as_graph_element", None)
        if stands_for is not None:
            obj = stands_for()
        if isinstance(obj, str):
            if allow_tensor and (":" in obj or not allow_operation):
                return self.get_tensor_by_name(obj)
            return self.get_operation_by_name(obj)
        if isinstance(obj, _core.SymbolicTensor) and allow_tensor:
            if obj._graph_number != self._number:
                raise ValueError(f"Tensor {obj} is not an element of this graph.")
            return obj
        if isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                raise ValueError(f"Operation {obj!r} is not an element of this graph.")
            return obj
        allowed = (("Tensor", allow_tensor), ("Operation", allow_operation))
        wanted = " or ".join(text for text, is_allowed in allowed if is_allowed)
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")

    def unique_name(self, name, mark_as_used=True):
        """The name that a new node would get; it is reserved unless `mark_as_used` is false."""
        take = self._builder.unique_name if mark_as_used else self._builder.next_name
        return take(self._name_stack + name)

    def get_name_scope(self):
        """The current scope: "" or "outer/inner"."""
        return self._name_stack.removesuffix("/")

    def name_scope(self, name):
        """Prefixes the names of new ops with `name/`, made unique."""
        return _scope.name_scope(name or "")

    def _open_scope(self, name) -> str:
        """The unique scope of a name; one that ends in "/" is used unchanged."""
        if name and not self._name_stack and not _NAME.match(name):
            raise ValueError(
                f"'{name}' is not a valid root scope name. A root scope name has to match the "
                f"following pattern: {_NAME.pattern}"
            )
        if name and not _SCOPE.match(name):
            raise ValueError(
                f"'{name}' is not a valid scope name. A scope name has to match the following "
                f"pattern: {_SCOPE.pattern}"
            )
        if name and not name.endswith("/"):
            name = self._builder.unique_name(self._name_stack + name) + "/"
        self._set_scope(name)
        return name

    def _set_scope(self, scope):
        self._builder.set_scope(scope)

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs):
        """New ops run after these operations or tensors; None: after nothing."""
        before = self._control
        if control_inputs is None:
            self._control = []
        else:
            # Eager values have nothing to wait for.
            later = [
                control_input
                for control_input in control_inputs
                if control_input is not None and not isinstance(control_input, _core.EagerTensor)
            ]
            self._control = [*before, *map(self._node_of, later)]
        self._builder.set_control_inputs(self._control)
        try:
            yield
        finally:
            self._control = before
            self._builder.set_control_inputs(before)

    def _node_of(self, obj) -> int:
        element = self.as_graph_element(getattr(obj, "values", obj) if _has_rows(obj) else obj)
        return element._node if isinstance(element, Operation) else self._builder.node_of(element)

    def device(self, device_name_or_function):
        """The device of ops: always the CPU."""
        if callable(device_name_or_function):
            return contextlib.nullcontext()
        return _scope.device(device_name_or_function)

    @contextlib.contextmanager
    def container(self, container_name):
        """Puts variables created inside into this container, which Session.reset empties."""
        before, self._container = self._container, container_name
        try:
            yield container_name
        finally:
            self._container = before

    def add_to_collection(self, name, value):
        self._check_open()
        self._collections.add(name, value)

    def add_to_collections(self, names, value):
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name):
        return self._collections.ref(name)

    def get_collection(self, name, scope=None):
        return self._collections.get(name, scope)

    def get_all_collection_keys(self):
        return [name for name in self._collections.names() if isinstance(name, str)]

    collections = property(get_all_collection_keys)

    def clear_collection(self, name):
        self._check_open()
        self._collections.clear(name)

    def _check_open(self):
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def as_graph_def(self, from_version=None, add_shapes=False):
        """The nodes in a readable form."""
        return GraphDef(node=map(node_def_of, self.get_operations()))

    def is_feedable(self, tensor):
        return True

    def is_fetchable(self, tensor_or_op):
        return True

    def bytes(self) -> int:
        """The memory of the nodes and their constants."""
        return self._builder.bytes()

    def next_op_seed(self) -> int:
        """The op seed of a random op without one: its number within the graph."""
        self._num_random += 1
        return self._num_random - 1


def _has_rows(obj) -> bool:
    return hasattr(obj, "indices") and hasattr(obj, "values")


def check_name(name: str):
    """Raises ValueError if a node cannot have that name."""
    if not _NAME.match(name):
        raise ValueError(
            f"`{name}` is not a valid node name. Accepted names conform to Regex "
            f"/re.compile('{_NAME.pattern}')/"
        )
