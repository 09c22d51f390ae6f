"""Learning rates that change with the step: tensors in a graph, functions in eager programs."""

from __future__ import annotations

import functools
import math

from penstock import _core, raw_ops
from penstock._api import public
from penstock._context import trace as _tracing
from penstock._context.scope import result_named, scoped
from penstock._ops.convert import cast


def _schedule(default, result=""):
    """rate_at(learning_rate, step, …) as a schedule: in eager programs, whose step changes between
    calls, a function without arguments that gives the rate. In graphs the rate is called `result`
    within the schedule's name, or by that name itself."""

    def decorate(rate_at):
        @functools.wraps(rate_at)
        def schedule(learning_rate, global_step, *args, **kwargs):
            from penstock.compat import v1

            if global_step is None:
                raise ValueError(f"Argument `global_step` is required for {rate_at.__name__}.")

            @scoped(default)
            def rate(name=None):
                start = _core.to_tensor(learning_rate)
                value = rate_at(start, cast(global_step, start.dtype), *args, **kwargs)
                return result_named(value, result or name) if _core.is_building() else value

            return rate if v1.executing_eagerly() else rate(kwargs.get("name"))

        return schedule

    return decorate


def _passed(step, decay_steps, staircase):
    passed = step / cast(decay_steps, step.dtype)
    return raw_ops.Floor(x=passed) if staircase else passed


@public("v1.train.exponential_decay")
@_schedule("ExponentialDecay")
def exponential_decay(
    learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None
):
    """learning_rate · decay_rate ^ (step / decay_steps).

    Args:
      learning_rate: The size of a step: a number, a tensor or a schedule.
      global_step: A variable or a number.
      decay_steps: After how many steps the factor has been applied once.
      decay_rate: The factor.
      staircase: True to change the rate only after whole periods.
      name: The name of the operation in a graph.

    Returns:
      The learning rate.

    >>> tf.compat.v1.train.exponential_decay(0.1, 10, decay_steps=10, decay_rate=0.5)()
    <tf.Tensor: shape=(), dtype=float32, numpy=0.05000000074505806>
    """
    passed = _passed(global_step, decay_steps, staircase)
    return learning_rate * raw_ops.Pow(x=cast(decay_rate, passed.dtype), y=passed)


@public("v1.train.natural_exp_decay")
@_schedule("NaturalExpDecay")
def natural_exp_decay(
    learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None
):
    """learning_rate · e ^ (-decay_rate · step / decay_steps)."""
    passed = _passed(global_step, decay_steps, staircase)
    return learning_rate * raw_ops.Exp(x=-cast(decay_rate, passed.dtype) * passed)


@public("v1.train.inverse_time_decay")
@_schedule("InverseTimeDecay")
def inverse_time_decay(
    learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None
):
    """learning_rate / (1 + decay_rate · step / decay_steps)."""
    passed = _passed(global_step, decay_steps, staircase)
    return learning_rate / (1 + cast(decay_rate, passed.dtype) * passed)


@public("v1.train.polynomial_decay")
@_schedule("PolynomialDecay")
def polynomial_decay(
    learning_rate,
    global_step,
    decay_steps,
    end_learning_rate=0.0001,
    power=1.0,
    cycle=False,
    name=None,
):
    """Decays from the learning rate to the end rate in decay_steps, polynomially.

    Args:
      learning_rate: The size of a step: a number, a tensor or a schedule.
      global_step: A variable or a number.
      decay_steps: After how many steps the factor has been applied once.
      end_learning_rate: The last learning rate.
      power: The power.
      cycle: True to start again with longer periods.
      name: The name of the operation in a graph.

    Returns:
      The learning rate.

    >>> tf.compat.v1.train.polynomial_decay(0.1, 5, decay_steps=10, end_learning_rate=0.0)()
    <tf.Tensor: shape=(), dtype=float32, numpy=0.05000000074505806>
    """
    dtype = learning_rate.dtype
    length, end = cast(decay_steps, dtype), cast(end_learning_rate, dtype)
    if cycle:
        length = length * raw_ops.Maximum(x=raw_ops.Ceil(x=global_step / length), y=1.0)
    left = 1 - raw_ops.Minimum(x=global_step, y=length) / length
    return (learning_rate - end) * raw_ops.Pow(x=left, y=cast(power, dtype)) + end


@public("v1.train.cosine_decay")
@_schedule("CosineDecay", "Mul_3")
def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """Half a cosine from the learning rate to alpha times it."""
    done = _share_done(global_step, decay_steps)
    cosine = 0.5 * (1 + raw_ops.Cos(x=math.pi * done))
    return learning_rate * ((1 - alpha) * cosine + alpha)


def _share_done(step, decay_steps):
    length = cast(decay_steps, step.dtype)
    return raw_ops.Minimum(x=step, y=length) / length


@public("v1.train.cosine_decay_restarts")
@_schedule("SGDRDecay", "Mul")
def cosine_decay_restarts(
    learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None
):
    """Repeated half cosines, each t_mul times as long and m_mul times as high."""
    dtype = learning_rate.dtype
    done = global_step / cast(first_decay_steps, dtype)
    if t_mul == 1.0:
        turn = raw_ops.Floor(x=done)
        done = done - turn
    else:
        turns = raw_ops.Log(x=1 - done * (1 - t_mul)) / math.log(t_mul)
        turn = raw_ops.Floor(x=turns)
        growth = raw_ops.Pow(x=cast(t_mul, dtype), y=turn)
        done = (done - (1 - growth) / (1 - t_mul)) / growth
    height = raw_ops.Pow(x=cast(m_mul, dtype), y=turn)
    cosine = 0.5 * height * (1 + raw_ops.Cos(x=math.pi * done))
    return learning_rate * ((1 - alpha) * cosine + alpha)


@public("v1.train.linear_cosine_decay")
@_schedule("LinearCosineDecay", "Mul_2")
def linear_cosine_decay(
    learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None
):
    """A linear decay to 0 times a cosine with that many periods."""
    done = _share_done(global_step, decay_steps)
    cosine = 0.5 * (1 + raw_ops.Cos(x=2 * math.pi * num_periods * done))
    return learning_rate * ((alpha + (1 - done)) * cosine + beta)


@public("v1.train.noisy_linear_cosine_decay")
@_schedule("NoisyLinearCosineDecay", "Mul_2")
def noisy_linear_cosine_decay(
    learning_rate,
    global_step,
    decay_steps,
    initial_variance=1.0,
    variance_decay=0.55,
    num_periods=0.5,
    alpha=0.0,
    beta=0.001,
    name=None,
):
    """linear_cosine_decay with noise that decreases with every step."""
    from penstock import random

    dtype = learning_rate.dtype
    length = cast(decay_steps, dtype)
    step = raw_ops.Minimum(x=global_step, y=length)
    variance = initial_variance / raw_ops.Pow(x=1 + step, y=cast(variance_decay, dtype))
    noise = random.normal(raw_ops.Shape(input=step), dtype=dtype) * raw_ops.Sqrt(x=variance)
    done = step / length
    cosine = 0.5 * (1 + raw_ops.Cos(x=2 * math.pi * num_periods * done))
    return learning_rate * ((alpha + (1 - done) + noise) * cosine + beta)


@public("v1.train.piecewise_constant_decay", "v1.train.piecewise_constant")
def piecewise_constant(x, boundaries, values, name=None):
    """values[i] up to and including boundaries[i]; then the last value."""
    from penstock.compat import v1

    if len(boundaries) != len(values) - 1:
        raise ValueError(
            "The length of boundaries should be 1 less than the length of values. Received: "
            f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of length "
            f"{len(values)}."
        )

    @scoped("PiecewiseConstant")
    def rate(name=None):
        step = _core.to_tensor(x)
        tensor = _core.to_tensor(values[-1])
        for boundary, value in zip(boundaries[::-1], values[-2::-1], strict=True):
            limit = cast(boundary, step.dtype)
            tensor = raw_ops.SelectV2(
                condition=step <= limit, t=cast(value, tensor.dtype), e=tensor
            )
        if not _core.is_building():
            return tensor
        last = "Identity" if _tracing.has_control_flow_v2 else "Merge"
        return result_named(raw_ops.Identity(input=tensor), f"case/cond/{last}")

    return rate if v1.executing_eagerly() else rate(name)
