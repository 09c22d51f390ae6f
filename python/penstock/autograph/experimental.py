"""tf.autograph.experimental: options and exceptions of the conversion."""

import enum as _enum
import functools as _functools

from penstock.autograph._conversion import MARK as _MARK


class Feature(_enum.Enum):
    """Optional parts of the conversion."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls):
        """All features."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude):
        """All features but those."""
        left_out = exclude if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple(
            feature for feature in cls if feature not in left_out and feature is not cls.ALL
        )


def do_not_convert(func=None):
    """Excludes the function from conversion."""
    if func is None:
        return do_not_convert

    @_functools.wraps(func)
    def wrapper(*args, **kwargs):
        return func(*args, **kwargs)

    setattr(wrapper, _MARK, True)
    return wrapper


def set_loop_options(
    parallel_iterations=None,
    swap_memory=None,
    maximum_iterations=None,
    shape_invariants=None,
    checkpoints=None,
):
    """Written first in a `for` or `while` over tensors: how that loop is to run.

    `shape_invariants` has pairs of a variable and the shape that it has in every iteration;
    `checkpoints` is how many states of earlier iterations a gradient keeps (tf.while_loop)."""
