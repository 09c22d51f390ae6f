"""tf.compat.v1.Session: runs parts of a graph and holds the values of its variables."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping

from penstock import _core
from penstock._api import public
from penstock._context.trace import init_scope
from penstock._memory.plan import MemoryPlan
from penstock._tracing.trace_cache import TraceCache
from penstock.compat.v1 import _default, _default_session, _growth
from penstock.compat.v1._config import ConfigProto
from penstock.compat.v1._fetches import Fetches, fed_tensors
from penstock.compat.v1._graph import Graph
from penstock.compat.v1._prepared import Prepared

_PROGRAM_BYTES = 16 << 20  # per session
_MOST_SHORTCUTS = 1024
_LISTS = (list, tuple)


class BaseSession:
    """The base of the session classes."""

    def __init__(self, target="", graph=None, config=None):
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{_kind(graph)}"')
        if config is not None and not isinstance(config, ConfigProto):
            raise TypeError(
                f'Argument `config` must be a tf.ConfigProto, but got "{_kind(config)}"'
            )
        if not isinstance(target, (str, bytes)):
            raise TypeError(f'Argument `target` must be a string, but got "{_kind(target)}"')
        if target:
            raise NotImplementedError(f"sessions run in this process: target {target!r} is not one")
        self.graph = _default.get_default_graph() if graph is None else graph
        self._builder, self._number = self.graph._builder, self.graph._number
        self._num_nodes = self._builder.num_nodes
        self._growth = self.graph._growth
        self._config, self._target = config, target
        self._variables = []  # by number, None without a buffer
        self._initialized = set()
        self._programs = TraceCache(_PROGRAM_BYTES)
        self._random = _core.RandomStates()  # shared by all programs
        self._op_states = {}  # state of ops between runs, beyond their streams, by op
        self._prepared = {}  # by fetches and feeds
        self._shortcuts = {}  # the same by object identity
        self._is_closed = False
        self._lock = threading.RLock()
        _set_threads(config)
        _growth.opened(self)

    graph_def = property(lambda self: self.graph.as_graph_def())
    sess_str = property(lambda self: self._target)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """The values of the fetches, in the same structure.

        Args:
          fetches: A tensor, an operation, a name, or a nest of them.
          feed_dict: Values for placeholders and other tensors.
          options: Taken as in TensorFlow, and not used.
          run_metadata: Taken as in TensorFlow, and not used.

        Returns:
          NumPy values, in the structure of the fetches.

        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     x = tf.compat.v1.placeholder(tf.float32, [2])
        ...     print(sess.run(x * 2, {x: [1, 2]}))
        [2. 4.]
        """
        if type(fetches) in _LISTS:
            key = (*map(id, fetches), type(fetches), *map(id, feed_dict or ()))
        else:
            key = (id(fetches), *map(id, feed_dict)) if feed_dict else id(fetches)
        known = self._shortcuts.get(key)
        if known is None:
            return self._first_run(fetches, feed_dict, key)
        if self._num_nodes() != self._growth.seen:
            self._growth.look(self._builder)
        prepared, pack, _ = known
        return prepared.run(feed_dict.values() if feed_dict else (), pack)

    def _first_run(self, fetches, feed_dict, key):
        self._check_open()
        self._growth.look(self._builder)
        is_tensor = type(fetches) is _core.SymbolicTensor
        if is_tensor and not feed_dict and self._builder.runs_alone(fetches):
            known = self._builder.constant_value(fetches)
            if known is not None:
                return known.numpy()
        fetched = Fetches(self.graph, fetches)
        feeds = fed_tensors(self.graph, feed_dict) if feed_dict is not None else []
        prepared = self._prepare(fetched, feeds)
        structure = list(fetches) if type(fetches) in _LISTS else [fetches]
        if not any(isinstance(value, (list, tuple, Mapping)) for value in structure):
            if len(self._shortcuts) >= _MOST_SHORTCUTS:
                self._shortcuts.clear()
            # Keeps alive the objects whose identities are the key.
            kept = (*structure, *(feed_dict or ()))
            self._shortcuts[key] = prepared, fetched.pack, kept
        return prepared.run_checked(list((feed_dict or {}).values()), fetched.pack)

    def _prepare(self, fetched, feeds):
        key = (fetched.key(), tuple(feed._value for feed in feeds))
        with self._lock:
            prepared = self._prepared.get(key)
            if prepared is None:
                if len(self._prepared) >= _MOST_SHORTCUTS:
                    self._prepared.clear()
                prepared = self._prepared[key] = Prepared(self, fetched, feeds)
        return prepared

    def _run_tensor(self, tensor):
        """The value of a tensor, as a tensor."""
        return _core.to_tensor(self.run(tensor), tensor.dtype)

    def _check_open(self):
        if self._is_closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if self._builder.num_nodes() == 0:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )

    def _buffers(self, numbers) -> list:
        """The variables by number; missing ones among `numbers` are created."""
        from penstock import Variable, zeros

        missing = len(self.graph._variables) - len(self._variables)
        self._variables += [None] * missing
        for number in numbers:
            if self._variables[number] is None:
                variable = self.graph._variables[number]
                is_known = variable.shape.is_fully_defined()
                sizes = variable.shape if is_known else [n or 0 for n in variable.shape._dims or ()]
                with init_scope():
                    self._variables[number] = Variable(
                        zeros(sizes, variable.dtype),
                        trainable=variable.trainable,
                        name=variable._full_name,
                        shape=None if is_known else variable.shape,
                    )
        used = set(numbers)
        return [value if n in used else None for n, value in enumerate(self._variables)]

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        """A function from the values of `feed_list` to the values of the fetches."""
        self._check_open()
        feeds = list(feed_list or ())

        def call(*values, options=None, run_metadata=None):
            return self.run(fetches, dict(zip(feeds, values, strict=False)))

        return call

    def memory_plan(self, fetches, feed_shapes=None):
        """What a run will hold, and when, before it runs: a plan as `f.memory_plan` of a
        tf.function gives it. `feed_shapes` has the shapes of what is fed."""
        self._check_open()
        shapes = feed_shapes or {}
        fetched = Fetches(self.graph, fetches)
        prepared = self._prepare(fetched, fed_tensors(self.graph, shapes))
        function = prepared.function(tuple(tuple(shape) for shape in shapes.values()))
        return MemoryPlan(function.plan(), "Session.run")

    def list_devices(self):
        """The CPU."""
        from penstock import config

        return config.list_logical_devices()

    def as_default(self):
        """Makes this the default session inside `with`."""
        return _as_default(self)

    def close(self):
        """Frees the variables and the programs. No runs are possible afterwards."""
        self._is_closed = True
        with self._lock:
            self._forget()
            self._variables, self._initialized = [], set()
            self._random, self._op_states = _core.RandomStates(), {}
        _growth.closed(self)

    def _forget(self):
        self._programs = TraceCache(_PROGRAM_BYTES)
        self._prepared.clear()
        self._shortcuts.clear()

    def _reset(self, containers):
        """Frees the variables of these containers."""
        with self._lock:
            for variable in self.graph._variables[: len(self._variables)]:
                if (variable._container or "localhost") in containers:
                    self._variables[variable._variable_number] = None
                    self._initialized.discard(variable._variable_number)
            self._forget()

    def _bytes(self) -> int:
        held = (variable for variable in self._variables if variable is not None)
        return self._programs.bytes() + sum(
            variable.dtype.size * (variable.shape.num_elements() or 0) for variable in held
        )


@public("v1.Session")
class Session(BaseSession):
    """Runs parts of a graph: `with tf.Session() as sess: sess.run(loss, {x: batch})`.

    Args:
      target: Taken as in TensorFlow, and not used.
      graph: The graph; None is the default graph.
      config: A ConfigProto; None is the default.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     sess.run(tf.constant(1) + 2)
    np.int32(3)
    """

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        self._entered = []

    def __enter__(self):
        entered = contextlib.ExitStack()
        entered.enter_context(self.graph.as_default())
        entered.enter_context(self.as_default())
        self._entered.append(entered)
        return self

    def __exit__(self, *error):
        self._entered.pop().close()
        self.close()
        return False

    @staticmethod
    def reset(target, containers=None, config=None):
        """Frees the variables of these containers in all sessions; by default of the default
        container."""
        names = set(containers or ["localhost"])
        for session in _growth.open_sessions():
            session._reset(names)


@public("v1.InteractiveSession")
class InteractiveSession(BaseSession):
    """A session that is the default one from its creation until it is closed.

    Args:
      target: Taken as in TensorFlow, and not used.
      graph: The graph; None is the default graph.
      config: A ConfigProto; None is the default.

    >>> with tf.Graph().as_default():
    ...     sess = tf.compat.v1.InteractiveSession()
    ...     print(tf.constant(3).eval())
    ...     sess.close()
    3
    """

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        self._entered = contextlib.ExitStack()
        if graph is not None:
            self._entered.enter_context(graph.as_default())
        self._entered.enter_context(self.as_default())

    def close(self):
        super().close()
        self._entered.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
        return False


@contextlib.contextmanager
def _as_default(session):
    _default_session.here.stack.append(session)
    try:
        yield session
    finally:
        _default_session.here.stack.remove(session)


def _kind(obj) -> str:
    return type(obj).__name__


def _set_threads(config):
    threads = 0 if config is None else config.intra_op_parallelism_threads
    if threads:
        from penstock.config import threading as of_config

        with contextlib.suppress(RuntimeError):  # it can be set only before the first op
            of_config.set_intra_op_parallelism_threads(threads)
