"""Loops in each library's own API, and the cases built from them.

The classes are parts of the columns of functions.py, whose table of cases includes these. Each has
the same methods: a repeated state, a branch, the gradients of a loss, and an LSTM cell.
"""

from __future__ import annotations

import numpy as np
from libraries import values

DECAY_SIZE = 16
SINE_SIZE = 65_536  # floats: 256 KiB
PENDULUMS = 512
PENDULUM_CHECKPOINTS = 32  # whatever the number of steps


# --- The libraries ------------------------------------------------------------------------------


class TensorFlow:
    def repeated(self, num_steps, step, *state, **options):
        """The state after so many steps: step takes its number and the state, and gives the next.

        for_gradient: there will be a gradient. checkpoints: so many states are kept for it, where a
        library can be told; the others keep them all."""
        found = self.tf.while_loop(
            lambda i, *state: i < num_steps,
            lambda i, *state: (i + 1, *step(i, *state)),
            (self.tf.constant(0), *state),
            **self.loop_options(num_steps, **options),
        )
        return found[1:]

    def loop_options(self, num_steps, for_gradient=False, checkpoints=None):
        return {}

    def picked(self, condition, if_true, if_false):
        return self.tf.cond(condition, if_true, if_false)

    def gradients(self, loss_of, *inputs):
        with self.tf.GradientTape() as tape:
            for x in inputs:
                tape.watch(x)
            loss = loss_of(*inputs)
        return tape.gradient(loss, inputs)

    def sine(self, x):
        return self.tf.sin(x)

    def lstm_cell(self, weights, bias):
        tf = self.tf

        def cell(x, h, c):
            gates = tf.matmul(tf.concat([x, h], 1), weights) + bias
            i, f, g, o = tf.split(gates, 4, 1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            return tf.sigmoid(o) * tf.tanh(c), c

        return cell


class Jax:
    def repeated(self, num_steps, step, *state, for_gradient=False, checkpoints=None):
        lax = self.jax.lax
        if for_gradient:  # while_loop has no gradient
            return lax.fori_loop(0, num_steps, lambda i, state: step(i, *state), state)
        return lax.while_loop(
            lambda carry: carry[0] < num_steps,
            lambda carry: (carry[0] + 1, *step(*carry)),
            (0, *state),
        )[1:]

    def picked(self, condition, if_true, if_false):
        return self.jax.lax.cond(condition, if_true, if_false)

    def gradients(self, loss_of, *inputs):
        return self.jax.grad(loss_of, argnums=tuple(range(len(inputs))))(*inputs)

    def sine(self, x):
        return self.jnp.sin(x)

    def lstm_cell(self, weights, bias):
        jax, jnp = self.jax, self.jnp

        def cell(x, h, c):
            gates = jnp.concatenate([x, h], 1) @ weights + bias
            i, f, g, o = jnp.split(gates, 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return jax.nn.sigmoid(o) * jnp.tanh(c), c

        return cell


class Torch:
    def repeated(self, num_steps, step, *state, for_gradient=False, checkpoints=None):
        for i in range(num_steps):
            state = step(i, *state)
        return state

    def picked(self, condition, if_true, if_false):
        return if_true() if condition else if_false()

    def gradients(self, loss_of, *inputs):
        inputs = [x.detach().requires_grad_() for x in inputs]
        return self.torch.autograd.grad(loss_of(*inputs), inputs)

    def sine(self, x):
        return self.torch.sin(x)

    def lstm_cell(self, weights, bias):
        """PyTorch's own, which is quicker than the others' formulas. It wants the weights of inputs
        and of the state apart, transposed."""
        cell, width = self.torch.lstm_cell, len(bias) // 4
        parts = weights.split([len(weights) - width, width])
        of_inputs, of_state = (part.T.contiguous() for part in parts)
        no_bias = self.torch.zeros_like(bias)
        return lambda x, h, c: cell(x, (h, c), of_inputs, of_state, bias, no_bias)


# --- The cases ----------------------------------------------------------------------------------


def decay(num_steps):
    """A multiplication and an addition of few floats: the overhead of a step."""

    def case(lib):
        def function(x):
            return lib.repeated(num_steps, lambda i, x: (x * 0.999 + 0.001,), x)[0]

        return lib.calling(function, lib.tensor(values(DECAY_SIZE, seed=1)))

    return case


def decay_in_branches(num_steps):
    """The same with one of two rates, selected by an integer, so that rounding does not matter."""

    def case(lib):
        def step(i, k, x):
            k = (k * 5 + 3) % 1024
            return k, lib.picked(k < 512, lambda: x * 0.999 + 0.001, lambda: x * 0.998 - 0.002)

        def function(k, x):
            return lib.repeated(num_steps, step, k, x)[1]

        return lib.calling(
            function, lib.tensor(np.int32(1)), lib.tensor(values(DECAY_SIZE, seed=1))
        )

    return case


def sine_gradient(num_steps, size=SINE_SIZE):
    """A state that is large relative to the computation: the memory that a gradient keeps."""

    def case(lib):
        def loss_of(x):
            def step(i, y):
                return (lib.sine(y) * 0.999 + x * 0.001,)

            return lib.reduce_sum(lib.repeated(num_steps, step, x, for_gradient=True)[0])

        def function(x):
            return lib.gradients(loss_of, x)[0]

        return lib.calling(function, lib.tensor(values(size, seed=1)))

    return case


def pendulum_gradient(num_steps):
    """Pendulums that swing for ten seconds: where they are at the end, by where they began. Neither
    fades from step to step, and neither does the gradient."""
    dt = 10 / num_steps

    def case(lib):
        def loss_of(angle):
            def step(i, angle, speed):
                speed = speed - lib.sine(angle) * dt
                return angle + speed * dt, speed

            options = {"for_gradient": True, "checkpoints": PENDULUM_CHECKPOINTS}
            return lib.reduce_sum(lib.repeated(num_steps, step, angle, angle * 0.0, **options)[0])

        def function(angle):
            return lib.gradients(loss_of, angle)[0]

        return lib.calling(function, lib.tensor(values(PENDULUMS, seed=1)))

    return case


def lstm_tensors(lib, num_steps, batch, width):
    """Inputs of all steps, weights and bias. There are as many inputs as there is state."""
    scale = np.float32(width**-0.5)
    inputs = values(num_steps, batch, width, seed=1)
    weights = values(2 * width, 4 * width, seed=2) * scale
    bias = values(4 * width, seed=3) * scale + np.float32(0.5)  # results around zero tell less
    return [lib.tensor(array) for array in (inputs, weights, bias)]


def lstm_mean(lib, inputs, weights, bias, **options):
    """The mean state of all steps: every step contributes, and gradients do not vanish."""
    num_steps, batch, width = inputs.shape
    cell, zero = lib.lstm_cell(weights, bias), lib.tensor(np.zeros((batch, width), np.float32))

    def step(i, h, c, total):
        h, c = cell(inputs[i], h, c)
        return h, c, total + h

    return lib.repeated(num_steps, step, zero, zero, zero, **options)[2] / num_steps


def lstm(num_steps, batch, width):
    def case(lib):
        return lib.calling(
            lambda *args: lstm_mean(lib, *args), *lstm_tensors(lib, num_steps, batch, width)
        )

    return case


def lstm_gradient(num_steps, batch, width):
    def case(lib):
        def function(inputs, weights, bias):
            def loss_of(weights, bias):
                return lib.reduce_sum(lstm_mean(lib, inputs, weights, bias, for_gradient=True) ** 2)

            of_weights, of_bias = lib.gradients(loss_of, weights, bias)
            return of_weights + of_bias  # in one array, so that neither can be omitted

        return lib.calling(function, *lstm_tensors(lib, num_steps, batch, width))

    return case
