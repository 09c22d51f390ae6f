"""tf.compat.v1.initializers: initial values of variables."""

from penstock.compat.v1._initializers import constant_initializer as constant
from penstock.compat.v1._initializers import glorot_normal_initializer as glorot_normal
from penstock.compat.v1._initializers import glorot_uniform_initializer as glorot_uniform
from penstock.compat.v1._initializers import identity_initializer as identity
from penstock.compat.v1._initializers import ones_initializer as ones
from penstock.compat.v1._initializers import orthogonal_initializer as orthogonal
from penstock.compat.v1._initializers import random_normal_initializer as random_normal
from penstock.compat.v1._initializers import random_uniform_initializer as random_uniform
from penstock.compat.v1._initializers import truncated_normal_initializer as truncated_normal
from penstock.compat.v1._initializers import (
    uniform_unit_scaling_initializer as uniform_unit_scaling,
)
from penstock.compat.v1._initializers import variance_scaling_initializer as variance_scaling
from penstock.compat.v1._initializers import zeros_initializer as zeros

__all__ = [
    "constant",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "uniform_unit_scaling",
    "variance_scaling",
    "zeros",
]


def he_normal(seed=None):
    """He's, normal."""
    return variance_scaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed=None):
    """He's, uniform."""
    return variance_scaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed=None):
    """LeCun's, normal."""
    return variance_scaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed=None):
    """LeCun's, uniform."""
    return variance_scaling(1.0, "fan_in", "uniform", seed)
