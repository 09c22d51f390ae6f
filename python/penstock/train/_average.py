"""tf.train.ExponentialMovingAverage: shadows of variables that follow them slowly."""

from __future__ import annotations

from penstock import _core, dtypes, raw_ops
from penstock._functions.basic import cast
from penstock._stand_ins import check_known
from penstock._tape import pause
from penstock._track import Trackable
from penstock._variable import Variable


class ExponentialMovingAverage(Trackable):
    """Of each variable: decay * average + (1 - decay) * value."""

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        self._decay, self._num_updates, self._name = decay, num_updates, name
        self._places = {}  # a variable's id: where its average is
        self._averages = []

    name = property(lambda self: self._name)

    def apply(self, var_list=None) -> None:
        """Moves the averages of the variables, and makes those that are not there yet."""
        for variable in var_list or ():
            if not isinstance(variable, _core.VariableHandle):
                raise TypeError(
                    "tf.train.ExponentialMovingAverage does not support non-Variable tensors when "
                    "eager execution is enabled."
                )
            if not variable.dtype.is_floating:
                raise TypeError(f"The variables must be half, float, or double: {variable.name}")
        with pause():
            rate = 1 - self._decay_now()
            for variable in var_list or ():
                average = self.average(variable)
                if average is None:
                    average = self._add(variable)
                average._assign_sub((average - variable) * cast(rate, variable.dtype))

    def _decay_now(self):
        decay = cast(self._decay, dtypes.float32)
        if self._num_updates is not None:
            steps = cast(self._num_updates, dtypes.float32)
            decay = raw_ops.Minimum(x=decay, y=(1 + steps) / (10 + steps))
        return decay

    def _add(self, variable):
        average = Variable(variable.value(), trainable=False, name=self.average_name(variable))
        self._places[variable._id] = len(self._averages)
        # A new list: a checkpoint that was restored before this has a value for it.
        self._averages = [*self._averages, average]
        return average

    def average(self, var):
        """The average of a variable, as a variable, or None."""
        check_known([var])
        place = self._places.get(var._id)
        return None if place is None else self._averages[place]

    def average_name(self, var) -> str:
        """The name of its average."""
        return f"{var.name.removesuffix(':0')}/{self._name}"

    def variables_to_restore(self, moving_avg_variables=None):
        """{the name of its average: variable}, to load averages in place of the variables."""
        return {self.average_name(each): each for each in moving_avg_variables or ()}
