"""tf.compat.v1.get_variable and variable_scope: variables looked up by name.

A graph has one table of variables by name, and every thread one current scope in it. Eager programs
keep no table: every call creates a variable.
"""

from __future__ import annotations

import enum
import functools
import inspect
import threading
import weakref

from penstock import _core, dtypes
from penstock._api import public
from penstock._context.scope import graph_scope
from penstock._tensors.shape import TensorShape
from penstock.compat.v1 import _collections
from penstock.compat.v1._collections import GraphKeys
from penstock.compat.v1._variables import make_variable


class _ReuseMode(enum.Enum):
    """Reuses an existing variable, or creates it."""

    AUTO_REUSE = 1


AUTO_REUSE = public("v1.AUTO_REUSE")(_ReuseMode.AUTO_REUSE)


class _Table:
    """The variables of a graph by name, and how often each scope was opened."""

    def __init__(self):
        self.variables = {}
        self.opened = {}

    def close_below(self, name):
        for other in self.opened:
            if not name or other.startswith(name + "/"):
                self.opened[other] = 0


class _Here(threading.local):
    def __init__(self):
        self.scopes = weakref.WeakKeyDictionary()


_here = _Here()


def _table() -> _Table:
    return _table_of(_collections.current())


def _table_of(graph) -> _Table:
    # Stored on the graph itself: variables refer to their graph, so an external table would keep
    # both alive.
    return vars(graph).setdefault("variable_table", _Table())


@public("v1.get_variable_scope")
def get_variable_scope() -> VariableScope:
    """The current scope."""
    graph = _collections.current()
    if graph not in _here.scopes:
        _here.scopes[graph] = VariableScope(False)
    return _here.scopes[graph]


@public("v1.VariableScope")
class VariableScope:
    """Where variables are looked up, and their default properties."""

    def __init__(
        self,
        reuse,
        name="",
        initializer=None,
        regularizer=None,
        caching_device=None,
        partitioner=None,
        custom_getter=None,
        name_scope="",
        dtype=dtypes.float32,
        use_resource=None,
        constraint=None,
    ):
        self.reuse, self.name = reuse, name
        self.initializer, self.regularizer = initializer, regularizer
        self.caching_device, self.partitioner = caching_device, partitioner
        self.custom_getter, self.original_name_scope = custom_getter, name_scope
        self.dtype, self.use_resource, self.constraint = dtype, use_resource, constraint

    def reuse_variables(self) -> None:
        """Allows only existing variables from now on."""
        self.reuse = True

    def set_initializer(self, initializer) -> None:
        self.initializer = initializer

    def set_regularizer(self, regularizer) -> None:
        self.regularizer = regularizer

    def set_dtype(self, dtype) -> None:
        self.dtype = dtype

    def set_custom_getter(self, custom_getter) -> None:
        self.custom_getter = custom_getter

    def _own(self, key) -> list:
        return _collections.get_collection(key, self.name + "/" if self.name else None)

    def global_variables(self) -> list:
        return self._own(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list:
        return self._own(GraphKeys.LOCAL_VARIABLES)

    def trainable_variables(self) -> list:
        return self._own(GraphKeys.TRAINABLE_VARIABLES)

    def get_variable(self, name, **arguments):
        return get_variable(name, **arguments)


@public("v1.get_variable")
def get_variable(
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=None,
    collections=None,
    caching_device=None,
    partitioner=None,
    validate_shape=True,
    use_resource=None,
    custom_getter=None,
    constraint=None,
    synchronization=None,
    aggregation=None,
    reuse=None,
):
    """The variable of that name in the current scope: created, or reused if the scope says so.

    Args:
      name: The variable's name in the scope.
      shape: The shape.
      dtype: The dtype of the result.
      initializer: A function of shape and dtype, or a value.
      regularizer: A function of the variable that returns a loss.
      trainable: Whether optimizers change it.
      collections: The collections that the variable is added to; None is the global
        variables.
      caching_device: Taken as in TensorFlow, and not used.
      partitioner: Variables are not partitioned: None.
      validate_shape: False to allow an initial value of unknown shape.
      use_resource: Taken as in TensorFlow, and not used.
      custom_getter: A function that is called in place of get_variable, with it as first
        argument.
      constraint: A function that optimizers apply to the variable after each step.
      synchronization: Taken as in TensorFlow, and not used.
      aggregation: Taken as in TensorFlow, and not used.
      reuse: True to find variables that exist; tf.compat.v1.AUTO_REUSE to make those that
        do not.

    >>> with tf.Graph().as_default():
    ...     w = tf.compat.v1.get_variable("w", [2, 3])
    ...     print(w.name, w.shape)
    w:0 (2, 3)
    """
    scope = get_variable_scope()
    if partitioner is not None or scope.partitioner is not None:
        raise NotImplementedError(
            f"get_variable({name!r}) with a partitioner: variables are kept in one piece here. "
            "Leave the partitioner out."
        )
    arguments = {
        "name": f"{scope.name}/{name}" if scope.name else name,
        "shape": None if shape is None else TensorShape(shape),
        "dtype": dtype if dtype is not None else scope.dtype,
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "trainable": trainable,
        "collections": collections,
        "constraint": scope.constraint if constraint is None else constraint,
        "reuse": scope.reuse if reuse is None else reuse,
    }
    getter = _found_or_made
    for custom in (scope.custom_getter, custom_getter):
        if custom is not None:
            getter = functools.partial(custom, getter)
    return getter(**arguments)


@public("v1.get_local_variable")
def get_local_variable(
    name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=False, **arguments
):
    """get_variable for a variable that is neither saved nor optimised."""
    collections = list(arguments.pop("collections", None) or ())
    if GraphKeys.LOCAL_VARIABLES not in collections:
        collections.append(GraphKeys.LOCAL_VARIABLES)
    return get_variable(
        name, shape, dtype, initializer, regularizer, False, collections, **arguments
    )


def _found_or_made(
    name,
    shape=None,
    dtype=dtypes.float32,
    initializer=None,
    regularizer=None,
    trainable=None,
    collections=None,
    constraint=None,
    reuse=None,
    **unused,
):
    known = _table().variables.get(name)
    if known is not None:
        return _found(known, name, shape, dtype, reuse)
    is_eager = _collections.current() is _collections.of_eager_programs
    if reuse is True and not is_eager:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you "
            "mean to set reuse=tf.AUTO_REUSE in VarScope?"
        )
    value, dtype = _first_value(name, shape, dtypes.as_dtype(dtype), initializer)
    trainable = True if trainable is None else trainable
    variable = make_variable(value, name, dtype, trainable, collections, constraint)
    if not is_eager:
        _table().variables[name] = variable
    if regularizer is not None:
        with graph_scope(f"{name}/Regularizer/"):
            loss = regularizer(variable)
        if loss is not None:
            _collections.keep(GraphKeys.REGULARIZATION_LOSSES, loss)
    return variable


def _found(known, name, shape, dtype, reuse):
    if not reuse:
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    if shape is not None and not shape.is_compatible_with(known.shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {shape} and found shape "
            f"{known.shape}."
        )
    if dtypes.as_dtype(dtype) is not known.dtype:
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {dtypes.as_dtype(dtype).name} "
            f"and found dtype {known.dtype.name}."
        )
    return known


def _first_value(name, shape, dtype, initializer):
    """(a function that makes the initial value, the dtype)."""
    if initializer is not None and not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        value = _core.to_tensor(initializer)
        return (lambda: value), value.dtype
    if initializer is None and (shape is None or not shape.is_fully_defined()):
        if shape is None:
            raise ValueError(
                f"Variable {name} did not get an initializer, so its `shape` argument must be "
                "specified."
            )
        raise _open_shape(name, shape)
    if initializer is None:
        initializer = _default_initializer(name, dtype)
    if isinstance(initializer, type):
        initializer = initializer()
    if shape is None:
        return (lambda: _core.to_tensor(initializer(), dtype)), dtype
    if not shape.is_fully_defined():
        raise _open_shape(name, shape)
    sizes = shape.as_list()
    takes_dtype = "dtype" in inspect.signature(initializer).parameters
    if takes_dtype:
        return (lambda: initializer(sizes, dtype=dtype)), dtype
    return (lambda: _core.to_tensor(initializer(sizes), dtype)), dtype


def _open_shape(name, shape):
    return ValueError(
        f"Shape of a new variable ({name}) must be fully defined, but instead was {shape}."
    )


def _default_initializer(name, dtype):
    from penstock.compat.v1 import _initializers

    if dtype.is_floating:
        return _initializers.glorot_uniform_initializer()
    if dtype.is_integer or dtype in (dtypes.bool, dtypes.string):
        return _initializers.zeros_initializer()
    raise ValueError(f"An initializer for Variable({name}) of {dtype!r} is required.")


@public("v1.variable_scope")
class variable_scope:
    """Inside, get_variable looks up and creates variables named `scope/…`; ops get the same prefix.

    Args:
      name_or_scope: The scope's name, or a scope to enter again.
      default_name: The name where `name_or_scope` is None; it is made unique.
      values: Taken as in TensorFlow, and not used.
      initializer: A function of shape and dtype, or a value.
      regularizer: A function of the variable that returns a loss.
      caching_device: Taken as in TensorFlow, and not used.
      partitioner: Variables are not partitioned: None.
      custom_getter: A function that is called in place of get_variable, with it as first
        argument.
      reuse: True to find variables that exist; tf.compat.v1.AUTO_REUSE to make those that
        do not.
      dtype: The dtype of the result.
      use_resource: Taken as in TensorFlow, and not used.
      constraint: A function that optimizers apply to the variable after each step.
      auxiliary_name_scope: False to leave the names of operations alone.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.variable_scope("layer"):
    ...         w = tf.compat.v1.get_variable("w", [2])
    ...     print(w.name)
    layer/w:0
    """

    def __init__(
        self,
        name_or_scope,
        default_name=None,
        values=None,
        initializer=None,
        regularizer=None,
        caching_device=None,
        partitioner=None,
        custom_getter=None,
        reuse=None,
        dtype=None,
        use_resource=None,
        constraint=None,
        auxiliary_name_scope=True,
    ):
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        self._name_or_scope, self._default_name = name_or_scope, default_name
        self._reuse = reuse or None
        self._auxiliary_name_scope = auxiliary_name_scope
        self._given = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._custom_getter = custom_getter
        self._entered = []

    def __enter__(self) -> VariableScope:
        from penstock.compat import v1

        outer, table = get_variable_scope(), _table()
        name_or_scope = self._name_or_scope
        if isinstance(name_or_scope, VariableScope):
            like, name, ops_name = (
                name_or_scope,
                name_or_scope.name,
                name_or_scope.name.rpartition("/")[2],
            )
            opened = dict(table.opened)
        else:
            ops_name = self._default_name if name_or_scope is None else name_or_scope
            own = (
                _free_name(outer.name, ops_name, table) if name_or_scope is None else name_or_scope
            )
            name = "/".join(part for part in (outer.name, own) if part)
            like, opened = outer, None
        names = None
        place = like.original_name_scope if isinstance(name_or_scope, VariableScope) else ""
        if ops_name and self._auxiliary_name_scope:
            names = v1.name_scope(ops_name)
            entered = names.__enter__()
            place = place or entered
        scope = VariableScope(
            like.reuse if self._reuse is None else self._reuse,
            name,
            custom_getter=_chained(self._custom_getter, like.custom_getter),
            name_scope=place,
            **{
                key: getattr(like, key) if value is None else value
                for key, value in self._given.items()
            },
        )
        if not isinstance(name_or_scope, VariableScope):
            table.opened[name] = table.opened.get(name, 0) + 1
        _here.scopes[_collections.current()] = scope
        self._entered.append((_collections.current(), outer, names, opened, scope))
        return scope

    def __exit__(self, *error):
        graph, outer, names, opened, scope = self._entered.pop()
        table = _table_of(graph)
        table.close_below(scope.name)
        if opened is not None:
            table.opened = opened
        _here.scopes[graph] = outer
        if names is not None:
            names.__exit__(*error)
        return False


def _free_name(outer: str, name: str, table: _Table) -> str:
    """The name, with a number if the scope was opened before."""
    start = f"{outer}/" if outer else ""
    if not table.opened.get(start + name):
        return name
    number = 1
    while table.opened.get(f"{start}{name}_{number}"):
        number += 1
    return f"{name}_{number}"


def _chained(inner, outer):
    """A getter that calls the inner one, passing it the outer one."""
    if inner is None or outer is None:
        return inner or outer

    def getter(getter, *args, **kwargs):
        return inner(functools.partial(outer, getter), *args, **kwargs)

    return getter


@public("v1.variable_op_scope")
def variable_op_scope(values, name_or_scope, default_name=None, **arguments):
    """variable_scope with its arguments in another order."""
    return variable_scope(name_or_scope, default_name, values, **arguments)


@public("v1.make_template")
def make_template(
    name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs
):
    """The function, whose variables the first call creates and later calls reuse.

    Args:
      name_: The scope of the variables.
      func_: The function.
      create_scope_now_: True to make the scope now, not at the first call.
      unique_name_: A name for the scope that is not made unique.
      custom_getter_: A function that is called in place of get_variable.
      **kwargs: Arguments that the function always gets.

    >>> with tf.Graph().as_default():
    ...     scale = lambda x: x * tf.compat.v1.get_variable("w", [])
    ...     scaled = tf.compat.v1.make_template("scale", scale)
    ...     a, b = scaled(1.0), scaled(2.0)
    ...     print(len(tf.compat.v1.global_variables()))
    1
    """
    scope = None

    @functools.wraps(func_)
    def template(*args, **more):
        nonlocal scope
        if scope is None:
            with variable_scope(unique_name_, name_, custom_getter=custom_getter_) as scope:
                return func_(*args, **kwargs, **more)
        with variable_scope(scope, reuse=True):
            return func_(*args, **kwargs, **more)

    return template
