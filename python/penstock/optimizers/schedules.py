"""tf.optimizers.schedules: learning rates that change with the step."""

from __future__ import annotations as _annotations

import math as _math

from penstock import dtypes as _dtypes
from penstock import raw_ops as _raw_ops
from penstock._ops.convert import cast as _cast
from penstock._ops.index import where as _where


class LearningRateSchedule:
    """The base of schedules: `schedule(step)` is the learning rate at a step.

    The rates are reckoned in float64, so that they are right at any step.
    """

    def __call__(self, step):
        return _cast(self._at(_cast(step, _dtypes.float64)), _dtypes.float32)

    def _at(self, step):
        raise NotImplementedError(f"{type(self).__name__} must override __call__(self, step).")

    def get_config(self):
        """The arguments that make this schedule again."""
        return {name.lstrip("_"): value for name, value in vars(self).items()}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class ExponentialDecay(LearningRateSchedule):
    """initial · decay_rate ^ (step / decay_steps)."""

    def __init__(
        self,
        initial_learning_rate,
        decay_steps,
        decay_rate,
        staircase=False,
        name="ExponentialDecay",
    ):
        if decay_steps <= 0:
            raise ValueError(f"Argument `decay_steps` must be > 0. Received: {decay_steps}")
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps, self.decay_rate = decay_steps, decay_rate
        self.staircase, self.name = staircase, name

    def _passed(self, step):
        return step // self.decay_steps if self.staircase else step / self.decay_steps

    def _at(self, step):
        return self.initial_learning_rate * self.decay_rate ** self._passed(step)


class InverseTimeDecay(ExponentialDecay):
    """initial / (1 + decay_rate · step / decay_steps)."""

    def __init__(
        self,
        initial_learning_rate,
        decay_steps,
        decay_rate,
        staircase=False,
        name="InverseTimeDecay",
    ):
        super().__init__(initial_learning_rate, decay_steps, decay_rate, staircase, name)

    def _at(self, step):
        return self.initial_learning_rate / (1 + self.decay_rate * self._passed(step))


class PiecewiseConstantDecay(LearningRateSchedule):
    """values[i] up to and including step boundaries[i]; then the last value."""

    def __init__(self, boundaries, values, name="PiecewiseConstant"):
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of "
                f"length {len(values)}."
            )
        self.boundaries, self.values, self.name = boundaries, values, name

    def _at(self, step):
        rate = 0 * step + self.values[-1]
        for boundary, value in zip(self.boundaries[::-1], self.values[-2::-1], strict=True):
            rate = _where(step <= boundary, 0 * step + value, rate)
        return rate


class PolynomialDecay(LearningRateSchedule):
    """From the initial to the end rate in decay_steps, by a power of the remaining steps."""

    def __init__(
        self,
        initial_learning_rate,
        decay_steps,
        end_learning_rate=0.0001,
        power=1.0,
        cycle=False,
        name="PolynomialDecay",
    ):
        if decay_steps <= 0:
            raise ValueError(f"Argument `decay_steps` must be > 0. Received: {decay_steps}")
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.end_learning_rate, self.power = end_learning_rate, power
        self.cycle, self.name = cycle, name

    def _at(self, step):
        length = self.decay_steps
        if self.cycle:
            length *= _raw_ops.Maximum(x=_raw_ops.Ceil(x=step / length), y=1.0)
        left = 1 - _raw_ops.Minimum(x=step, y=length) / length
        start, end = self.initial_learning_rate, self.end_learning_rate
        return (start - end) * left**self.power + end


class CosineDecay(LearningRateSchedule):
    """Half a cosine from the initial rate to alpha times it, after a linear warm-up if any."""

    def __init__(
        self,
        initial_learning_rate,
        decay_steps,
        alpha=0.0,
        name="CosineDecay",
        warmup_target=None,
        warmup_steps=0,
    ):
        if decay_steps <= 0:
            raise ValueError(f"Argument `decay_steps` must be > 0. Received: {decay_steps}")
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.alpha, self.name = alpha, name
        self.warmup_target, self.warmup_steps = warmup_target, warmup_steps

    def _at(self, step):
        start = self.initial_learning_rate
        if self.warmup_target is None:
            return start * self._share(step)
        top, length = self.warmup_target, self.warmup_steps
        rate = top * self._share(step - length)
        if length == 0:
            return rate
        return _where(step < length, start + (top - start) * step / length, rate)

    def _share(self, step):
        """What is left of the rate after so many steps of decay."""
        done = _raw_ops.Minimum(x=step, y=self.decay_steps) / self.decay_steps
        return (1 - self.alpha) * 0.5 * (1 + _raw_ops.Cos(x=_math.pi * done)) + self.alpha


class CosineDecayRestarts(LearningRateSchedule):
    """Half a cosine again and again, each t_mul times as long and from m_mul times as high."""

    def __init__(
        self,
        initial_learning_rate,
        first_decay_steps,
        t_mul=2.0,
        m_mul=1.0,
        alpha=0.0,
        name="SGDRDecay",
    ):
        if first_decay_steps <= 0:
            raise ValueError(
                f"Argument `first_decay_steps` must be > 0. Received: {first_decay_steps}"
            )
        self.initial_learning_rate = initial_learning_rate
        self.first_decay_steps = first_decay_steps
        self._t_mul, self._m_mul = t_mul, m_mul
        self.alpha, self.name = alpha, name

    def _at(self, step):
        done = step / self.first_decay_steps
        if self._t_mul == 1:
            turn = _raw_ops.Floor(x=done)
            done = done - turn
        else:
            turns = _raw_ops.Log(x=1 - done * (1 - self._t_mul)) / _math.log(self._t_mul)
            turn = _raw_ops.Floor(x=turns)
            before = (1 - self._t_mul**turn) / (1 - self._t_mul)
            done = (done - before) / self._t_mul**turn
        cosine = 0.5 * self._m_mul**turn * (1 + _raw_ops.Cos(x=_math.pi * done))
        return self.initial_learning_rate * ((1 - self.alpha) * cosine + self.alpha)
