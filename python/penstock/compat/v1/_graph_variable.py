"""Variables of graphs; each session has its own values."""

from __future__ import annotations

import itertools

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._autodiff.tape import note_read
from penstock._context import frames
from penstock._context.scope import name_scope, scoped
from penstock._tensors.kinds import GraphVariableBase
from penstock._tensors.shape import TensorShape
from penstock._tensors.tensor import Reference
from penstock._variables.variable import (
    ResourceVariable,
    VariableAggregation,
    VariableSynchronization,
)
from penstock.compat.v1 import _collections, _default, _switches
from penstock.compat.v1._collections import GraphKeys
from penstock.compat.v1._nodes import in_graph, no_op

_ids = itertools.count(-1, -1)  # unlike the ids of eager variables


class GraphVariable(GraphVariableBase):
    """A variable of a graph: reads and assignments are nodes, and its value belongs to a
    session."""

    __array_priority__ = 100
    synchronization = VariableSynchronization.AUTO
    aggregation = VariableAggregation.NONE
    device = ""
    _in_graph_mode = True

    def __init__(
        self,
        initial_value=None,
        trainable=None,
        collections=None,
        validate_shape=True,
        caching_device=None,
        name=None,
        variable_def=None,
        dtype=None,
        expected_shape=None,
        import_scope=None,
        constraint=None,
        use_resource=None,
        synchronization=None,
        aggregation=None,
        shape=None,
        experimental_enable_variable_lifting=True,
    ):
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are "
                "not providing a `variable_def`. You provided neither."
            )
        graph = self.graph = _default.get_default_graph()
        self._id, self._constraint = next(_ids), constraint
        self._trainable = True if trainable is None else bool(trainable)
        self._container = graph._container
        self._sparse_reads = []  # (the read, the rows gathered from it, their indices)
        with graph.control_dependencies(None):
            self._full_name = graph.unique_name(name or "Variable")
            self._make_nodes(initial_value, dtype, shape, validate_shape)
        graph._variables.append(self)
        names = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in names:
            names.append(GraphKeys.TRAINABLE_VARIABLES)
        _collections.add_to_collections(names, self)

    def _make_nodes(self, initial_value, dtype, shape, validate_shape):
        graph, builder = self.graph, self.graph._builder
        wanted = None if dtype is None else dtypes.as_dtype(dtype)
        is_resource = _switches.resource_variables_enabled()
        inner = "/Initializer/" if is_resource or callable(initial_value) else "/"
        with name_scope(self._full_name + inner):
            value = initial_value() if callable(initial_value) else initial_value
            value = in_graph(_core.to_tensor(value, wanted), graph, "initial_value")
        static = value.shape if shape is None else TensorShape(shape)
        if not static.is_compatible_with(value.shape):
            raise ValueError(
                f"The initial value's shape ({value.shape}) is not compatible with the explicitly "
                f"supplied `shape` argument ({static})."
            )
        if validate_shape and shape is None and not static.is_fully_defined():
            raise ValueError(f"initial_value must have a shape specified: {value}")
        self._initial_value = value
        self.dtype, self.shape = value.dtype, static if validate_shape else TensorShape(None)
        self._variable_number = builder.add_variable(self.dtype, self.shape._dims)
        with name_scope(self._full_name + "/") as scope:
            self.op = no_op(scope)
            if is_resource:
                is_variable_initialized(self, "IsInitialized/VarIsInitializedOp")
            self.initializer = builder.assign(self._variable_number, value, "Assign").op
            read = "Read/ReadVariableOp" if is_resource else "read"
            self._snapshot = builder.read(self._variable_number, read)

    # Makes isinstance(v, tf.Variable) true. C++ code, which reads a variable's value directly, sees
    # its real type and calls __tf_tensor__.
    __class__ = property(lambda self: ResourceVariable)

    name = property(lambda self: self._full_name + ":0")
    _shared_name = property(lambda self: self._full_name)
    trainable = property(lambda self: self._trainable)
    constraint = property(lambda self: self._constraint)
    initial_value = property(lambda self: self._initial_value)
    ndim = property(lambda self: self.shape.rank)
    handle = property(lambda self: self)

    def get_shape(self):
        return self.shape

    def set_shape(self, shape):
        self.shape = self.shape.merge_with(shape)

    def _as_graph_element(self):
        return self._snapshot

    def value(self):
        """The value at this point of the graph."""
        return frames.read(self)

    def _read(self):
        tensor = self.graph._builder.read(self._variable_number, "ReadVariableOp")
        note_read(self, tensor)
        return tensor

    read_value = value

    def __tf_tensor__(self, dtype=None, name=None):
        return self.value()

    def initialized_value(self):
        """The initial value, for initialising other variables."""
        return self._initial_value

    def is_initialized(self, name=None):
        """Whether it has a value in the session that runs this."""
        return is_variable_initialized(self, name)

    def eval(self, session=None):
        """The value in the given or the default session."""
        return self._snapshot.eval(session=session)

    def load(self, value, session=None):
        """Sets the value in a session."""
        from penstock.compat.v1._default_session import session_for

        session = session_for(session, self.graph, "load a variable", "load")
        session.run(self.initializer, {self._initial_value: value})

    def _checked(self, value):
        value = _core.to_tensor(value, self.dtype)
        if not self.shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch."
                f"The variable shape {self.shape}, and the assigned value shape {value.shape} are "
                "incompatible."
            )
        return value if frames.current() is not None else in_graph(value, self.graph)

    def _assigned(self, value, name, read_value):
        frame = frames.current()
        if frame is not None:
            frame.write(self, value)
            return value if read_value else frames.done()
        usual = "AssignVariableOp" if _switches.resource_variables_enabled() else "Assign"
        tensor = self.graph._builder.assign(self._variable_number, value, name or usual)
        return tensor if read_value else tensor.op

    def assign(self, value, use_locking=False, name=None, read_value=True):
        return self._assigned(self._checked(value), name, read_value)

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        return self._updated(
            self.value() + self._checked(delta), name or _update_name("Add"), read_value
        )

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        return self._updated(
            self.value() - self._checked(delta), name or _update_name("Sub"), read_value
        )

    def _updated(self, value, name, read_value=True):
        self._is_updated = True
        return self._assigned(value, name, read_value)

    _is_updated = False  # by an op that needs its value

    def _scatter(self, op, indices, updates, name):
        indices = _core.to_tensor(indices, dtypes.int32, True)
        updates = _core.to_tensor(updates, self.dtype)
        updated = getattr(raw_ops, op)(tensor=self.value(), indices=indices, updates=updates)
        return self._updated(updated, name)

    def _scatter_rows(self, op, delta, name):
        indices = raw_ops.ExpandDims(input=delta.indices, axis=-1)
        return self._scatter(op, indices, delta.values, name)

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        return self._scatter_rows("TensorScatterUpdate", sparse_delta, name)

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        return self._scatter_rows("TensorScatterAdd", sparse_delta, name)

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        return self._scatter_rows("TensorScatterSub", sparse_delta, name)

    def scatter_max(self, sparse_delta, use_locking=False, name=None):
        return self._scatter_rows("TensorScatterMax", sparse_delta, name)

    def scatter_min(self, sparse_delta, use_locking=False, name=None):
        return self._scatter_rows("TensorScatterMin", sparse_delta, name)

    def scatter_nd_update(self, indices, updates, name=None):
        return self._scatter("TensorScatterUpdate", indices, updates, name)

    def scatter_nd_add(self, indices, updates, name=None):
        return self._scatter("TensorScatterAdd", indices, updates, name)

    def scatter_nd_sub(self, indices, updates, name=None):
        return self._scatter("TensorScatterSub", indices, updates, name)

    def sparse_read(self, indices, name=None):
        read, indices = self.value(), in_graph(_core.to_tensor(indices), self.graph)
        rows = raw_ops.GatherV2(params=read, indices=indices, axis=0, name=name)
        self._sparse_reads.append((read, rows, indices))
        return rows

    def gather_nd(self, indices, name=None):
        return raw_ops.GatherNd(params=self.value(), indices=indices, name=name)

    def __getitem__(self, index):
        return self.value()[index]

    def __iter__(self):
        return iter(self.value())

    def ref(self):
        return Reference(self)

    experimental_ref = ref

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


def _update_name(kind) -> str:
    is_resource = _switches.resource_variables_enabled()
    return f"Assign{kind}VariableOp" if is_resource else f"Assign{kind}"


def make_variable(
    initial_value=None,
    trainable=None,
    validate_shape=True,
    caching_device=None,
    name=None,
    *unused,
    **arguments,
):
    """tf.Variable in a graph: takes the arguments of the current tf.Variable and of TensorFlow
    1's."""
    if frames.current() is not None:
        if isinstance(initial_value, _core.SymbolicTensor):
            raise ValueError(
                "The initial value of a variable that is made inside of a branch or a loop must be "
                "a function, as tf.get_variable has it, or a value."
            )
        with frames.outside():
            return make_variable(
                initial_value, trainable, validate_shape, caching_device, name, **arguments
            )
    if isinstance(validate_shape, (list, tuple)):  # TensorFlow 1 has the collections there
        arguments["collections"], validate_shape = validate_shape, True
    return GraphVariable(
        initial_value, trainable, validate_shape=validate_shape, name=name, **arguments
    )


def _operator(name):
    def operator(self, *others):
        return getattr(self.value(), name)(*others)

    operator.__name__ = operator.__qualname__ = name
    return operator


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor"
_OTHERS = "neg abs invert lt le gt ge"
for _name in [
    *_BINARY.split(),
    *("r" + operator for operator in _BINARY.split()),
    *_OTHERS.split(),
]:
    setattr(GraphVariable, f"__{_name}__", _operator(f"__{_name}__"))


@public("v1.is_variable_initialized")
def is_variable_initialized(variable, name=None):
    """Whether the variable has a value in the session that runs this."""
    from penstock.compat.v1._nodes import _placeholder

    if not isinstance(variable, GraphVariable):
        return _core.to_tensor(True)
    graph, number = variable.graph, variable._variable_number
    is_initialized = _placeholder(
        graph, dtypes.bool, TensorShape([]), name or "IsVariableInitialized"
    )
    node = graph._builder.node_of(is_initialized)
    graph._implicit[node] = lambda session: number in session._initialized
    return is_initialized


@public("v1.variables_initializer")
def variables_initializer(var_list, name="init"):
    """An operation that initialises these variables."""
    from penstock.compat.v1 import _nodes

    if not _core.is_building():
        return None
    return _nodes.group(*[variable.initializer for variable in var_list], name=name)


@public("v1.global_variables_initializer")
def global_variables_initializer():
    """An operation that initialises all global variables.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     w = tf.compat.v1.get_variable("w", initializer=[1.0, 2.0])
    ...     sess.run(tf.compat.v1.global_variables_initializer())
    ...     print(sess.run(w))
    [1. 2.]
    """
    return variables_initializer(_collections.get_collection(GraphKeys.GLOBAL_VARIABLES))


@public("v1.local_variables_initializer")
def local_variables_initializer():
    """An operation that initialises all local variables."""
    return variables_initializer(_collections.get_collection(GraphKeys.LOCAL_VARIABLES))


@public("v1.report_uninitialized_variables")
@scoped("report_uninitialized_variables")
def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables"):
    """The names of the variables without a value in the session that runs this."""
    from penstock._ops.convert import constant
    from penstock._ops.index import boolean_mask

    if var_list is None:
        names = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
        var_list = [variable for key in names for variable in _collections.get_collection(key)]
    if not var_list:
        return constant([], dtype=dtypes.string)
    missing = raw_ops.LogicalNot(
        x=raw_ops.Pack(values=[is_variable_initialized(variable) for variable in var_list])
    )
    return boolean_mask(constant([variable.name[:-2] for variable in var_list]), missing)


@public("v1.initialize_all_variables")
def initialize_all_variables():
    """global_variables_initializer, under its first name."""
    return global_variables_initializer()


@public("v1.initialize_variables")
def initialize_variables(var_list, name="init"):
    """variables_initializer, under its first name."""
    return variables_initializer(var_list, name)


@public("v1.initialize_local_variables")
def initialize_local_variables():
    """local_variables_initializer, under its first name."""
    return local_variables_initializer()
