"""tf.raw_ops: every op of the registry, under its own name and with its own arguments."""

import functools as _functools
import inspect as _inspect

from penstock import _api, _core
from penstock._base import near as _near

# TensorFlow's alternative names for arguments of raw ops.
_ALIASES = {"keep_dims": "keepdims", "DstT": "dtype", "reduction_indices": "axis"}
# Attributes of TensorFlow's raw ops that are inferred from the inputs here.
_IMPLIED = ("T", "Tidx", "Tindices", "SrcT", "Truncate", "Tshape", "N")


def _with_aliases(function, names):
    def raw_op(**arguments):
        for argument in list(arguments):
            if argument not in names and argument in _ALIASES:
                arguments[_ALIASES[argument]] = arguments.pop(argument)
            elif argument not in names and argument in _IMPLIED:
                del arguments[argument]
        return function(**arguments)

    # Copies the metadata of the OpFunction.
    _functools.update_wrapper(raw_op, function, ("__module__", "__name__", "__qualname__"))
    raw_op.__doc__ = _core.describe_op(function._op)[0]
    raw_op.__signature__ = _inspect.signature(function)
    return raw_op


def _with_pairs(function):
    # TensorFlow's raw op takes two lists; ours takes alternating items.
    def raw_op(indices, data, name=None):
        pairs = [_core.to_tensor(x) for pair in zip(indices, data, strict=True) for x in pair]
        return function(indices_and_data=pairs, name=name)

    raw_op.__name__ = raw_op.__qualname__ = function.__name__
    raw_op.__doc__ = _core.describe_op(function._op)[0]
    return raw_op


def __getattr__(name):
    if _core.describe_op(name) is None:
        if name.startswith("__"):
            raise AttributeError(name)
        raise _near.missing(__name__, name, _core.op_names())
    parameters = _api.raw_parameters(name)
    function = _api.make_function(name, parameters, f"raw_ops.{name}")
    names = {spec[0] for spec in parameters}
    if names & {"keepdims", "dtype"}:
        function = _with_aliases(function, names)
    if "indices_and_data" in names:
        function = _with_pairs(function)
    globals()[name] = function
    return function


def __dir__():
    return sorted(_core.op_names())
