"""The current trace of this thread: whether it may create variables, and its random seeds."""

from __future__ import annotations

import threading
import weakref

from penstock import _core, errors
from penstock._api import public

_here = threading.local()
has_control_flow_v2 = True  # branches and bodies are separate graphs

TENSORS = (_core.Tensor, _core.VariableHandle)


@public("init_scope")
class init_scope:
    """Leaves the functions being traced: calls inside run now.

    >>> @tf.function
    ... def eager_inside():
    ...     with tf.init_scope():
    ...         return tf.executing_eagerly()
    >>> bool(eager_inside())
    True
    """

    def __enter__(self):
        self._leave = _core.LeaveTraces()
        self._leave.enter()

    def __exit__(self, *unused):
        self._leave.exit()


@public("inside_function")
def inside_function() -> bool:
    """True while a function is traced, even in an init_scope."""
    return getattr(_here, "tracing", None) is not None


class _Weak:
    """A weak reference to a function that somebody else keeps."""

    def __init__(self, function):
        self._function = weakref.ref(function)

    def __call__(self, tensors):
        return self._function()(tensors)


def keep_calls(calls) -> bool:
    """Whether the graph that is being made, or the trace, keeps these functions. Its nodes know
    only where they are: what C++ keeps is out of the collector's sight, and so would be a cycle."""
    if _core.is_building():
        from penstock._context.scope import default_graph

        default_graph()._calls.extend(calls)
        return True
    tracing = current()
    if tracing is not None:
        tracing.calls.extend(calls)
    return tracing is not None


def call_when_run(name, function, structure, outputs=(), passes_gradients=False, node=None):
    """Calls `function` with the structure, now or, while a function is traced, whenever that runs:
    its tensors then are those of the run. `outputs` are the (dtype, shape) of the tensors that it
    returns in a list. `node` is what a graph of TensorFlow 1 calls the node."""
    from penstock._tensors.composite import flatten_all, pack_all

    leaves = flatten_all(structure)
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, TENSORS)]

    def run(tensors):
        values = list(leaves)
        for place, tensor in zip(places, tensors, strict=True):
            values[place] = tensor
        return function(pack_all(form, values)) or []

    tensors = [_core.to_tensor(leaves[place]) for place in places]
    form = pack_all(structure, leaves)
    del structure
    if keep_calls([run]):
        run = _Weak(run)
    outputs_of_call = _core.call_host(name, run, tensors, list(outputs), passes_gradients)
    if node and _core.is_building():
        from penstock._context.scope import default_graph

        builder = default_graph()._builder
        builder.rename(builder.num_nodes() - 1, node)
    return outputs_of_call


class OpSeeds:
    """A graph as TensorFlow counts them: each has its own op seeds, a branch or a body too. It is
    made while what is around it is current still."""

    def __init__(self):
        outer = op_seeds()
        self.seed = None if outer is None else outer.seed  # unless it sets its own
        # In a TensorFlow 1 graph, which ignores the global seed.
        self._has_own_seed = outer is not None and outer._has_own_seed
        self._num_random = 0

    def next_op_seed(self) -> int:
        """The op seed of a random op without one: its number within the graph."""
        self._num_random += 1
        return self._num_random - 1


class Region(OpSeeds):
    """A branch, or the condition or the body of a loop, while it is traced. With TensorFlow 1's
    control flow it is a part of its graph."""

    def __init__(self):
        super().__init__()
        outer = op_seeds()
        is_in_graph = outer is not None and not isinstance(outer, OpSeeds)
        self._counts = outer if is_in_graph and not has_control_flow_v2 else self

    def __enter__(self):
        self._outer = getattr(_here, "region", None)
        _here.region = self
        return self

    def __exit__(self, *unused):
        _here.region = self._outer


def op_seeds():
    """The counter of random ops here: a graph, a region or a trace; None if ops run eagerly."""
    if _core.is_building():
        from penstock._context.scope import default_graph

        return default_graph()
    region = getattr(_here, "region", None)
    return current() if region is None or not _core.is_tracing() else region._counts


class SeedMark:
    """A mark in the count of op seeds, to return to before retracing."""

    def __init__(self):
        self._seeds = op_seeds()
        self._count = self._seeds and self._seeds._num_random

    def go_back(self):
        """Returns to the mark."""
        if self._seeds is not None:
            self._seeds._num_random = self._count


def of_program(error):
    """Turns an error of a call during tracing into an error of the program: also a ValueError."""
    return errors._TracingError(error.node_def, error.op, error.message)


class Tracing(OpSeeds):
    """One trace: its variables, and the number of its random ops."""

    def __init__(self, may_make_variables):
        super().__init__()
        self._may_make_variables = may_make_variables
        self.made = []
        self.num_regions = 0  # branches and loop bodies being traced
        self.num_iterated = 0  # elements of datasets that Python code took with `next`
        self.has_custom_gradient = False  # then tapes must see the Python code
        self.calls = []  # Python functions that its nodes call

    def __enter__(self):
        self._outer = getattr(_here, "tracing", None), getattr(_here, "region", None)
        _here.tracing, _here.region = self, None
        return self

    def __exit__(self, kind, error, traceback):
        _here.tracing, _here.region = self._outer
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


class _OfGraph(threading.local):
    """Notes about regions while a graph, not a function, is built."""

    has_custom_gradient, num_regions = False, 0


_of_graph = _OfGraph()


def notes():
    """Where observations during tracing are noted; None if ops run eagerly."""
    return current() or (_of_graph if _core.is_tracing() else None)


def current() -> Tracing | None:
    """The innermost trace of this thread; None if ops run eagerly."""
    return getattr(_here, "tracing", None) if _core.is_tracing() else None
