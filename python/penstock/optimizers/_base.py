"""What all optimizers share: gradients in, learning rates, slots as variables."""

from __future__ import annotations

import collections
import inspect
import itertools

from penstock import _core, dtypes, errors, raw_ops
from penstock._api import public
from penstock._autodiff.tape import IndexedSlices, pause
from penstock._ops.convert import cast
from penstock._ops.create import fill_with
from penstock._variables.module import _snake
from penstock._variables.stand_ins import check_known
from penstock._variables.track import Trackable, arrived
from penstock._variables.variable import Variable
from penstock.optimizers.schedules import LearningRateSchedule

_made = collections.defaultdict(itertools.count)


def _unique(name: str) -> str:
    number = next(_made[name])
    return f"{name}_{number}" if number else name


@public("optimizers.Optimizer")
class Optimizer(Trackable):
    """The base of optimizers: an own one overrides `build` and `update_step`."""

    # The variables of the model are not the optimizer's; its own have Keras's names.
    _UNTRACKED = frozenset({"_trainable", "_places", "iterations", "_rate", "_slots"})

    def __init__(
        self,
        learning_rate,
        weight_decay=None,
        clipnorm=None,
        clipvalue=None,
        global_clipnorm=None,
        name=None,
        **kwargs,
    ):
        if kwargs:
            raise ValueError(f"Argument(s) not recognized: {kwargs}")
        if sum(limit is not None for limit in (clipnorm, clipvalue, global_clipnorm)) > 1:
            raise ValueError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
                f"clipnorm={clipnorm}, clipvalue={clipvalue}, global_clipnorm={global_clipnorm}."
            )
        self.name = name or _unique(_snake(type(self).__name__))
        self.weight_decay = weight_decay
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm
        self.built = False
        self._trainable = []
        self._places = {}
        self._slots = []
        self._schedule = None
        self._rate = None
        self.iterations = Variable(
            0, dtype=dtypes.int64, trainable=False, name=f"{self.name}/iteration"
        )
        if callable(learning_rate):
            self._schedule = learning_rate
        else:
            self._rate = Variable(
                float(learning_rate), trainable=False, name=f"{self.name}/learning_rate"
            )

    @property
    def learning_rate(self):
        """The rate of the next step: a variable, or what the schedule says."""
        if self._schedule is None:
            return self._rate
        if isinstance(self._schedule, LearningRateSchedule):
            return self._schedule(self.iterations)
        return _core.to_tensor(self._schedule(), dtypes.float32)

    @learning_rate.setter
    def learning_rate(self, value):
        if callable(value):
            self._schedule = value
        elif self._schedule is not None:
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its "
                "`learning_rate` constructor argument, hence its learning rate is not settable."
            )
        else:
            self._rate.assign(value)

    @property
    def variables(self):
        """The step, the learning rate and the slots."""
        rate = [] if self._rate is None else [self._rate]
        return [self.iterations, *rate, *self._slots]

    def _trackable_children(self):
        yield "_iterations", self.iterations
        if self._rate is not None:
            yield "_learning_rate", self._rate
        yield "_variables", self.variables
        yield from super()._trackable_children()

    def build(self, variables):
        """Makes the slots of the variables. An own optimizer calls this first."""
        check_known(variables)
        self._trainable = list(variables)
        self._places = {id(variable): i for i, variable in enumerate(self._trainable)}
        self.built = True

    def add_variable_from_reference(self, reference_variable, name=None, initial_value=0.0):
        """A slot: a variable of the same shape and dtype, that belongs to another."""
        slot = Variable(
            fill_with(reference_variable.shape, initial_value, reference_variable.dtype),
            trainable=False,
            name=f"{self.name}/{reference_variable.name[:-2].replace('/', '_')}_{name}",
        )
        self._slots.append(slot)
        return slot

    def _add_slots(self, name, initial_value=0.0):
        return [
            self.add_variable_from_reference(variable, name, initial_value)
            for variable in self._trainable
        ]

    def apply_gradients(self, grads_and_vars):
        """One step: each variable is updated by its gradient.

        Args:
          grads_and_vars: Pairs of a gradient and a variable.

        >>> w = tf.Variable([1.0, 2.0])
        >>> step = tf.optimizers.SGD(0.5).apply_gradients([(tf.constant([1.0, 1.0]), w)])
        >>> w.numpy()
        array([0.5, 1.5], dtype=float32)
        """
        grads, variables = zip(*grads_and_vars, strict=True)
        return self.apply(grads, variables)

    def apply(self, grads, trainable_variables=None):
        """One step, with the gradients of the variables in order."""
        with pause():
            variables = self._trainable if trainable_variables is None else trainable_variables
            check_known(variables)
            pairs = [(g, v) for g, v in zip(grads, variables, strict=True) if g is not None]
            if not pairs:
                raise ValueError("No gradients provided for any variable.")
            if len(pairs) < len(variables):
                self._warn_of_missing(grads, variables)
            if not self.built:
                self.build(variables)
                arrived(self, "_variables")
            for _, variable in pairs:
                if id(variable) not in self._places:
                    raise ValueError(
                        f"Unknown variable: {variable}. This optimizer can only be called for the "
                        "variables it was originally built with. When working with a new set of "
                        "variables, you should recreate a new optimizer instance."
                    )
            rate = self.learning_rate
            grads = self._clipped(*zip(*pairs, strict=True))
            for grad, (_, variable) in zip(grads, pairs, strict=True):
                if not isinstance(grad, IndexedSlices) and grad.shape != variable.shape:
                    raise errors.InvalidArgumentError(
                        None,
                        None,
                        f"Cannot update variable with shape {variable.shape} using a Tensor with "
                        f"shape {grad.shape}, shapes must be equal.",
                    )
                step_rate = cast(rate, variable.dtype)
                if self.weight_decay is not None:
                    variable._assign_sub(variable * (step_rate * self.weight_decay))
                self.update_step(grad, variable, step_rate)
                if variable.constraint is not None:
                    variable.assign(variable.constraint(variable))
            self.iterations._assign_add(_core.to_tensor(1, dtypes.int64))
        return self.iterations

    def update_step(self, gradient, variable, learning_rate):
        """The update of one variable by its gradient, a tensor or IndexedSlices."""
        raise NotImplementedError

    def _place(self, variable) -> int:
        return self._places[id(variable)]

    def _step(self, dtype):
        """The number of this step, from 1, in the given dtype."""
        return cast(self.iterations, dtype) + 1

    @staticmethod
    def _warn_of_missing(grads, variables):
        import warnings

        names = [v.name for g, v in zip(grads, variables, strict=True) if g is None]
        warnings.warn(
            f"Gradients do not exist for variables {names} when minimizing the loss. If using "
            "`model.compile()`, did you forget to provide a `loss` argument?",
            stacklevel=4,
        )

    def _clipped(self, grads, variables):
        if self.clipnorm is None and self.clipvalue is None and self.global_clipnorm is None:
            return grads
        grads = [dense(g, v) for g, v in zip(grads, variables, strict=True)]
        if self.clipnorm is not None and self.clipnorm > 0:
            return [raw_ops.ClipByNorm(t=g, clip_norm=self.clipnorm) for g in grads]
        if self.clipvalue is not None and self.clipvalue > 0:
            low, high = -self.clipvalue, self.clipvalue
            return [
                raw_ops.ClipByValue(t=g, clip_value_min=low, clip_value_max=high) for g in grads
            ]
        if self.global_clipnorm is not None and self.global_clipnorm > 0:
            norm = raw_ops.GlobalNorm(t_list=grads)
            scale = self.global_clipnorm / raw_ops.Maximum(x=norm, y=self.global_clipnorm)
            return [g * cast(scale, g.dtype) for g in grads]
        return grads

    def get_config(self):
        """The arguments that make this optimizer again: from_config takes them."""
        rate = self._schedule or float(self._rate)
        names = ["name", "weight_decay", "clipnorm", "clipvalue", "global_clipnorm"]
        own = inspect.signature(type(self).__init__).parameters
        names += [name for name in own if name not in ("self", "learning_rate", "kwargs")]
        config = {name: getattr(self, name) for name in names if hasattr(self, name)}
        return {"learning_rate": rate} | config

    @classmethod
    def from_config(cls, config):
        """The optimizer that gave this get_config()."""
        return cls(**config)


def dense(gradient, variable):
    """The gradient as a tensor; rows that repeat add up."""
    if isinstance(gradient, IndexedSlices):
        rows = IndexedSlices(gradient.values, gradient.indices, list(variable.shape))
        return _core.to_tensor(rows)
    return gradient


def squared(gradient, variable):
    """Its square; of rows that repeat the squares add up, as they do in TensorFlow."""
    if isinstance(gradient, IndexedSlices):
        rows = IndexedSlices(raw_ops.Square(x=gradient.values), gradient.indices)
        return dense(rows, variable)
    return raw_ops.Square(x=gradient)
