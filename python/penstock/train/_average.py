"""tf.train.ExponentialMovingAverage: slow-moving averages of variables."""

from __future__ import annotations

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._autodiff.tape import pause
from penstock._base.version_1 import version_1
from penstock._context.scope import name_scope
from penstock._ops.convert import cast
from penstock._ops.create import zeros
from penstock._tensors.kinds import is_graph_variable
from penstock._variables.stand_ins import check_known
from penstock._variables.track import Trackable
from penstock._variables.variable import Variable


@public("train.ExponentialMovingAverage")
class ExponentialMovingAverage(Trackable):
    """For each variable: decay * average + (1 - decay) * value."""

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        self._decay, self._num_updates, self._name = decay, num_updates, name
        self._places = {}  # a variable's id: the index of its average
        self._averages = []

    name = property(lambda self: self._name)

    def apply(self, var_list=None):
        """Moves the averages of the variables, and makes those that are not there yet. In a graph
        of TensorFlow 1 this is an operation, and averages may be of tensors too."""
        if _core.is_building():
            return self._apply_in_graph(var_list)
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
        return None

    def _apply_in_graph(self, var_list):
        v1 = version_1.api
        var_list = v1.trainable_variables() if var_list is None else list(var_list)
        for variable in var_list:
            if not variable.dtype.is_floating:
                raise TypeError(f"The variables must be half, float, or double: {variable.name}")
            if self.average(variable) is None:
                self._add_to_graph(variable)
                v1.add_to_collection(v1.GraphKeys.MOVING_AVERAGE_VARIABLES, variable)
        with name_scope(self._name) as scope:
            rate = 1 - self._decay_now()
            updates = []
            for variable in var_list:
                average = self.average(variable)
                change = (average - variable) * cast(rate, variable.dtype)
                updates.append(average.assign_sub(change))
            return v1.group(*updates, name=scope)

    def _add_to_graph(self, variable):
        """An average that starts like the variable, or at zero for a tensor."""
        v1 = version_1.api
        is_variable = is_graph_variable(variable)
        first = variable.initialized_value() if is_variable else zeros(variable.shape)
        outer = v1.get_variable_scope().name
        with name_scope(f"{outer}/" if outer else ""):
            self._keep(variable, first, f"{variable.op.name}/{self._name}")

    def _decay_now(self):
        decay = cast(self._decay, dtypes.float32)
        if self._num_updates is not None:
            steps = cast(self._num_updates, dtypes.float32)
            decay = raw_ops.Minimum(x=decay, y=(1 + steps) / (10 + steps))
        return decay

    def _add(self, variable):
        return self._keep(variable, variable.value(), self.average_name(variable))

    def _keep(self, variable, first, name):
        average = Variable(first, trainable=False, name=name)
        self._places[variable._id] = len(self._averages)
        # A new list: a checkpoint restored earlier may have a value for it.
        self._averages = [*self._averages, average]
        return average

    def average(self, var):
        """The average of a variable, as a variable, or None."""
        check_known([var])
        place = self._places.get(var._id)
        return None if place is None else self._averages[place]

    def average_name(self, var) -> str:
        """The name of a variable's average."""
        place = self._places.get(var._id)
        if place is not None and _core.is_building():
            return self._averages[place].name.removesuffix(":0")
        return f"{var.name.removesuffix(':0')}/{self._name}"

    def variables_to_restore(self, moving_avg_variables=None):
        """{the name of its average: variable}, to load averages into the variables."""
        if not _core.is_building():
            return {
                self.average_name(variable): variable for variable in moving_avg_variables or ()
            }
        v1 = version_1.api
        if moving_avg_variables is None:
            moving_avg_variables = v1.trainable_variables() + v1.moving_average_variables()
        by_name = {self.average_name(variable): variable for variable in moving_avg_variables}
        moved = {variable.name for variable in moving_avg_variables}
        for variable in v1.global_variables():
            if variable.name not in moved:
                by_name.setdefault(variable.op.name, variable)
        return by_name
