"""tf.compat.v1: TensorFlow 1's names, with its graphs and sessions.

A name is looked for in the files below, then in the table of names that today's functions had then
(_names.txt), then in penstock itself. Nothing is imported before it is asked for.
"""

import importlib as _importlib

_MODULES = [
    *("app", "debugging", "dtypes", "flags", "gfile", "initializers", "io", "layers", "linalg"),
    *("logging", "losses", "manip", "math", "metrics", "nn", "python_io", "random", "spectral"),
    *("strings", "summary", "train"),
]
_LATER = {
    "_collections": (
        "GraphKeys add_to_collection add_to_collections get_collection get_collection_ref"
    ),
    "_control_flow": "case cond while_loop",
    "_default": "get_default_graph reset_default_graph",
    "_gradients": "gradients",
    "_graph": "Graph",
    "_graph_variable": (
        "global_variables_initializer initialize_all_variables initialize_local_variables "
        "initialize_variables is_variable_initialized local_variables_initializer "
        "report_uninitialized_variables variables_initializer"
    ),
    "_nodes": "container name_scope placeholder placeholder_with_default",
    "_operation": "GraphDef NodeDef Operation",
    "_default_session": "get_default_session",
    "_session": "InteractiveSession Session",
    "_config": "ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata RunOptions",
    "_functions": (
        "AggregationMethod Print assert_scalar batch_gather batch_to_space clip_by_average_norm "
        "colocate_with "
        "convert_to_tensor_or_indexed_slices div extract_image_patches get_seed no_regularizer "
        "op_scope setdiff1d space_to_batch sparse_segment_mean sparse_segment_sqrt_n "
        "sparse_segment_sum sparse_to_dense to_bfloat16 to_complex128 to_complex64 "
        "to_double to_float to_int32 to_int64 where"
    ),
    "_initializers": (
        "constant_initializer glorot_normal_initializer glorot_uniform_initializer "
        "ones_initializer orthogonal_initializer random_normal_initializer "
        "random_uniform_initializer truncated_normal_initializer "
        "uniform_unit_scaling_initializer variance_scaling_initializer zeros_initializer"
    ),
    "_switches": (
        "control_flow_v2_enabled disable_control_flow_v2 disable_eager_execution "
        "disable_resource_variables disable_tensor_equality disable_v2_behavior "
        "disable_v2_tensorshape enable_control_flow_v2 enable_eager_execution "
        "enable_resource_variables enable_tensor_equality enable_v2_behavior enable_v2_tensorshape "
        "executing_eagerly executing_eagerly_outside_functions resource_variables_enabled"
    ),
    "_variable_scope": (
        "AUTO_REUSE VariableScope get_local_variable get_variable get_variable_scope make_template "
        "variable_op_scope variable_scope"
    ),
    "_variables": (
        "all_variables global_variables local_variables model_variables moving_average_variables "
        "trainable_variables"
    ),
    "_updates": (
        "assign assign_add assign_sub scatter_add scatter_div scatter_max scatter_min scatter_mul "
        "scatter_nd_add scatter_nd_sub scatter_nd_update scatter_sub scatter_update"
    ),
}
_FILES = {
    name: "penstock.compat.v1." + file for file, names in _LATER.items() for name in names.split()
}
_FILES |= dict.fromkeys(
    ("Event", "HistogramProto", "SessionLog", "Summary", "SummaryMetadata"),
    "penstock.summary._messages",
)
_FILES["Dimension"] = "penstock._tensors.shape"


def __getattr__(name):
    if name.startswith("_"):  # the files themselves are asked for before they are imported
        raise AttributeError(name)
    import penstock
    from penstock.compat.v1 import _names

    if name in _MODULES:
        return _importlib.import_module("penstock.compat.v1." + name)
    if name in _FILES:
        found = getattr(_importlib.import_module(_FILES[name]), name)
    else:
        found = _names.find("", name)
    if found is None:
        try:
            found = getattr(penstock, name)
        except AttributeError:
            from penstock._base import near as _near

            raise _near.missing(__name__, name, [*__dir__(), *dir(penstock)]) from None
    globals()[name] = found
    return found


def __dir__():
    from penstock.compat.v1 import _names

    return sorted({*_MODULES, *_FILES, *_names.names_in("")})
