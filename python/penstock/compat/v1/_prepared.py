"""One combination of fetches and feeds of a session, with a program for each set of shapes."""

from __future__ import annotations

import weakref

from penstock import _core, errors
from penstock._context.trace import init_scope
from penstock.compat.v1._fetches import fed_value
from penstock.compat.v1._nodes import unfed

_to_tensor, _is_tracing = _core.to_tensor, _core.is_tracing
_NO_NODE = -1
_NOTHING = None, None


def _shapes(tensors) -> tuple:
    return tuple(tuple(tensor.shape) for tensor in tensors)


class Prepared:
    """Runs the same fetches and feeds again and again."""

    def __init__(self, session, fetched, feeds):
        self._session = weakref.proxy(session)  # a proxy, because the session owns this: no cycle
        self._builder = session._builder
        self._fetches, self._targets = fetched.tensors, fetched.targets
        self._feeds = list(feeds)
        self._feed_dtypes = [feed.dtype for feed in feeds]
        self._has_integers = any(dtype.is_integer for dtype in self._feed_dtypes)
        self._exactly = [False] * len(self._feeds)  # whether a dtype is only a hint
        self._implicit = []  # what the session feeds itself
        self._fixed = ()  # its values, where they do not change
        self._needed, self._assigned = self._part()
        self._latest = _NOTHING  # (the program of the latest run, the shapes that were fed)

    def _part(self):
        """(variables that must have a value, variables that are assigned)"""
        graph = self._session.graph
        while True:
            feeds = [*self._feeds, *(tensor for tensor, _ in self._implicit)]
            variables, open_node = self._builder.part(feeds, self._fetches, self._targets)
            if open_node == _NO_NODE:
                break
            if open_node not in graph._implicit:
                raise unfed(self._builder, open_node)
            tensor = self._builder.outputs(open_node)[0]
            self._implicit.append((tensor, graph._implicit[open_node]))
        self._numbers = [number for number, _, _ in variables]
        return (
            [number for number, is_read, _ in variables if is_read],
            [number for number, _, is_assigned in variables if is_assigned],
        )

    def run(self, values, pack):
        """The way that runs go after the first: it tries the program of the run before, which
        refuses what does not fit it before anything runs."""
        function, shapes = self._latest  # at once: other threads run this too
        if function is None or (self._has_integers and int in map(type, values)):
            # Numbers out of an integer dtype's range must be rejected.
            return self.run_checked(list(values), pack)
        try:
            tensors = list(map(_to_tensor, values, self._feed_dtypes, self._exactly))
            tensors += self._fixed
            if _is_tracing():
                with init_scope():
                    results = function(tensors)
            else:
                results = function(tensors)
        except (TypeError, ValueError):  # the checked way raises TensorFlow's error
            return self.run_checked(list(values), pack)
        except errors.InvalidArgumentError:
            if _shapes(tensors) == shapes:
                raise  # by an op: the program fits what is fed
            return self.run_checked(list(values), pack)
        return pack(_core.take_arrays(results))

    def run_checked(self, values, pack):
        """A run with every check."""
        session = self._session
        session._check_open()
        with init_scope():
            tensors = [
                fed_value(value, tensor) for value, tensor in zip(values, self._feeds, strict=True)
            ]
            own = [
                _to_tensor(value(session), tensor.dtype, False) for tensor, value in self._implicit
            ]
        shapes = _shapes((*tensors, *own))
        self._check_variables()
        with init_scope():
            function = self.function(shapes)
            results = function([*tensors, *own])
        session._initialized.update(self._assigned)
        if all(getattr(value, "is_fixed", False) for _, value in self._implicit):
            self._fixed, self._latest = own, (function, shapes)
        return pack(_core.take_arrays(results))

    def function(self, shapes):
        """The program for these feed shapes, created on first use."""
        session = self._session
        key = (self, shapes)
        program = session._programs.get(key)
        if program is not None:
            return program
        with session._lock:  # two threads would create a variable twice and lose an assignment
            program = session._programs.get(key)
            return program if program is not None else self._compile(session, key, shapes)

    def _compile(self, session, key, shapes):
        feeds = [*self._feeds, *(tensor for tensor, _ in self._implicit)]
        variables = session._buffers(self._numbers)
        program = self._builder.compile(
            feeds, list(shapes), self._fetches, self._targets, variables, session._random
        )
        session._programs.put(key, program)
        for dropped in session._programs.shrink([]):
            for prepared in list(session._prepared.values()):
                if prepared._latest[0] is dropped:
                    prepared._latest = _NOTHING
        return program

    def _check_variables(self):
        session = self._session
        for number in self._needed:
            if number in session._initialized:
                continue
            variable = session.graph._variables[number]
            name = variable._full_name
            container = variable._container or "localhost"
            if variable._is_updated and number in self._assigned:
                raise errors.NotFoundError(
                    None,
                    variable.op,
                    f"Graph execution error:\n\nContainer {container} does not exist. (Could not "
                    f"find resource: {container}/{name})",
                )
            raise errors.FailedPreconditionError(
                None,
                variable.op,
                f"Graph execution error:\n\nNode: '{name}/Read/ReadVariableOp'\nCould not find "
                f"variable {name}. This could mean that the variable has been deleted. In TF1, it "
                "can also mean the variable is uninitialized. Debug info: container="
                f"{container}, status error message=Resource {container}/{name} does not exist.\n"
                f"\t [[{{{{node {name}/Read/ReadVariableOp}}}}]]",
            )
