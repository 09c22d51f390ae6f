"""The base of layers: variables in the layer's scope, created by the first call."""

from __future__ import annotations

import re

from penstock import _core
from penstock._api import public
from penstock.compat.v1 import _collections
from penstock.compat.v1._collections import GraphKeys
from penstock.compat.v1._variable_scope import get_variable, variable_scope


@public("v1.layers.Layer")
class Layer:
    """The base of layers: subclasses override `build` and `call`."""

    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        self.trainable, self.dtype, self._given_name = trainable, dtype, name
        self._scope, self._reuse = kwargs.pop("_scope", None), kwargs.pop("_reuse", None)
        self._activity_regularizer = kwargs.pop("activity_regularizer", None)
        if kwargs:
            raise TypeError(f"Keyword argument not understood: {sorted(kwargs)[0]}")
        self.built = False
        self._variables = []

    def build(self, input_shape) -> None:
        """Creates the variables."""
        self.built = True

    def call(self, inputs, *args, **kwargs):
        """Computes the layer's outputs."""
        return inputs

    def add_variable(
        self,
        name,
        shape,
        initializer=None,
        regularizer=None,
        constraint=None,
        trainable=True,
        dtype=None,
    ):
        """A variable of the layer."""
        variable = get_variable(
            name,
            shape,
            dtype or self.dtype,
            initializer,
            regularizer,
            trainable and self.trainable,
            constraint=constraint,
        )
        self._variables.append(variable)
        return variable

    add_weight = add_variable

    def __call__(self, inputs, *args, **kwargs):
        first = inputs[0] if isinstance(inputs, (list, tuple)) else inputs
        first = _core.to_tensor(first, self.dtype)
        inputs = inputs if isinstance(inputs, (list, tuple)) else first
        default = snake(type(self).__name__)
        if self._scope is not None and self.built:
            with variable_scope(self._scope, reuse=True):
                return self._result(inputs, args, kwargs)
        name_or_scope = self._scope or self._given_name
        with variable_scope(name_or_scope, default, reuse=self._reuse) as scope:
            self._scope = scope
            if not self.built:
                self.dtype = self.dtype or first.dtype
                self.build(first.shape)
                self.built = True
            return self._result(inputs, args, kwargs)

    apply = __call__

    def _result(self, inputs, args, kwargs):
        outputs = self.call(inputs, *args, **kwargs)
        if self._activity_regularizer is not None:
            loss = self._activity_regularizer(outputs)
            _collections.keep(GraphKeys.REGULARIZATION_LOSSES, loss)
        return outputs

    @property
    def name(self):
        return self._scope.name if self.built else self._given_name

    scope_name = property(lambda self: None if self._scope is None else self._scope.name)
    variables = weights = property(lambda self: list(self._variables))

    @property
    def trainable_variables(self):
        return [variable for variable in self._variables if variable.trainable]

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self):
        return [variable for variable in self._variables if not variable.trainable]

    @property
    def updates(self):
        return []


def snake(name: str) -> str:
    """ "Conv2DTranspose" as "conv2d_transpose"."""
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    name = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
    return re.sub(r"_(\dd)", r"\1", name)


def last_size(shape, layer: str) -> int:
    """The size of the last dimension, which determines the variables' shapes."""
    if shape.rank is None or shape[-1] is None:
        raise ValueError(
            f"The last dimension of the inputs to `{layer}` should be defined. Found `None`."
        )
    return shape[-1]
