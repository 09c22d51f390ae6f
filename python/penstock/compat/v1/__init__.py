"""tf.compat.v1: what there is of TensorFlow 1 in eager programs; its graphs are not there yet."""

import penstock
from penstock._shape import Dimension
from penstock.compat import _logging as logging

__all__ = ["Dimension", "logging"]


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    """Nothing to do: execution is eager."""


def enable_v2_behavior():
    """Nothing to do."""


def enable_resource_variables():
    """Nothing to do: all variables are."""


def executing_eagerly():
    """True."""
    return True


def __getattr__(name):
    from penstock import _near

    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return getattr(penstock, name)
    except AttributeError:
        own = [each for each in globals() if not each.startswith("_")]
        raise _near.missing(__name__, name, [*own, *dir(penstock)]) from None
