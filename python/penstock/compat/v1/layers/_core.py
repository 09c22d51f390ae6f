"""Dense layers, dropout and batch normalization."""

from __future__ import annotations

import math

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._context.scope import graph_scope
from penstock._ops.convert import cast
from penstock._ops.linalg import tensordot
from penstock._tensors.tensor import get_static_value
from penstock.compat.v1 import _collections, nn
from penstock.compat.v1._collections import GraphKeys
from penstock.compat.v1._control_flow import cond
from penstock.compat.v1._initializers import ones_initializer, zeros_initializer
from penstock.compat.v1.layers._base import Layer, last_size


@public("v1.layers.Dense")
class Dense(Layer):
    """The matrix product of the inputs and a kernel, plus a bias.

    Args:
      units: The size of the output.
      activation: A function of the outputs, such as tf.nn.relu; None is the identity.
      use_bias: True to add a bias.
      kernel_initializer: The initializer of the weights; None is the scope's.
      bias_initializer: The initializer of the bias.
      kernel_regularizer: A function of the weights that returns a loss.
      bias_regularizer: A function of the bias that returns a loss.
      activity_regularizer: A function of the output that returns a loss.
      kernel_constraint: A function that is applied to the weights after each step.
      bias_constraint: A function that is applied to the bias after each step.
      trainable: Whether optimizers change it.
      name: The name of the operation in a graph.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.layers.Dense(4)(tf.ones([2, 3])).shape)
    (2, 4)
    """

    def __init__(
        self,
        units,
        activation=None,
        use_bias=True,
        kernel_initializer=None,
        bias_initializer=zeros_initializer,
        kernel_regularizer=None,
        bias_regularizer=None,
        activity_regularizer=None,
        kernel_constraint=None,
        bias_constraint=None,
        trainable=True,
        name=None,
        **kwargs,
    ):
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.activation, self.use_bias = int(units), activation, use_bias
        self._kernel = (kernel_initializer, kernel_regularizer, kernel_constraint)
        self._bias = (bias_initializer, bias_regularizer, bias_constraint)

    def build(self, input_shape):
        inputs = last_size(input_shape, "Dense")
        self.kernel = self.add_variable("kernel", [inputs, self.units], *self._kernel)
        self.bias = self.add_variable("bias", [self.units], *self._bias) if self.use_bias else None

    def call(self, inputs):
        if inputs.shape.rank == 2:
            outputs = raw_ops.MatMul(a=inputs, b=self.kernel)
        else:
            outputs = tensordot(inputs, self.kernel, [[inputs.shape.rank - 1], [0]])
        if self.bias is not None:
            outputs = raw_ops.BiasAdd(value=outputs, bias=self.bias)
        return outputs if self.activation is None else self.activation(outputs)


@public("v1.layers.Flatten")
class Flatten(Layer):
    """Flattens all dimensions except the first.

    Args:
      data_format: Where the channels are.
      **kwargs: Taken as in TensorFlow.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.layers.Flatten()(tf.ones([2, 3, 4])).shape)
    (2, 12)
    """

    def __init__(self, data_format="channels_last", **kwargs):
        super().__init__(**kwargs)
        self.data_format = data_format

    def call(self, inputs):
        if self.data_format == "channels_first" and inputs.shape.rank > 2:
            order = [0, *range(2, inputs.shape.rank), 1]
            inputs = raw_ops.Transpose(x=inputs, perm=order)
        rest = inputs.shape[1:]
        if rest.is_fully_defined():
            return raw_ops.Reshape(tensor=inputs, shape=[-1, math.prod(rest.as_list())])
        batch = raw_ops.Shape(input=inputs)[:1]
        sizes = raw_ops.ConcatV2(values=[batch, [-1]], axis=0)
        return raw_ops.Reshape(tensor=inputs, shape=sizes)


def _is_tensor(value):
    return isinstance(value, (_core.Tensor, _core.VariableHandle))


def _chosen(condition, yes, no):
    """One of two tensors, by a condition that may be symbolic."""
    return raw_ops.SelectV2(condition=cast(condition, dtypes.bool), t=yes, e=no)


@public("v1.layers.Dropout")
class Dropout(Layer):
    """Sets random elements to zero during training, and scales up the others."""

    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs, training=False):
        if _is_tensor(training) and (known := get_static_value(training)) is not None:
            training = bool(known)
        if not _is_tensor(training) and not training:
            return inputs
        inputs = _core.to_tensor(inputs)

        def drop():
            return nn.dropout(inputs, noise_shape=self.noise_shape, seed=self.seed, rate=self.rate)

        if not _is_tensor(training):
            return drop()
        # Without dropout no numbers are drawn.
        return cond(cast(training, dtypes.bool), drop, lambda: raw_ops.Identity(input=inputs))


@public("v1.layers.BatchNormalization")
class BatchNormalization(Layer):
    """Normalises to mean 0 and variance 1: of the batch during training, else of all batches."""

    def __init__(
        self,
        axis=-1,
        momentum=0.99,
        epsilon=1e-3,
        center=True,
        scale=True,
        beta_initializer=zeros_initializer,
        gamma_initializer=ones_initializer,
        moving_mean_initializer=zeros_initializer,
        moving_variance_initializer=ones_initializer,
        beta_regularizer=None,
        gamma_regularizer=None,
        beta_constraint=None,
        gamma_constraint=None,
        trainable=True,
        name=None,
        fused=None,
        **kwargs,
    ):
        super().__init__(trainable, name, **kwargs)
        self.axis = axis[0] if isinstance(axis, (list, tuple)) else axis
        self.momentum, self.epsilon, self.center, self.scale = momentum, epsilon, center, scale
        self._beta = (beta_initializer, beta_regularizer, beta_constraint)
        self._gamma = (gamma_initializer, gamma_regularizer, gamma_constraint)
        self._mean, self._variance = moving_mean_initializer, moving_variance_initializer
        self._fused = fused

    def build(self, input_shape):
        size = [input_shape[self.axis]]
        self.gamma = self.add_variable("gamma", size, *self._gamma) if self.scale else None
        self.beta = self.add_variable("beta", size, *self._beta) if self.center else None
        self.moving_mean = self.add_variable("moving_mean", size, self._mean, trainable=False)
        self.moving_variance = self.add_variable(
            "moving_variance", size, self._variance, trainable=False
        )

    def call(self, inputs, training=False):
        rank = inputs.shape.rank
        axes = [axis for axis in range(rank) if axis != self.axis % rank]
        mean, variance = self.moving_mean.value(), self.moving_variance.value()
        if _is_tensor(training) or training:
            moments = nn.moments(inputs, axes)
            self._update(inputs, moments, training, axes)
            if _is_tensor(training):
                pairs = zip(moments, (mean, variance), strict=True)
                mean, variance = (_chosen(training, new, old) for new, old in pairs)
            else:
                mean, variance = moments
        sizes = [1] * rank
        sizes[self.axis % rank] = -1
        parts = [
            None if part is None else raw_ops.Reshape(tensor=part, shape=sizes)
            for part in (mean, variance, self.beta, self.gamma)
        ]
        return nn.batch_normalization(inputs, *parts, self.epsilon)

    def _update(self, inputs, moments, training, axes):
        """Updates the moving averages; in a graph by ops in the collection of updates."""
        mean, variance = moments
        if inputs.shape.rank == 4 and self._fused is not False:
            # The fused op returns the variance of the population that the batch is a sample of.
            count = cast(raw_ops.Size(input=inputs), variance.dtype)
            count = count / cast(raw_ops.Size(input=variance), variance.dtype)
            variance = variance * (count / raw_ops.Maximum(x=count - 1, y=1.0))
        rate = _core.to_tensor(1 - self.momentum, mean.dtype)
        if _is_tensor(training):
            rate = _chosen(training, rate, raw_ops.ZerosLike(x=rate))
        for moving, new in ((self.moving_mean, mean), (self.moving_variance, variance)):
            with graph_scope("AssignMovingAvg"):
                update = moving.assign_sub((moving - new) * rate)
            _collections.keep(GraphKeys.UPDATE_OPS, update)
