"""tf.Variable: a mutable, named tensor."""

from __future__ import annotations

import enum
import functools

from penstock import _core, dtypes
from penstock._api import public
from penstock._autodiff.tape import pause, variables_by_id
from penstock._context.scope import current_scope
from penstock._core import Tensor
from penstock._ops.symbolic_index import has_unknown
from penstock._tensors.shape import TensorShape
from penstock._tensors.tensor import Reference, numpy_text, set_shape, tensor_array
from penstock._variables.creators import Created


class NeedsVariables(BaseException):
    """Tracing needs the variables themselves. Programs do not catch this."""


def _initial(value, dtype):
    """The initial value as a tensor with data, even while a function is traced."""
    if not _core.is_tracing():
        return _core.to_tensor(value() if callable(value) else value, dtype)
    from penstock._context.trace import init_scope

    if callable(value):
        with init_scope():
            return _core.to_tensor(value(), dtype)
    from penstock import errors

    try:
        return _core.evaluate_now(_core.to_tensor(value, dtype))
    except errors.FailedPreconditionError as error:  # of a placeholder variable
        raise NeedsVariables from error


@public("VariableSynchronization")
class VariableSynchronization(enum.Enum):
    """When copies of a variable are synchronised: there are no copies here."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


@public("VariableAggregation")
class VariableAggregation(enum.Enum):
    """How copies of a variable are aggregated: there are no copies here."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


@public("Variable")
class Variable(_core.VariableHandle, metaclass=Created):
    """A mutable tensor: `tf.Variable([1.0, 2.0], name="w")`.

    Args:
      *args: initial_value, trainable=True, validate_shape=True, name=None, dtype=None,
        shape=None and more, as in TensorFlow.

    >>> w = tf.Variable([1.0, 2.0], name="w")
    >>> w.assign_add([1.0, 1.0]).numpy()
    array([2., 3.], dtype=float32)
    >>> w.shape, w.dtype
    (TensorShape([2]), tf.float32)
    """

    def __new__(cls, *args, **kwargs):
        # The class that programs see printed, as in TensorFlow.
        return _core.VariableHandle.__new__(ResourceVariable if cls is Variable else cls)

    def __init__(
        self,
        initial_value=None,
        trainable=None,
        validate_shape=True,
        caching_device=None,
        name=None,
        variable_def=None,
        dtype=None,
        import_scope=None,
        constraint=None,
        synchronization=None,
        aggregation=None,
        shape=None,
        experimental_enable_variable_lifting=True,
    ):
        if initial_value is None:
            raise ValueError("The `initial_value` arg to `tf.Variable` must be specified.")
        wanted = None if dtype is None else dtypes.as_dtype(dtype)
        value = _initial(initial_value, wanted)
        if shape is not None and not value.shape.is_compatible_with(shape):
            raise ValueError(
                f"The initial value's shape ({value.shape}) is not compatible with the explicitly "
                f"supplied `shape` argument ({TensorShape(shape)})."
            )
        name = current_scope() + (name or "Variable")
        self._name = name + ":0"
        self._trainable = True if trainable is None else bool(trainable)
        self._constraint = constraint
        is_open = shape is not None and not TensorShape(shape).is_fully_defined()
        open_shape = [TensorShape(shape)._dims] if is_open else []
        if _core.is_tracing():
            from penstock._context import trace as _tracing

            tracing = _tracing.current()
            if tracing is not None:
                tracing.add_variable(self)
            with _tracing.init_scope():
                self._create(value, name, self._trainable, *open_shape)
        else:
            self._create(value, name, self._trainable, *open_shape)
        variables_by_id[self._id] = self

    name = property(lambda self: self._name, doc='The name, with ":0" behind it.')
    trainable = property(lambda self: self._trainable)
    constraint = property(lambda self: self._constraint)
    device = property(lambda self: "/job:localhost/replica:0/task:0/device:CPU:0")
    ndim = property(lambda self: self.shape.rank)
    _shared_name = property(lambda self: self._name[:-2])
    __array_priority__ = 100

    def get_shape(self) -> TensorShape:
        """The shape.

        >>> tf.Variable([1.0, 2.0]).get_shape()
        TensorShape([2])
        """
        return self.shape

    set_shape = set_shape

    def read_value(self) -> Tensor:
        """The value as a tensor that later assignments do not change.

        Returns:
          A tensor.

        >>> w = tf.Variable(1.0)
        >>> value = w.read_value()
        >>> w.assign(2.0).numpy(), value.numpy()
        (np.float32(2.0), np.float32(1.0))
        """
        return self.value()

    initializer = None
    synchronization = property(lambda self: VariableSynchronization.AUTO)
    aggregation = property(lambda self: VariableAggregation.NONE)

    @property
    def initial_value(self):
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    def eval(self, session=None):
        """The variable's value in a session. Eager variables have `numpy()`.

        Args:
          session: The session; None is the default one.

        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     w = tf.compat.v1.get_variable("w", initializer=1.0)
        ...     sess.run(w.initializer)
        ...     print(w.eval())
        1.0
        """
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    def initialized_value(self) -> Tensor:
        return self.value()

    def is_initialized(self, name=None) -> Tensor:
        return _core.to_tensor(True)

    def ref(self):
        """A hashable reference, for sets and dictionaries; `deref()` gives the variable.

        >>> w = tf.Variable(1.0)
        >>> {w.ref(): "w"}[w.ref()]
        'w'
        """
        return Reference(self)

    experimental_ref = ref

    def _updated(self, read_value):
        if not read_value:
            return None
        unread = _core.VariableHandle.__new__(_Unread)
        unread._share(self)
        unread.__dict__ = self.__dict__
        return unread

    def _checked(self, value, error=ValueError):
        value = _core.to_tensor(value, self.dtype)
        if not self.shape.is_compatible_with(value.shape):
            raise error(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch."
                f"The variable shape {self.shape}, and the assigned value shape {value.shape} are "
                "incompatible."
            )
        return value

    def assign(self, value, use_locking=False, name=None, read_value=True) -> Variable:
        """Gives the variable a new value of the same shape.

        Args:
          value: The new value.
          use_locking: Taken as in TensorFlow, and not used.
          name: The name of the operation in a graph.
          read_value: False to return nothing in a graph.

        Returns:
          The variable.

        >>> w = tf.Variable([1.0, 2.0])
        >>> w.assign([3.0, 4.0]).numpy()
        array([3., 4.], dtype=float32)
        """
        self._assign(self._checked(value))
        return self._updated(read_value)

    def assign_add(self, delta, use_locking=False, name=None, read_value=True) -> Variable:
        """Adds to the value, in place.

        Args:
          delta: What is added.
          use_locking: Taken as in TensorFlow, and not used.
          name: The name of the operation in a graph.
          read_value: False to return nothing in a graph.

        Returns:
          The variable.

        >>> w = tf.Variable([1.0, 2.0])
        >>> w.assign_add([0.5, 0.5]).numpy()
        array([1.5, 2.5], dtype=float32)
        """
        self._assign_add(self._checked(delta, _shape_error))
        return self._updated(read_value)

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True) -> Variable:
        """Subtracts from the value, in place.

        Args:
          delta: What is subtracted.
          use_locking: Taken as in TensorFlow, and not used.
          name: The name of the operation in a graph.
          read_value: False to return nothing in a graph.

        Returns:
          The variable.

        >>> w = tf.Variable([1.0, 2.0])
        >>> w.assign_sub([0.5, 0.5]).numpy()
        array([0.5, 1.5], dtype=float32)
        """
        self._assign_sub(self._checked(delta, _shape_error))
        return self._updated(read_value)

    def scatter_update(self, sparse_delta, use_locking=False, name=None) -> Variable:
        self._scatter_update(sparse_delta.indices, sparse_delta.values)
        return self._updated(True)

    def scatter_add(self, sparse_delta, use_locking=False, name=None) -> Variable:
        self._scatter_add(sparse_delta.indices, sparse_delta.values)
        return self._updated(True)

    def scatter_sub(self, sparse_delta, use_locking=False, name=None) -> Variable:
        self._scatter_sub(sparse_delta.indices, sparse_delta.values)
        return self._updated(True)

    def scatter_max(self, sparse_delta, use_locking=False, name=None) -> Variable:
        return self._scatter_rows("TensorScatterMax", sparse_delta)

    def scatter_min(self, sparse_delta, use_locking=False, name=None) -> Variable:
        return self._scatter_rows("TensorScatterMin", sparse_delta)

    def scatter_mul(self, sparse_delta, use_locking=False, name=None) -> Variable:
        return self._scatter_in_turn(sparse_delta, lambda old, new: old * new)

    def scatter_div(self, sparse_delta, use_locking=False, name=None) -> Variable:
        return self._scatter_in_turn(sparse_delta, lambda old, new: old / new)

    def _scatter_rows(self, op, delta):
        from penstock import raw_ops

        return self._scatter_nd(op, raw_ops.ExpandDims(input=delta.indices, axis=-1), delta.values)

    def _scatter_in_turn(self, delta, combine):
        # Row by row: a repeated index counts twice.
        with pause():
            for row, index in enumerate(_core.to_tensor(delta.indices)):
                self._assign_part(int(index), combine(self[int(index)], delta.values[row]), False)
        return self._updated(True)

    def _scatter_nd(self, op, indices, updates):
        indices = _core.to_tensor(indices, dtypes.int32, True)
        self._update(op, (indices, _core.to_tensor(updates, self.dtype)), ())
        return self._updated(True)

    def scatter_nd_update(self, indices, updates, name=None) -> Variable:
        return self._scatter_nd("TensorScatterUpdate", indices, updates)

    def scatter_nd_add(self, indices, updates, name=None) -> Variable:
        return self._scatter_nd("TensorScatterAdd", indices, updates)

    def scatter_nd_sub(self, indices, updates, name=None) -> Variable:
        return self._scatter_nd("TensorScatterSub", indices, updates)

    def sparse_read(self, indices, name=None) -> Tensor:
        from penstock import raw_ops

        return raw_ops.GatherV2(params=self, indices=indices)

    def gather_nd(self, indices, name=None) -> Tensor:
        from penstock import raw_ops

        return raw_ops.GatherNd(params=self, indices=indices)

    def __getitem__(self, index):
        if _core.is_tracing() and has_unknown(index):
            return self.value()[index]
        part = super().__getitem__(index)
        part.assign = lambda value, use_locking=False, name=None, read_value=True: (
            self._assign_part(index, value, read_value)
        )
        return part

    def _assign_part(self, index, value, read_value):
        from penstock import raw_ops

        begin, end, strides, *masks = _core.index_parts(index)
        value = _core.to_tensor(value, self.dtype)
        with pause():
            picked = super().__getitem__(index).shape
            if value.shape != picked:
                value = raw_ops.BroadcastTo(input=value, shape=picked)
        self._update("TensorStridedSliceUpdate", (begin, end, strides, value), tuple(masks))
        return self._updated(read_value)

    def __iter__(self):
        return iter(self.value())

    def __repr__(self):
        return variable_repr(self, f"'{self.name}'")

    __str__ = __repr__
    __array__ = tensor_array

    def _no_update(self, other):
        raise RuntimeError("A variable is changed with assign, assign_add or assign_sub.")

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ipow__ = _no_update

    def __deepcopy__(self, memo):
        copy = type(self)(self.value(), trainable=self.trainable, name=self._shared_name)
        memo[id(self)] = copy
        return copy

    def __reduce__(self):
        options = {"trainable": self.trainable, "name": self._shared_name, "dtype": self.dtype}
        return functools.partial(Variable, **options), (self._read_only_array(),)


class ResourceVariable(Variable):
    """The class of variables made by `tf.Variable`."""


def _shape_error(message):
    from penstock import errors

    return errors.InvalidArgumentError(None, None, message)


def variable_repr(variable, name: str) -> str:
    shape = tuple(variable.shape) if variable.shape.rank is not None else variable.shape
    dtype = variable.dtype.name
    if _core.is_tracing():
        return f"<tf.Variable {name} shape={shape} dtype={dtype}>"
    text = numpy_text(variable, for_repr=True)
    if "\n" in text:
        text = "\n" + text
    return f"<tf.Variable {name} shape={shape} dtype={dtype}, numpy={text}>"


class _Unread(ResourceVariable):
    """The result of an assignment: the same variable, printed under another name."""

    def __repr__(self):
        return variable_repr(self, "'UnreadVariable'")

    __str__ = __repr__
