"""What turns TensorFlow 2's behaviour on and off: ops run at once, or become nodes of a graph."""

import penstock
from penstock import _core, _tracing

_is_eager = True  # what the program asked for


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    """Ops run as they are called."""
    global _is_eager
    from penstock.compat.v1 import _default

    _is_eager = True
    _default.leave_graph_mode()


def disable_eager_execution():
    """From here on ops become nodes of the default graph, which a Session runs."""
    global _is_eager
    from penstock.compat.v1 import _default

    _is_eager = False
    _default.enter_graph_mode()


def enable_v2_behavior():
    """Ops run as they are called."""
    enable_eager_execution()
    enable_control_flow_v2()


def disable_v2_behavior():
    """From here on ops become nodes of the default graph, which a Session runs."""
    disable_eager_execution()
    disable_control_flow_v2()


def enable_resource_variables():
    """Nothing to do: all variables are."""


def disable_resource_variables():
    """Nothing to do: what programs see of variables is the same."""


def enable_control_flow_v2():
    """Random ops in branches and loops have op seeds of their own."""
    _tracing.has_control_flow_v2 = True


def disable_control_flow_v2():
    """Random ops in branches and loops have the op seeds of the graph."""
    _tracing.has_control_flow_v2 = False


def enable_tensor_equality():
    """Nothing to do: `==` compares elements, but for tensors of graphs."""


def disable_tensor_equality():
    """Nothing to do: tensors of graphs are compared by which they are."""


def enable_v2_tensorshape():
    """Nothing to do: the dimensions of a shape are integers."""


def disable_v2_tensorshape():
    """Nothing to do: the dimensions of a shape stay integers."""


def resource_variables_enabled():
    """True."""
    return True


def control_flow_v2_enabled():
    """Whether branches and bodies of loops are graphs of their own."""
    return _tracing.has_control_flow_v2


def executing_eagerly():
    """True when ops run as they are called."""
    return penstock.executing_eagerly()


def executing_eagerly_outside_functions():
    """Whether ops outside of functions run as they are called."""
    return _is_eager and not _core.is_building()
