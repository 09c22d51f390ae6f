"""tf.optimizers.schedules: learning rates that change with the step."""

from __future__ import annotations

import math

from penstock import _core, dtypes

__all__ = [
    "CosineDecay",
    "CosineDecayRestarts",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LearningRateSchedule",
    "PiecewiseConstantDecay",
    "PolynomialDecay",
]


def _rate(value):
    return _core.to_tensor(value, dtypes.float32, False)


class LearningRateSchedule:
    """The base of schedules: `schedule(step)` is the learning rate at a step.

    The rates are reckoned in Python's numbers: there is one of them per step.
    """

    def __call__(self, step):
        return _rate(self._at(float(step)))

    def _at(self, step: float) -> float:
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
        for boundary, value in zip(self.boundaries, self.values, strict=False):
            if step <= boundary:
                return value
        return self.values[-1]


class PolynomialDecay(LearningRateSchedule):
    """From the initial rate to the end rate in decay_steps, as a power of what is left."""

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
            length *= max(1, math.ceil(step / length))
        left = 1 - min(step, length) / length
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
        top = self.initial_learning_rate
        if self.warmup_target is not None:
            if step < self.warmup_steps:
                return top + (self.warmup_target - top) * step / self.warmup_steps
            top, step = self.warmup_target, step - self.warmup_steps
        cosine = 0.5 * (1 + math.cos(math.pi * min(step, self.decay_steps) / self.decay_steps))
        return top * ((1 - self.alpha) * cosine + self.alpha)


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
            turn = math.floor(done)
            done -= turn
        else:
            turn = math.floor(math.log(1 - done * (1 - self._t_mul), self._t_mul))
            before = (1 - self._t_mul**turn) / (1 - self._t_mul)
            done = (done - before) / self._t_mul**turn
        cosine = 0.5 * self._m_mul**turn * (1 + math.cos(math.pi * done))
        return self.initial_learning_rate * ((1 - self.alpha) * cosine + self.alpha)
