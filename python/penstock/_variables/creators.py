"""tf.variable_creator_scope: functions that intercept the creation of variables."""

from __future__ import annotations

import contextlib
import functools
import threading

from penstock import _core
from penstock._api import public
from penstock._base.version_1 import version_1
from penstock._context import frames

_here = threading.local()


class Created(type):
    """The metaclass of variables: it calls the creators of the current scopes."""

    def __call__(cls, *args, **kwargs):
        creators = getattr(_here, "creators", None)
        make = super().__call__
        if cls.__name__ == "Variable" and (_core.is_building() or frames.current() is not None):
            make = version_1.make_variable
        if not creators or cls.__name__ != "Variable":
            return make(*args, **kwargs)
        import inspect

        bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs)
        bound.apply_defaults()
        arguments = {name: value for name, value in bound.arguments.items() if name != "self"}
        for creator in creators:
            make = functools.partial(creator, make)
        return make(**arguments)


@public("variable_creator_scope")
@contextlib.contextmanager
def variable_creator_scope(variable_creator):
    """Variables made inside come from `variable_creator(next_creator, **arguments)`.

    Args:
      variable_creator: A function.

    >>> made = []
    >>> def note(next_creator, **arguments):
    ...     made.append(arguments["name"])
    ...     return next_creator(**arguments)
    >>> with tf.variable_creator_scope(note):
    ...     w = tf.Variable(1.0, name="w")
    >>> made
    ['w']
    """
    outer = getattr(_here, "creators", [])
    _here.creators = [*outer, variable_creator]
    try:
        yield
    finally:
        _here.creators = outer
