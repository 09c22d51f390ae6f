"""Switches between TensorFlow 1 and 2 behaviour: whether ops run eagerly or become graph nodes."""

import penstock
from penstock import _core
from penstock._api import public
from penstock._context import trace as _tracing
from penstock._tensors import shape as _shape

_is_eager = True  # the program's choice


@public("v1.enable_eager_execution")
def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    """Makes ops run when called.

    Args:
      config: Taken as in TensorFlow, and not used.
      device_policy: Taken as in TensorFlow, and not used.
      execution_mode: Taken as in TensorFlow, and not used.
    """
    global _is_eager
    from penstock.compat.v1 import _default

    _is_eager = True
    _default.leave_graph_mode()


@public("v1.disable_eager_execution")
def disable_eager_execution():
    """Makes ops nodes of the default graph, which a Session runs."""
    global _is_eager
    from penstock.compat.v1 import _default

    _is_eager = False
    _default.enter_graph_mode()


@public("v1.enable_v2_behavior")
def enable_v2_behavior():
    """TensorFlow 2 behaviour: ops run when called, and everything related."""
    enable_eager_execution()
    enable_resource_variables()
    enable_control_flow_v2()
    enable_tensor_equality()
    enable_v2_tensorshape()


@public("v1.disable_v2_behavior")
def disable_v2_behavior():
    """TensorFlow 1: ops become nodes of the default graph, which a Session runs, and all that goes
    with it."""
    disable_eager_execution()
    disable_resource_variables()
    disable_control_flow_v2()
    disable_tensor_equality()
    disable_v2_tensorshape()


# All variables are of one kind; only the names of their nodes differ.
has_resource_variables = True


@public("v1.enable_resource_variables")
def enable_resource_variables():
    """The nodes of variables are named as TensorFlow 2 names them."""
    global has_resource_variables
    has_resource_variables = True


@public("v1.disable_resource_variables")
def disable_resource_variables():
    """The nodes of variables are named as TensorFlow 1 names them."""
    global has_resource_variables
    has_resource_variables = False


@public("v1.resource_variables_enabled")
def resource_variables_enabled():
    """Whether the nodes of variables have TensorFlow 2's names."""
    return has_resource_variables


@public("v1.enable_control_flow_v2")
def enable_control_flow_v2():
    """Branches and loops are separate graphs, which affects node names and random seeds."""
    _tracing.has_control_flow_v2 = True


@public("v1.disable_control_flow_v2")
def disable_control_flow_v2():
    """Branches and loops are parts of the graph, which affects node names and random seeds."""
    _tracing.has_control_flow_v2 = False


@public("v1.control_flow_v2_enabled")
def control_flow_v2_enabled():
    """Whether branches and loop bodies are separate graphs."""
    return _tracing.has_control_flow_v2


@public("v1.enable_tensor_equality")
def enable_tensor_equality():
    """`==` compares elements, except for graph tensors; tensors cannot be dict keys."""
    _core.set_tensor_equality(True)


@public("v1.disable_tensor_equality")
def disable_tensor_equality():
    """`==` compares tensors by identity, and tensors can be dict keys."""
    _core.set_tensor_equality(False)


@public("v1.enable_v2_tensorshape")
def enable_v2_tensorshape():
    """Dimensions of a shape are integers or None."""
    _shape.give_dimensions(False)


@public("v1.disable_v2_tensorshape")
def disable_v2_tensorshape():
    """Dimensions of a shape are Dimension objects, whose `value` is an integer or None."""
    _shape.give_dimensions(True)


@public("v1.executing_eagerly")
def executing_eagerly():
    """True if ops run when called."""
    return penstock.executing_eagerly()


@public("v1.executing_eagerly_outside_functions")
def executing_eagerly_outside_functions():
    """Whether ops outside functions run when called."""
    return _is_eager and not _core.is_building()
