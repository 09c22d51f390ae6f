"""tf.compat.v1.train.Optimizer: gradients of a loss, and one update for every variable.

An optimizer defines the slots of its variables (`_slots_of`) and computes the new values of a
variable and its slots from its gradient (`_update`, and `_update_rows` for a sparse gradient). The
values are then assigned. So the same rules serve eager programs and graphs.
"""

from __future__ import annotations

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._autodiff.tape import GradientTape, IndexedSlices, pause
from penstock._context.scope import default_graph, graph_scope
from penstock._ops.convert import cast, constant
from penstock._ops.create import fill_with
from penstock._variables.stand_ins import check_known
from penstock._variables.track import Trackable
from penstock.compat.v1 import _switches
from penstock.compat.v1._variables import make_variable


@public("v1.train.Optimizer")
class Optimizer(Trackable):
    """The base of optimizers."""

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2
    _UNTRACKED = frozenset({"_slots", "_own", "_numbers"})

    def __init__(self, use_locking, name):
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking, self._name = use_locking, name
        self._slots = {}  # name: {the variable's identity: its slot}
        self._own = {}  # variables of the optimizer itself, by name
        self._numbers = {}  # hyperparameters as nodes, during a step

    def get_name(self) -> str:
        return self._name

    def minimize(
        self,
        loss,
        global_step=None,
        var_list=None,
        gate_gradients=GATE_OP,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        name=None,
        grad_loss=None,
    ):
        """One step that reduces the loss; in eager programs the loss is a function without
        arguments."""
        pairs = self.compute_gradients(
            loss,
            var_list,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )
        if not any(grad is not None for grad, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables {[str(v) for _, v in pairs]} and loss "
                f"{loss}."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss,
        var_list=None,
        gate_gradients=GATE_OP,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        grad_loss=None,
    ):
        """(gradient, variable) of every variable."""
        from penstock.compat import v1

        if callable(loss) and _core.is_building():
            loss = loss()
        if callable(loss):
            with GradientTape() as tape:
                if var_list is not None:
                    tape.watch(var_list)
                value = loss()
            var_list = tape.watched_variables() if var_list is None else var_list
            var_list = _listed(var_list)
            grads = tape.gradient(value, var_list, grad_loss)
            return list(zip(grads, var_list, strict=True))
        if v1.executing_eagerly():
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager "
                "execution is enabled."
            )
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, "
                f"Optimizer.GATE_GRAPH. Not {gate_gradients}"
            )
        if var_list is None:
            var_list = v1.trainable_variables()
        var_list = _listed(var_list)
        if not var_list:
            raise ValueError("No variables to optimize.")
        is_gated = gate_gradients == self.GATE_OP
        grads = v1.gradients(loss, var_list, grad_ys=grad_loss, gate_gradients=is_gated)
        return list(zip(grads, var_list, strict=True))

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """One step: updates each variable by its gradient and increments the global step."""
        from penstock.compat import v1

        pairs = tuple(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        for grad, variable in pairs:
            if not isinstance(variable, _core.VariableHandle):
                raise NotImplementedError("Trying to update a Tensor ", variable)
            if grad is not None and not isinstance(grad, (_core.Tensor, IndexedSlices)):
                raise TypeError(f"Gradient must be a Tensor, IndexedSlices, or None: {grad}")
        used = [(grad, variable) for grad, variable in pairs if grad is not None]
        if not used:
            names = ([str(variable) for _, variable in pairs],)
            raise ValueError(f"No gradients provided for any variable: {names}.")
        with pause():
            self._create_slots([variable for _, variable in used])
            with graph_scope(name or self._name) as scope:
                self._scope, self._numbers = scope, {}
                self._prepare()
                updates = [update for pair in used for update in self._updated(*pair)]
                updates += self._finished()
                done = v1.group(*updates, name=scope if global_step is None else "update")
                if global_step is None:
                    return done
                with v1.control_dependencies([] if done is None else [done]):
                    return global_step.assign_add(1, name=scope, read_value=False)

    def _updated(self, grad, variable) -> list:
        """The assignments of one variable and its slots."""
        slots = [self._slots[name][variable._id] for name, _ in self._slots_of(variable)]
        with graph_scope(f"update_{variable.name.partition(':')[0]}") as scope:
            if isinstance(grad, IndexedSlices):
                update = self._update_rows(variable, *slots, grad=grad)
            else:
                update = self._update(variable, *slots, grad=grad)
            values = update if isinstance(update, (list, tuple)) else [update]
            first = None if scope is None else _update_name(values[0], scope)
            names = [first, *[None] * len(slots)]
            updates = [
                kept.assign(new, read_value=False, name=name)
                for kept, new, name in zip((variable, *slots), values, names, strict=True)
            ]
            if variable.constraint is not None:
                updates.append(variable.assign(variable.constraint(variable), read_value=False))
        return updates

    def _slots_of(self, variable):
        """(name, initial value) of every slot, in the order in which `_update` takes them."""
        return []

    def _create_slots(self, variables):
        for variable in variables:
            for name, value in self._slots_of(variable):
                check_known([variable])
                slots = self._slots.setdefault(name, {})
                if variable._id not in slots:
                    slots[variable._id] = self._made_slot(variable, value)

    def _made_slot(self, variable, value):
        from penstock.compat import v1

        name = f"{variable.name.partition(':')[0]}/{self._name}"
        # A graph numbers names itself.
        taken = sum(variable._id in slots for slots in self._slots.values())
        name = f"{name}_{taken}" if taken and v1.executing_eagerly() else name
        shape, dtype = variable.shape, variable.dtype
        return make_variable(
            lambda: fill_with(shape, value, dtype, "zeros" if value == 0 else "Const"), name, dtype
        )

    def _own_variable(self, name, value, dtype):
        """A variable of the optimizer itself, created on first use."""
        if name not in self._own:
            self._own[name] = make_variable(lambda: value, name, dtype)
        return self._own[name]

    def _prepare(self):
        """Called before the updates."""

    def _finished(self) -> list:
        """The assignments after the updates."""
        return []

    def _update(self, variable, *slots, grad):
        """The new values of the variable and its slots."""
        raise NotImplementedError

    def _update_rows(self, variable, *slots, grad):
        """The same for a sparse gradient; repeated rows are merged."""
        raise NotImplementedError

    def get_slot(self, var, name):
        """A slot of a variable, or None."""
        check_known([var])
        return self._slots.get(name, {}).get(var._id)

    def get_slot_names(self) -> list[str]:
        """The names of the slots, in order."""
        return sorted(self._slots)

    def variables(self) -> list:
        """The slots, and the variables of the optimizer itself."""
        slots = [slot for by_variable in self._slots.values() for slot in by_variable.values()]
        return sorted([*self._own.values(), *slots], key=lambda variable: variable.name)

    def _number(self, value, variable):
        """A hyperparameter, which may be a function, in the dtype of a variable."""
        value = value() if callable(value) else value
        if _core.is_building() and isinstance(value, (int, float)):
            value = self._node_of(value)
        return cast(value, variable.dtype)

    def _node_of(self, number):
        """A hyperparameter as a constant of the graph, under its own name."""
        name = next((key for key, own in vars(self).items() if own is number), None)
        if name is None:
            return number
        if name not in self._numbers:
            with graph_scope(self._scope):
                text = name.removeprefix("_")
                text = {"lr": "learning_rate"}.get(text, text)
                self._numbers[name] = constant(number, dtypes.float32, name=text)
        return self._numbers[name]


def _update_name(value, scope) -> str:
    """The name of the node that updates a variable: after the op that computes the value."""
    graph = default_graph()
    node = graph._builder.node_of(value)
    own = graph._builder.type(node)
    if _switches.resource_variables_enabled():
        return f"Resource{own}"
    graph._builder.rename(node, "value")
    return f"{scope}{own}/"


def _listed(var_list) -> list:
    return list(var_list) if isinstance(var_list, (list, tuple)) else [var_list]


def by_rows(rule, kept, grad: IndexedSlices, **settings):
    """The rule applied to the rows of a variable and its slots that the gradient contains."""
    values, indices = without_repeats(grad)
    rows = [raw_ops.GatherV2(params=slot, indices=indices, axis=0) for slot in kept]
    places = raw_ops.ExpandDims(input=indices, axis=-1)
    return [
        raw_ops.TensorScatterUpdate(tensor=old, indices=places, updates=new)
        for old, new in zip(kept, rule(*rows, values, **settings), strict=True)
    ]


def without_repeats(grad: IndexedSlices):
    """(values, indices) with unique rows."""
    unique = raw_ops.Unique(x=grad.indices)
    count = raw_ops.Shape(input=unique.y)[0]
    sums = raw_ops.UnsortedSegmentSum(
        data=grad.values, segment_ids=unique.idx, num_segments=cast(count, dtypes.int32)
    )
    return sums, unique.y
