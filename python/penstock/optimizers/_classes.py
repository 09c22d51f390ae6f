"""The classes of tf.optimizers, with the formulas of Keras."""

from __future__ import annotations

from penstock import raw_ops
from penstock._api import public
from penstock._autodiff.tape import IndexedSlices
from penstock._ops.convert import cast
from penstock.optimizers._base import Optimizer, dense, squared


@public("optimizers.SGD")
class SGD(Optimizer):
    """Gradient descent, with optional momentum.

    Args:
      learning_rate: The size of a step: a number, a tensor or a schedule.
      momentum: How much of the last step goes into the next.
      nesterov: True for Nesterov's momentum.
      **kwargs: name, weight_decay, clipnorm, clipvalue, global_clipnorm and more, as in
        TensorFlow.

    >>> w = tf.Variable([1.0, 2.0])
    >>> slope = tf.constant([1.0, 1.0])
    >>> step = tf.optimizers.SGD(learning_rate=0.5).apply_gradients([(slope, w)])
    >>> w.numpy()
    array([0.5, 1.5], dtype=float32)
    """

    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, **kwargs):
        super().__init__(learning_rate, **kwargs)
        if not isinstance(momentum, (int, float)) or not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be a float between [0, 1].")
        self.momentum, self.nesterov = momentum, nesterov

    def build(self, variables):
        super().build(variables)
        self._momenta = self._add_slots("momentum") if self.momentum else []

    def update_step(self, gradient, variable, learning_rate):
        if not self.momentum:
            if isinstance(gradient, IndexedSlices):
                variable._scatter_sub(gradient.indices, gradient.values * learning_rate)
            else:
                variable._assign_sub(gradient * learning_rate)
            return
        slot = self._momenta[self._place(variable)]
        step = dense(gradient, variable) * learning_rate
        slot._assign(slot * self.momentum - step)
        variable._assign_add(slot * self.momentum - step if self.nesterov else slot.value())


@public("optimizers.Adam")
class Adam(Optimizer):
    """Adam: running means of the gradient and its square.

    Args:
      learning_rate: The size of a step: a number, a tensor or a schedule.
      beta_1: The decay of the running mean of gradients.
      beta_2: The decay of the running mean of squared gradients.
      epsilon: A small number that keeps the divisor from 0.
      amsgrad: True for the variant that keeps the largest second moment.
      **kwargs: name, weight_decay, clipnorm, clipvalue, global_clipnorm, ema_momentum and
        more, as in TensorFlow.

    >>> w = tf.Variable([1.0, 2.0])
    >>> slope = tf.constant([1.0, -1.0])
    >>> step = tf.optimizers.Adam(learning_rate=0.1).apply_gradients([(slope, w)])
    >>> w.numpy()
    array([0.9, 2.1], dtype=float32)
    """

    def __init__(
        self,
        learning_rate=0.001,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-7,
        amsgrad=False,
        **kwargs,
    ):
        super().__init__(learning_rate, **kwargs)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad

    def build(self, variables):
        super().build(variables)
        self._momenta = self._add_slots("momentum")
        self._velocities = self._add_slots("velocity")
        self._largest = self._add_slots("velocity_hat") if self.amsgrad else []

    def update_step(self, gradient, variable, learning_rate):
        place = self._place(variable)
        m, v = self._momenta[place], self._velocities[place]
        step = self._step(variable.dtype)
        powers = [raw_ops.Pow(x=cast(b, step.dtype), y=step) for b in (self.beta_1, self.beta_2)]
        if self.amsgrad or isinstance(gradient, IndexedSlices):
            self._step_by_step(gradient, variable, learning_rate, powers)
            return
        updated = raw_ops.ApplyAdam(
            var=variable,
            m=m,
            v=v,
            beta1_power=powers[0],
            beta2_power=powers[1],
            lr=learning_rate,
            beta1=self.beta_1,
            beta2=self.beta_2,
            epsilon=self.epsilon,
            grad=dense(gradient, variable),
        )
        for kept, new in zip((variable, m, v), updated, strict=True):
            kept._assign(new)

    def _step_by_step(self, gradient, variable, learning_rate, powers):
        """What the fused op does not do: the largest velocity so far, and single rows."""
        place = self._place(variable)
        m, v = self._momenta[place], self._velocities[place]
        m._assign_add((dense(gradient, variable) - m) * (1 - self.beta_1))
        v._assign_add((squared(gradient, variable) - v) * (1 - self.beta_2))
        spread = v
        if self.amsgrad:
            spread = self._largest[place]
            spread._assign(raw_ops.Maximum(x=spread, y=v))
        alpha = learning_rate * raw_ops.Sqrt(x=1 - powers[1]) / (1 - powers[0])
        variable._assign_sub(m * alpha / (raw_ops.Sqrt(x=spread) + self.epsilon))


@public("optimizers.AdamW")
class AdamW(Adam):
    """Adam with weight decay that does not pass through its means."""

    def __init__(
        self,
        learning_rate=0.001,
        weight_decay=0.004,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-7,
        amsgrad=False,
        **kwargs,
    ):
        if weight_decay is None:
            raise ValueError("Argument `weight_decay` must be a float. Received: None")
        super().__init__(
            learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay=weight_decay, **kwargs
        )


@public("optimizers.Adagrad")
class Adagrad(Optimizer):
    """Steps that shrink with the sum of the squared gradients."""

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, **kwargs):
        super().__init__(learning_rate, **kwargs)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon

    def build(self, variables):
        super().build(variables)
        self._sums = self._add_slots("accumulator", self.initial_accumulator_value)

    def update_step(self, gradient, variable, learning_rate):
        total = self._sums[self._place(variable)]
        total._assign_add(squared(gradient, variable))
        gradient = dense(gradient, variable)
        variable._assign_sub(learning_rate * gradient / raw_ops.Sqrt(x=total + self.epsilon))


@public("optimizers.RMSprop")
class RMSprop(Optimizer):
    """Steps over the root of a running mean of the squared gradients."""

    def __init__(
        self,
        learning_rate=0.001,
        rho=0.9,
        momentum=0.0,
        epsilon=1e-7,
        centered=False,
        **kwargs,
    ):
        super().__init__(learning_rate, **kwargs)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered

    def build(self, variables):
        super().build(variables)
        self._velocities = self._add_slots("velocity")
        self._momenta = self._add_slots("momentum") if self.momentum > 0 else []
        self._averages = self._add_slots("average_gradient") if self.centered else []

    def update_step(self, gradient, variable, learning_rate):
        place = self._place(variable)
        velocity = self._velocities[place]
        square = squared(gradient, variable)
        velocity._assign(velocity * self.rho + square * (1 - self.rho))
        gradient = dense(gradient, variable)
        spread = velocity + self.epsilon
        if self.centered:
            average = self._averages[place]
            average._assign(average * self.rho + gradient * (1 - self.rho))
            spread = spread - raw_ops.Square(x=average)
        step = learning_rate * gradient / raw_ops.Sqrt(x=spread)
        if self.momentum > 0:
            slot = self._momenta[place]
            slot._assign(slot * self.momentum + step)
            step = slot.value()
        variable._assign_sub(step)


@public("optimizers.Ftrl")
class Ftrl(Optimizer):
    """Follow the regularized leader."""

    def __init__(
        self,
        learning_rate=0.001,
        learning_rate_power=-0.5,
        initial_accumulator_value=0.1,
        l1_regularization_strength=0.0,
        l2_regularization_strength=0.0,
        l2_shrinkage_regularization_strength=0.0,
        beta=0.0,
        **kwargs,
    ):
        super().__init__(learning_rate, **kwargs)
        if learning_rate_power > 0:
            raise ValueError(
                "`learning_rate_power` needs to be negative or zero. Received: "
                f"learning_rate_power={learning_rate_power}."
            )
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta

    def build(self, variables):
        super().build(variables)
        self._sums = self._add_slots("accumulator", self.initial_accumulator_value)
        self._linears = self._add_slots("linear")

    def update_step(self, gradient, variable, learning_rate):
        place = self._place(variable)
        total, linear = self._sums[place], self._linears[place]
        updated = raw_ops.ApplyFtrlV2(
            var=variable,
            accum=total,
            linear=linear,
            grad=dense(gradient, variable),
            lr=learning_rate,
            l1=self.l1_regularization_strength,
            l2=self.beta / (2 * learning_rate) + self.l2_regularization_strength,
            l2_shrinkage=self.l2_shrinkage_regularization_strength,
            lr_power=self.learning_rate_power,
        )
        for kept, new in zip((variable, total, linear), updated, strict=True):
            kept._assign(new)


@public("optimizers.Adadelta")
class Adadelta(Optimizer):
    """Steps as large as the recent ones, relative to the recent gradients."""

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-7, **kwargs):
        super().__init__(learning_rate, **kwargs)
        self.rho, self.epsilon = rho, epsilon

    def build(self, variables):
        super().build(variables)
        self._gradients = self._add_slots("accumulated_grad")
        self._steps = self._add_slots("accumulated_delta_var")

    def update_step(self, gradient, variable, learning_rate):
        place = self._place(variable)
        gradients, steps = self._gradients[place], self._steps[place]
        gradients._assign(gradients * self.rho + squared(gradient, variable) * (1 - self.rho))
        ratio = raw_ops.Sqrt(x=(steps + self.epsilon) / (gradients + self.epsilon))
        step = ratio * dense(gradient, variable)
        steps._assign(steps * self.rho + raw_ops.Square(x=step) * (1 - self.rho))
        variable._assign_sub(step * learning_rate)


@public("optimizers.Adamax")
class Adamax(Optimizer):
    """Adam with the largest recent gradient in the place of their mean square."""

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, **kwargs):
        super().__init__(learning_rate, **kwargs)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def build(self, variables):
        super().build(variables)
        self._means = self._add_slots("momentum")
        self._norms = self._add_slots("norm")

    def update_step(self, gradient, variable, learning_rate):
        place = self._place(variable)
        mean, norm = self._means[place], self._norms[place]
        step = self._step(variable.dtype)
        power = raw_ops.Pow(x=cast(self.beta_1, step.dtype), y=step)
        gradient = dense(gradient, variable)
        mean._assign_add((gradient - mean) * (1 - self.beta_1))
        norm._assign(raw_ops.Maximum(x=norm * self.beta_2, y=raw_ops.Abs(x=gradient)))
        variable._assign_sub(mean * learning_rate / ((norm + self.epsilon) * (1 - power)))


@public("optimizers.Lion")
class Lion(Optimizer):
    """Steps of one size, in the direction of a running mean of the gradient."""

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.99, **kwargs):
        super().__init__(learning_rate, **kwargs)
        if not 0 < beta_1 <= 1:
            raise ValueError(
                "Argument `beta_1` must be in the [0, 1] range. Otherwise, the optimizer "
                f"degenerates to SignSGD. Received: beta_1={beta_1}."
            )
        self.beta_1, self.beta_2 = beta_1, beta_2

    def build(self, variables):
        super().build(variables)
        self._means = self._add_slots("momentum")

    def update_step(self, gradient, variable, learning_rate):
        mean = self._means[self._place(variable)]
        gradient = dense(gradient, variable)
        mixed = mean * self.beta_1 + gradient * (1 - self.beta_1)
        variable._assign_sub(raw_ops.Sign(x=mixed) * learning_rate)
        mean._assign(mean * self.beta_2 + gradient * (1 - self.beta_2))
