"""tf.compat.v1.data.Iterator: iterators of graphs, whose position belongs to a session."""

from __future__ import annotations

import warnings

from penstock import _core, dtypes
from penstock._api import public
from penstock._context.trace import keep_calls
from penstock.compat.v1 import _default, _switches
from penstock.compat.v1._nodes import fed_by_session, name_scope
from penstock.compat.v1.data import _legacy
from penstock.data import _structure
from penstock.data._generator import signature
from penstock.data._iterator import OwnedIterator, TracedIterator

_MANY_CALLS = 32


class _Slots:
    """An iterator of a graph: one for each session, by handle."""

    def __init__(self):
        self.start = None  # the operation that a session runs before the first use

    def handle_in(self, session):
        """The handle in a session, which feeds it."""
        with session._lock:
            handle = session._op_states.get(self)
            if handle is None:
                handle = session._op_states[self] = _core.DatasetIterator(None).handle()
                if self.start is not None:
                    try:
                        session.run(self.start)
                    except BaseException:
                        del session._op_states[self]
                        raise
        return handle

    handle_in.is_fixed = True


def _named(name):
    """The node that was just made, with this name."""
    graph = _default.get_default_graph()
    graph._builder.rename(graph._builder.num_nodes() - 1, name)
    return graph._last_operation()


def _start(handle, dataset, name):
    """The operation that starts a new iterator."""
    keep_calls([dataset])
    _core.add_iterator_start(handle, dataset._core)
    return _named(name)


@public("v1.data.Iterator")
class Iterator(TracedIterator):
    """An iterator of a graph: each run of get_next's result takes one element.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     iterator = tf.compat.v1.data.Iterator.from_structure(tf.int64, [])
    ...     following = iterator.get_next()
    ...     _ = sess.run(iterator.make_initializer(tf.data.Dataset.range(5, 7)))
    ...     print([int(sess.run(following)) for _ in range(2)])
    [5, 6]
    """

    def __init__(
        self,
        iterator_resource,
        initializer,
        output_types,
        output_shapes,
        output_classes=None,
        name=None,
    ):
        self._begin(iterator_resource, initializer, signature(output_types, output_shapes))

    def _begin(self, handle, initializer, element_spec):
        super().__init__(handle, element_spec)
        self._initializer = initializer
        self._num_calls = 0
        self._string_handle = None
        if _core.is_building():
            self._string_handle = _text_of(handle, "IteratorToStringHandle")
        return self

    @classmethod
    def _of(cls, handle, initializer, element_spec):
        return object.__new__(cls)._begin(handle, initializer, element_spec)

    output_types = property(_legacy.get_output_types, doc="The dtypes of an element.")
    output_shapes = property(_legacy.get_output_shapes, doc="The shapes of an element.")
    output_classes = property(_legacy.get_output_classes, doc="The classes of an element.")

    __iter__ = None  # a graph has no loops in Python

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        """An iterator without a dataset: make_initializer gives it one.

        Args:
          output_types: The dtypes of an element.
          output_shapes: The shapes of an element; None is any.
          shared_name: Taken as in TensorFlow, and not used.
          output_classes: Taken as in TensorFlow, and not used.
        """
        if _core.is_building():
            handle = fed_by_session(
                _default.get_default_graph(), dtypes.int64, _Slots().handle_in, "IteratorV2"
            )
        else:
            handle = _core.DatasetIterator(None).handle()
        return Iterator._of(handle, None, signature(output_types, output_shapes))

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        """The iterator that a string stands for: the value of another one's string_handle().

        Args:
          string_handle: The string; a placeholder to choose the iterator in each run.
          output_types: The dtypes of an element.
          output_shapes: The shapes of an element; None is any.
          output_classes: Taken as in TensorFlow, and not used.
        """
        from penstock import strings

        string_handle = _core.to_tensor(string_handle, dtypes.string)
        handle = strings.to_number(string_handle, dtypes.int64, name="IteratorFromStringHandleV2")
        return Iterator._of(handle, None, signature(output_types, output_shapes))

    @property
    def initializer(self):
        """The operation that begins again."""
        if self._initializer is None:
            raise ValueError(
                "The iterator does not have an initializer. This means it was likely created using "
                "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
                "`tf.data.Dataset.make_initializable_iterator()` instead."
            )
        return self._initializer

    def make_initializer(self, dataset, name=None):
        """The operation that begins with a dataset.

        Args:
          dataset: The dataset, whose elements fit the iterator's.
          name: The name of the operation in a graph.
        """
        pairs = (
            ("types", _legacy.get_output_types, lambda own, other: own == other),
            ("shapes", _legacy.get_output_shapes, lambda own, other: own.is_compatible_with(other)),
        )
        if not _structure.same_structure(self._element_spec, dataset.element_spec):
            raise TypeError(
                f"The two structures don't have the same nested structure: {self._element_spec} "
                f"and {dataset.element_spec}"
            )
        for what, of, fits in pairs:
            own, other = of(self), of(dataset)
            flat = zip(_structure.flatten(own), _structure.flatten(other), strict=True)
            if not all(fits(a, b) for a, b in flat):
                like = "compatible with " if what == "shapes" else ""
                raise TypeError(
                    f"Expected output {what} {like}{own!r} but got dataset with output {what} "
                    f"{other!r}."
                )
        if not _core.is_building():
            return _core.add_iterator_start(self._handle, dataset._core)
        with name_scope(name, "make_initializer") as scope:
            pass
        return _start(self._handle, dataset, scope.rstrip("/"))

    def get_next(self, name=None):
        """The next element: nodes that take one in each run; OutOfRangeError at the end.

        Args:
          name: The name of the operation in a graph.
        """
        self._num_calls += 1
        if self._num_calls == _MANY_CALLS + 1:
            warnings.warn(
                "An unusually high number of `Iterator.get_next()` calls was detected. This often "
                "indicates that `Iterator.get_next()` is being called inside a training loop: each "
                "call adds nodes to the graph. Call it once, before the loop.",
                stacklevel=2,
            )
        if not _core.is_building():
            return super().get_next()
        parts = _structure.core_spec(self._element_spec)
        components = _core.add_iterator_next(self._handle, parts)
        _named(name or "IteratorGetNext")
        return _structure.element_of(self._element_spec, components)

    def string_handle(self, name=None):
        """A string that stands for the iterator, to be fed where from_string_handle takes it."""
        if name is None and self._string_handle is not None:
            return self._string_handle
        return _text_of(self._handle, name or "IteratorToStringHandle")


def _text_of(handle, name):
    from penstock import strings

    return strings.as_string(handle, name=name)


@public("v1.data.make_one_shot_iterator")
def make_one_shot_iterator(dataset):
    """An iterator that a session starts when it first uses it.

    Args:
      dataset: The dataset, which depends on no placeholder and no variable.
    """
    if not _core.is_building():
        return OwnedIterator(dataset)
    _check_constant(dataset)
    slots = _Slots()
    graph = _default.get_default_graph()
    with graph.control_dependencies(None):
        handle = fed_by_session(graph, dtypes.int64, slots.handle_in, "OneShotIterator")
        slots.start = _start(handle, dataset, "OneShotIterator/MakeIterator")
    return Iterator._of(handle, None, dataset.element_spec)


@public("v1.data.make_initializable_iterator")
def make_initializable_iterator(dataset, shared_name=None):
    """An iterator that begins again with each run of its initializer.

    Args:
      dataset: The dataset, which may depend on placeholders: the initializer's run feeds them.
      shared_name: Taken as in TensorFlow, and not used.
    """
    if not _core.is_building():
        raise RuntimeError(
            "`make_initializable_iterator()` is not supported in eager mode. Use Python-style "
            "iteration instead."
        )
    graph = _default.get_default_graph()
    handle = fed_by_session(graph, dtypes.int64, _Slots().handle_in, "IteratorV2")
    initializer = _start(handle, dataset, "MakeIterator")
    return Iterator._of(handle, initializer, dataset.element_spec)


def _check_constant(dataset):
    """Raises ValueError if the dataset depends on a placeholder or a variable."""
    graph = _default.get_default_graph()
    builder = graph._builder
    variable = "VarHandleOp" if _switches.resource_variables_enabled() else "VariableV2"
    read = {
        builder.node_of(tensor): each
        for each in graph._variables
        for tensor in builder.reads_of(each._variable_number)
    }
    seen, waiting = set(), [builder.node_of(each) for each in dataset._core.symbols()]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node in read:
            name = read[node]._full_name
            raise ValueError(
                f"Cannot capture a stateful node (name:{name}, type:{variable}) by value."
            )
        if builder.type(node) == "Placeholder" and node not in graph._implicit:
            raise ValueError(
                f"Cannot capture a placeholder (name:{builder.name(node)}, type:Placeholder) by "
                "value."
            )
        waiting += [builder.node_of(each) for each in builder.inputs(node)]
