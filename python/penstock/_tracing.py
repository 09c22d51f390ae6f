"""The trace in progress on this thread: whether it may make variables, and its random seeds."""

from __future__ import annotations

import threading
import weakref

from penstock import _core, errors

_here = threading.local()

TENSORS = (_core.Tensor, _core.VariableHandle)


class init_scope:
    """Leaves the functions that are being traced: what is called inside runs now."""

    def __enter__(self):
        self._leave = _core.LeaveTraces()
        self._leave.enter()

    def __exit__(self, *unused):
        self._leave.exit()


def inside_function() -> bool:
    """True while a function is traced, in an init_scope as well."""
    return getattr(_here, "tracing", None) is not None


class _Weak:
    """A function that somebody else keeps."""

    def __init__(self, function):
        self._function = weakref.ref(function)

    def __call__(self, tensors):
        return self._function()(tensors)


def call_when_run(name, function, structure, outputs=(), passes_gradients=False):
    """Calls `function` with the structure, now or, while a function is traced, whenever that runs:
    its tensors then are those of the run. `outputs` are the (dtype, shape) of the tensors that it
    returns in a list."""
    from penstock._composite import flatten_all, pack_all

    leaves = flatten_all(structure)
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, TENSORS)]

    def run(tensors):
        values = list(leaves)
        for place, tensor in zip(places, tensors, strict=True):
            values[place] = tensor
        return function(pack_all(form, values)) or []

    tensors = [_core.to_tensor(leaves[place], None, False) for place in places]
    form = pack_all(structure, leaves)
    del structure
    if _core.is_building():
        # The graph has the function, and its node knows where: a cycle would be out of sight.
        from penstock._scope import default_graph

        default_graph()._calls.append(run)
        run = _Weak(run)
    return _core.call_host(name, run, tensors, list(outputs), passes_gradients)


def of_program(error):
    """What is wrong with a call while it is traced is wrong with the program: a ValueError too."""
    return errors._TracingError(error.node_def, error.op, error.message)


class Tracing:
    """One trace: the variables that it made, and how many random ops it has."""

    def __init__(self, may_make_variables):
        self._may_make_variables = may_make_variables
        self.made = []
        self.seed = None  # where the function sets its own
        self.num_regions = 0  # branches and bodies of loops that are being traced
        self.has_custom_gradient = False  # then tapes must see the Python code itself
        self._num_random = 0

    def __enter__(self):
        self._outer = getattr(_here, "tracing", None)
        if self._outer is not None:
            self.seed = self._outer.seed
        _here.tracing = self
        return self

    def __exit__(self, kind, error, traceback):
        _here.tracing = self._outer
        if kind is errors.InvalidArgumentError:
            raise of_program(error).with_traceback(traceback) from None

    def add_variable(self, variable):
        if not self._may_make_variables:
            raise ValueError(
                "tf.function only supports singleton tf.Variables created on the first call. Make "
                "sure the tf.Variable is only created once or created outside tf.function. See "
                "https://www.tensorflow.org/guide/function#creating_tfvariables for more "
                "information."
            )
        self.made.append(weakref.ref(variable))

    def next_op_seed(self) -> int:
        """The op seed of a random op that has none: its number within the function."""
        self._num_random += 1
        return self._num_random - 1


def current() -> Tracing | None:
    """The innermost trace of this thread; None where ops run at once."""
    return getattr(_here, "tracing", None) if _core.is_tracing() else None
