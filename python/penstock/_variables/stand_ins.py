"""Variables as arguments of a tf.function: a trace reads and assigns placeholder variables, and
serves all variables of their dtypes and shapes."""

from __future__ import annotations

from penstock import _core
from penstock._autodiff.tape import variables_by_id
from penstock._tensors.composite import flatten_all, pack_all
from penstock._variables.variable import NeedsVariables, ResourceVariable


class StandIn(ResourceVariable):
    """A placeholder variable without a value."""

    def ref(self):
        raise NeedsVariables  # its identity matters to the program

    experimental_ref = ref

    def __repr__(self):
        shape = tuple(self.shape) if self.shape.rank is not None else "<unknown>"
        return f"<tf.Variable {self.name!r} shape={shape} dtype={self.dtype.name}>"

    __str__ = __repr__


def _new(variable):
    stand_in = _core.VariableHandle.__new__(StandIn)
    stand_in._name, stand_in._trainable, stand_in._constraint = (
        variable.name,
        variable.trainable,
        None,
    )
    stand_in._stand_for(variable)
    variables_by_id[stand_in._id] = stand_in
    return stand_in


def check_known(variables):
    """Raises if something would be stored for placeholder variables."""
    if any(isinstance(variable, StandIn) for variable in variables):
        raise NeedsVariables


class StandIns:
    """The placeholder variables of one function."""

    def __init__(self):
        self._made = {}  # by what a trace can see of a variable, and a number among equal ones

    def replace(self, bound):
        """Bound arguments with stand-ins for their variables, and both as lists; None where there
        are none. A variable that is given twice has one stand-in."""
        leaves = flatten_all(bound)
        taken, kinds = {}, {}
        for i, leaf in enumerate(leaves):
            if type(leaf) not in (ResourceVariable, StandIn) or leaf.constraint is not None:
                continue
            if leaf._id not in taken:
                kind = leaf.dtype, leaf.shape._dims, leaf.trainable
                kinds[kind] = number = kinds.get(kind, -1) + 1
                taken[leaf._id] = leaf, self._stand_in(leaf, kind, number)
            leaves[i] = taken[leaf._id][1]
        if not taken:
            return None
        variables, stand_ins = map(list, zip(*taken.values(), strict=True))
        return pack_all(bound, leaves), stand_ins, variables

    def _stand_in(self, variable, kind, number):
        stand_in = self._made.get((*kind, number))
        if stand_in is None:
            stand_in = self._made[(*kind, number)] = _new(variable)
        return stand_in
