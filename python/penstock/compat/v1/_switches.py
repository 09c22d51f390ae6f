"""What turns TensorFlow 2's behaviour on: it is on."""

import penstock


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    """Nothing to do: execution is eager."""


def enable_v2_behavior():
    """Nothing to do."""


def enable_resource_variables():
    """Nothing to do: all variables are."""


def enable_control_flow_v2():
    """Nothing to do."""


def enable_tensor_equality():
    """Nothing to do: `==` compares elements."""


def enable_v2_tensorshape():
    """Nothing to do: the dimensions of a shape are integers."""


def resource_variables_enabled():
    """True."""
    return True


def control_flow_v2_enabled():
    """True."""
    return True


def executing_eagerly():
    """True when ops run as they are called."""
    return penstock.executing_eagerly()


def executing_eagerly_outside_functions():
    """True."""
    return True
