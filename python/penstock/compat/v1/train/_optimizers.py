"""TensorFlow 1's optimizers: each is an update rule for a variable and its slots."""

from __future__ import annotations

from penstock import raw_ops
from penstock._api import public
from penstock.compat.v1.train._optimizer import Optimizer, by_rows, without_repeats
from penstock.optimizers._base import dense


@public("v1.train.GradientDescentOptimizer")
class GradientDescentOptimizer(Optimizer):
    """Gradient descent.

    Args:
      learning_rate: The size of a step: a number, a tensor or a schedule.
      use_locking: Taken as in TensorFlow, and not used.
      name: The scope of its operations.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     w = tf.compat.v1.get_variable("w", initializer=3.0)
    ...     step = tf.compat.v1.train.GradientDescentOptimizer(0.5).minimize(w * w)
    ...     sess.run(tf.compat.v1.global_variables_initializer())
    ...     sess.run(step)
    ...     print(sess.run(w))
    0.0
    """

    def __init__(self, learning_rate, use_locking=False, name="GradientDescent"):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _update(self, variable, grad):
        rate = self._number(self._learning_rate, variable)
        return raw_ops.ApplyGradientDescent(var=variable, alpha=rate, delta=grad)

    def _update_rows(self, variable, grad):
        rate = self._number(self._learning_rate, variable)
        return raw_ops.SparseApplyGradientDescent(
            var=variable, alpha=rate, grad=grad.values, indices=grad.indices
        )


@public("v1.train.MomentumOptimizer")
class MomentumOptimizer(Optimizer):
    """Gradient descent with momentum."""

    def __init__(
        self, learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False
    ):
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum = learning_rate, momentum
        self._use_nesterov = use_nesterov

    def _slots_of(self, variable):
        return [("momentum", 0)]

    def _settings(self, variable):
        return {
            "lr": self._number(self._learning_rate, variable),
            "momentum": self._number(self._momentum, variable),
            "use_nesterov": self._use_nesterov,
        }

    def _update(self, variable, momentum, grad):
        return raw_ops.ApplyMomentum(
            var=variable, accum=momentum, grad=grad, **self._settings(variable)
        )

    def _update_rows(self, variable, momentum, grad):
        values, indices = without_repeats(grad)
        return raw_ops.SparseApplyMomentum(
            var=variable, accum=momentum, grad=values, indices=indices, **self._settings(variable)
        )


@public("v1.train.AdamOptimizer")
class AdamOptimizer(Optimizer):
    """Adam: running means of the gradient and its square.

    Args:
      learning_rate: The size of a step: a number, a tensor or a schedule.
      beta1: The decay of the running mean of gradients.
      beta2: The decay of the running mean of squared gradients.
      epsilon: A small number that keeps the divisor from 0.
      use_locking: Taken as in TensorFlow, and not used.
      name: The scope of its operations.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     w = tf.compat.v1.get_variable("w", initializer=3.0)
    ...     step = tf.compat.v1.train.AdamOptimizer(0.5).minimize(w * w)
    ...     sess.run(tf.compat.v1.global_variables_initializer())
    ...     sess.run(step)
    ...     print(sess.run(w))
    2.5
    """

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-08,
        use_locking=False,
        name="Adam",
    ):
        super().__init__(use_locking, name)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon

    def _slots_of(self, variable):
        return [("m", 0), ("v", 0)]

    def _create_slots(self, variables):
        # The powers have the dtype of the first variable, as in TensorFlow.
        first = min(variables, key=lambda variable: variable.name)
        for name, beta in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
            value = beta() if callable(beta) else beta
            self._own_variable(name, value, first.dtype)
        super()._create_slots(variables)

    def _update(self, variable, m, v, grad):
        return raw_ops.ApplyAdam(
            var=variable,
            m=m,
            v=v,
            beta1_power=self._number(self._own["beta1_power"], variable),
            beta2_power=self._number(self._own["beta2_power"], variable),
            lr=self._number(self._lr, variable),
            beta1=self._number(self._beta1, variable),
            beta2=self._number(self._beta2, variable),
            epsilon=self._number(self._epsilon, variable),
            grad=grad,
        )

    def _update_rows(self, variable, m, v, grad):
        # The means of the other rows decay too, so this is a dense update.
        return self._update(variable, m, v, dense(grad, variable))

    def _finished(self):
        return [
            power.assign(power * self._number(beta, power), read_value=False)
            for power, beta in (
                (self._own["beta1_power"], self._beta1),
                (self._own["beta2_power"], self._beta2),
            )
        ]


@public("v1.train.AdagradOptimizer")
class AdagradOptimizer(Optimizer):
    """Steps that shrink with the sum of the squared gradients.

    Args:
      learning_rate: The size of a step: a number, a tensor or a schedule.
      initial_accumulator_value: Where the sums start.
      use_locking: Taken as in TensorFlow, and not used.
      name: The scope of its operations.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     w = tf.compat.v1.get_variable("w", initializer=3.0)
    ...     step = tf.compat.v1.train.AdagradOptimizer(0.1).minimize(w * w)
    ...     sess.run(tf.compat.v1.global_variables_initializer())
    ...     sess.run(step)
    ...     print(sess.run(w) < 3.0)
    True
    """

    def __init__(
        self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"
    ):
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate, self._initial = learning_rate, initial_accumulator_value

    def _slots_of(self, variable):
        return [("accumulator", self._initial)]

    def _settings(self, variable):
        return {
            "lr": self._number(self._learning_rate, variable),
            "epsilon": self._number(0.0, variable),
        }

    def _update(self, variable, accumulator, grad):
        return raw_ops.ApplyAdagradV2(
            var=variable, accum=accumulator, grad=grad, **self._settings(variable)
        )

    def _update_rows(self, variable, accumulator, grad):
        values, indices = without_repeats(grad)
        return raw_ops.SparseApplyAdagradV2(
            var=variable,
            accum=accumulator,
            grad=values,
            indices=indices,
            **self._settings(variable),
        )


@public("v1.train.AdadeltaOptimizer")
class AdadeltaOptimizer(Optimizer):
    """Steps as large as the recent ones, relative to the recent gradients."""

    def __init__(
        self, learning_rate=0.001, rho=0.95, epsilon=1e-08, use_locking=False, name="Adadelta"
    ):
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _slots_of(self, variable):
        return [("accum", 0), ("accum_update", 0)]

    def _settings(self, variable):
        settings = {"lr": self._lr, "rho": self._rho, "epsilon": self._epsilon}
        return {name: self._number(value, variable) for name, value in settings.items()}

    def _update(self, variable, *slots, grad):
        return _adadelta(variable, *slots, grad, **self._settings(variable))

    def _update_rows(self, variable, *slots, grad):
        return by_rows(_adadelta, (variable, *slots), grad, **self._settings(variable))


def _adadelta(var, accum, accum_update, grad, lr, rho, epsilon):
    accum = accum * rho + raw_ops.Square(x=grad) * (1 - rho)
    step = raw_ops.Sqrt(x=accum_update + epsilon) * raw_ops.Rsqrt(x=accum + epsilon) * grad
    accum_update = accum_update * rho + raw_ops.Square(x=step) * (1 - rho)
    return var - step * lr, accum, accum_update


@public("v1.train.RMSPropOptimizer")
class RMSPropOptimizer(Optimizer):
    """Steps over the root of a running mean of the squared gradients.

    Args:
      learning_rate: The size of a step: a number, a tensor or a schedule.
      decay: The decay of the running mean of squared gradients.
      momentum: How much of the last step goes into the next.
      epsilon: A small number that keeps the divisor from 0.
      use_locking: Taken as in TensorFlow, and not used.
      centered: True to divide by the estimated variance.
      name: The scope of its operations.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     w = tf.compat.v1.get_variable("w", initializer=3.0)
    ...     step = tf.compat.v1.train.RMSPropOptimizer(0.1).minimize(w * w)
    ...     sess.run(tf.compat.v1.global_variables_initializer())
    ...     sess.run(step)
    ...     print(sess.run(w) < 3.0)
    True
    """

    def __init__(
        self,
        learning_rate,
        decay=0.9,
        momentum=0.0,
        epsilon=1e-10,
        use_locking=False,
        centered=False,
        name="RMSProp",
    ):
        super().__init__(use_locking, name)
        self._learning_rate, self._decay, self._momentum = learning_rate, decay, momentum
        self._epsilon, self._centered = epsilon, centered

    def _slots_of(self, variable):
        centre = [("mg", 0)] if self._centered else []
        return [("rms", 1), *centre, ("momentum", 0)]

    def _settings(self, variable):
        return {
            "lr": self._number(self._learning_rate, variable),
            "rho": self._number(self._decay, variable),
            "momentum": self._number(self._momentum, variable),
            "epsilon": self._number(self._epsilon, variable),
        }

    def _update(self, variable, rms, *more, grad):
        settings = self._settings(variable)
        if self._centered:
            return _centered_rms_prop(variable, rms, *more, grad, **settings)
        return raw_ops.ApplyRMSProp(var=variable, ms=rms, mom=more[0], grad=grad, **settings)

    def _update_rows(self, variable, rms, *more, grad):
        settings = self._settings(variable)
        if self._centered:
            return by_rows(_centered_rms_prop, (variable, rms, *more), grad, **settings)
        values, indices = without_repeats(grad)
        return raw_ops.SparseApplyRMSProp(
            var=variable, ms=rms, mom=more[0], grad=values, indices=indices, **settings
        )


def _centered_rms_prop(var, ms, mg, mom, grad, lr, rho, momentum, epsilon):
    """RMSProp with the variance of the gradient: the squared mean is subtracted."""
    ms = ms * rho + raw_ops.Square(x=grad) * (1 - rho)
    mg = mg * rho + grad * (1 - rho)
    spread = raw_ops.Sqrt(x=ms - raw_ops.Square(x=mg) + epsilon)
    mom = mom * momentum + lr * grad / spread
    return var - mom, ms, mg, mom


@public("v1.train.FtrlOptimizer")
class FtrlOptimizer(Optimizer):
    """Follow the regularized leader."""

    def __init__(
        self,
        learning_rate,
        learning_rate_power=-0.5,
        initial_accumulator_value=0.1,
        l1_regularization_strength=0.0,
        l2_regularization_strength=0.0,
        use_locking=False,
        name="Ftrl",
        accum_name=None,
        linear_name=None,
        l2_shrinkage_regularization_strength=0.0,
        beta=None,
    ):
        super().__init__(use_locking, name)
        for what, value in {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }.items():
            if value < 0:
                raise ValueError(f"{what} {value} needs to be positive or zero")
        if learning_rate_power > 0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power} needs to be negative or zero"
            )
        self._learning_rate, self._power = learning_rate, learning_rate_power
        self._initial, self._beta = initial_accumulator_value, beta or 0.0
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength
        self._shrinkage = l2_shrinkage_regularization_strength

    def _slots_of(self, variable):
        return [("accum", self._initial), ("linear", 0)]

    def _settings(self, variable):
        rate = self._number(self._learning_rate, variable)
        return {
            "lr": rate,
            "l1": self._number(self._l1, variable),
            "l2": self._beta / (2 * rate) + self._l2,
            "l2_shrinkage": self._number(self._shrinkage, variable),
            "lr_power": self._number(self._power, variable),
        }

    def _update(self, variable, accum, linear, grad):
        return raw_ops.ApplyFtrlV2(
            var=variable, accum=accum, linear=linear, grad=grad, **self._settings(variable)
        )

    def _update_rows(self, variable, accum, linear, grad):
        values, indices = without_repeats(grad)
        return raw_ops.SparseApplyFtrlV2(
            var=variable,
            accum=accum,
            linear=linear,
            grad=values,
            indices=indices,
            **self._settings(variable),
        )
