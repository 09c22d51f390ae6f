"""The trace in progress on this thread: whether it may make variables, and its random seeds."""

from __future__ import annotations

import threading
import weakref

from penstock import _core, errors

_here = threading.local()


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


def needs_values(what):
    """NotImplementedError for what would have to happen at every call of a function."""
    raise NotImplementedError(
        f"{what} cannot be part of a tf.function yet: it needs values, which are there only when "
        "the function runs. Call it outside of the function, or while debugging use "
        "tf.config.run_functions_eagerly(True)."
    )


class Tracing:
    """One trace: the variables that it made, and how many random ops it has."""

    def __init__(self, may_make_variables):
        self._may_make_variables = may_make_variables
        self.made = []
        self.seed = None  # where the function sets its own
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
            found = errors._TracingError(error.node_def, error.op, error.message)
            raise found.with_traceback(traceback) from None

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
