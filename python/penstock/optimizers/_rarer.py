"""Optimizers that fewer programs use, composed of ops."""

from __future__ import annotations

from penstock import raw_ops
from penstock._ops.convert import cast
from penstock.optimizers._base import Optimizer, dense, squared


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
