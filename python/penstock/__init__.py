"""Penstock: TensorFlow-shaped programs with their memory under control.

    import penstock as tf

Names are TensorFlow's. Submodules and op functions are made when they are first asked for.
"""

import importlib as _importlib

from penstock import _core, _hooks
from penstock._autodiff.tape import GradientTape, IndexedSlices, UnconnectedGradients, is_tensor
from penstock._base.version_1 import version_1 as _version_1
from penstock._install import install_as_tensorflow
from penstock._ops.basic import (
    boolean_mask,
    cast,
    constant,
    convert_to_tensor,
    divide,
    eye,
    from_dlpack,
    gather,
    gradients,
    one_hot,
    ones,
    ones_like,
    pad,
    range,
    rank,
    split,
    unstack,
    where,
    zeros,
    zeros_like,
)
from penstock._tensors.shape import TensorShape
from penstock._variables.variable import Variable, VariableAggregation, VariableSynchronization
from penstock.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)

_hooks.install()
_version_1.load_from("penstock.compat.v1._parts")

__version__ = _core.__version__
Tensor = _core.Tensor
newaxis = None

_MODULES = [
    "autodiff",
    "autograph",
    "bitwise",
    "compat",
    "config",
    "debugging",
    "dtypes",
    "errors",
    "experimental",
    "initializers",
    "io",
    "linalg",
    "losses",
    "math",
    "metrics",
    "nest",
    "nn",
    "optimizers",
    "profiler",
    "quantization",
    "random",
    "raw_ops",
    "signal",
    "strings",
    "summary",
    "sysconfig",
    "test",
    "train",
    "types",
    "version",
]
# Names that not every program needs: the files that have them are read when one is first asked for.
_LATER = {
    "_control_flow.conditionals": "case cond switch_case",
    "_control_flow.loops": "while_loop",
    "_control_flow.maps": "map_fn vectorized_map",
    "_control_flow.scans": "foldl foldr scan",
    "_variables.creators": "variable_creator_scope",
    "_ops.arrays": (
        "argsort broadcast_dynamic_shape broadcast_static_shape clip_by_global_norm clip_by_norm "
        "complex concat dynamic_stitch einsum ensure_shape fill identity linspace "
        "meshgrid parallel_stack repeat required_space_to_batch_paddings reverse_sequence "
        "scalar_mul sequence_mask sort stack strided_slice tensordot transpose truediv"
    ),
    "_autodiff.custom_gradient": "custom_gradient grad_pass_through recompute_grad",
    "_ops.math": "add_n round",
    "_ops.linalg": "norm",
    "_tracing.function": "function",
    "_ops.printing": "print",
    "_ops.running": (
        "control_dependencies get_logger group is_symbolic_tensor no_op "
        "numpy_function py_function timestamp tuple"
    ),
    "initializers._top_level": (
        "constant_initializer ones_initializer random_normal_initializer "
        "random_uniform_initializer zeros_initializer"
    ),
    "_variables.module": "Module",
    "_context.scope": "device get_current_name_scope name_scope",
    "_tensors.tensor": "get_static_value",
    "_tensors.spec": "TensorSpec TypeSpec type_spec_from_value",
    "_control_flow.tensor_array": "TensorArray",
    "_context.trace": "init_scope inside_function",
    "summary._messages": "make_ndarray make_tensor_proto",
    "compat.v1._graph": "Graph",
    "compat.v1._operation": "Operation",
    "debugging": "Assert assert_equal assert_greater assert_less assert_rank",
}
_FILES = {name: file for file, names in _LATER.items() for name in names.split()}


def executing_eagerly():
    """True when ops run as they are called; False while a function is traced.

    >>> tf.executing_eagerly()
    True
    """
    return not _core.is_tracing()


def __getattr__(name):
    if name in _MODULES:
        return _importlib.import_module("penstock." + name)
    from penstock import _api
    from penstock._base import near as _near

    if name in _FILES:
        function = getattr(_importlib.import_module("penstock." + _FILES[name]), name)
    else:
        function = _api.find("", name)
    if function is None:
        if name.startswith("__"):
            raise AttributeError(name)
        raise _near.missing("penstock", name, __dir__())
    globals()[name] = function
    return function


def __dir__():
    from penstock import _api

    own = [name for name in [*globals()] if not name.startswith("_") and name != "importlib"]
    return sorted({*own, *_MODULES, *_FILES, *_api.names_in(""), "__version__"})


_hooks.record_if_asked()
