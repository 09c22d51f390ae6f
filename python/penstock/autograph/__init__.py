"""tf.autograph: Python's control flow over tensors, as control flow of functions.

tf.function converts the function that it traces and the functions it calls: `if`, `while` and `for`
become operator calls. These behave like Python for Python values and add conditions and loops to
the graph for tensors. The converted code keeps the line numbers of the source."""

import ast as _ast

from penstock import _api
from penstock.autograph import experimental
from penstock.autograph._conversion import converted_tree as _converted_tree
from penstock.autograph._operators import operators as _operators_for
from penstock.autograph._operators.calls import convert as _convert
from penstock.autograph._tracebacks import with_users_lines as _with_users_lines


def _features(optional_features):
    if optional_features is None:
        return frozenset()
    if isinstance(optional_features, experimental.Feature):
        optional_features = (optional_features,)
    return frozenset(feature.value for feature in optional_features)


def _traced(function, autograph=True, experimental_autograph_options=None, **unused):
    """The function that tf.function traces in place of another."""
    if not autograph:
        return function
    converted = _convert(function, _operators_for(_features(experimental_autograph_options)))
    return function if converted is function else _with_users_lines(converted)


def _checked(entity):
    function = getattr(entity, "python_function", entity)
    if not callable(function) or isinstance(function, type):
        raise ValueError(
            f"Entity {entity} cannot be converted: only functions, methods and objects that are "
            "called like them can be."
        )
    return function


def to_graph(entity, recursive=True, experimental_optional_features=None):
    """The function with its control flow converted. Called with eager tensors it runs immediately.

    Args:
      entity: A Python function.
      recursive: True to convert the functions that are called as well.
      experimental_optional_features: A tf.autograph.experimental.Feature, or several.

    >>> def sign(x):
    ...     if x > 0:
    ...         return 1
    ...     return -1
    >>> tf.autograph.to_graph(sign)(tf.constant(3))
    1
    """
    return _convert(_checked(entity), _operators_for(_features(experimental_optional_features)))


def to_code(entity, recursive=True, experimental_optional_features=None):
    """The converted function as text; `ag__` stands for the operators.

    Args:
      entity: A Python function.
      recursive: True to convert the functions that are called as well.
      experimental_optional_features: A tf.autograph.experimental.Feature, or several.
    """
    function = _checked(entity)
    function = getattr(function, "__func__", function)
    tree = _converted_tree(function, _operators_for(_features(experimental_optional_features)))
    if tree is None:
        import inspect
        import textwrap

        return textwrap.dedent(inspect.getsource(function))
    tree.name = "tf__" + tree.name
    return _ast.unparse(tree) + "\n"


def trace(*args):
    """Prints the arguments; in a function, once per trace."""
    print(*args)


__getattr__, __dir__ = _api.surface("autograph")
