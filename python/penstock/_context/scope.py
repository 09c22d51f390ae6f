"""tf.name_scope, which names variables and nodes, and tf.device, which has no effect on one
device."""

from __future__ import annotations

import contextlib
import functools
import re
import threading

from penstock import _core
from penstock._api import public
from penstock._base.version_1 import version_1

_here = threading.local()


def current_scope() -> str:
    """The prefix of new names in this thread: "" or "outer/inner/"."""
    if _core.is_building():
        return default_graph()._name_stack
    return getattr(_here, "scope", "")


def set_scope(scope: str):
    """Sets the prefix of new names in this thread."""
    _here.scope = scope


@public("get_current_name_scope")
def get_current_name_scope() -> str:
    """The scope as given to `with tf.name_scope`: "" or "outer/inner"."""
    return current_scope().removesuffix("/")


@public("name_scope")
class name_scope:
    """Names variables created inside `name/…`; a name that ends in "/" is absolute.

    Args:
      name: The scope's name.

    >>> with tf.name_scope("layer"):
    ...     w = tf.Variable(1.0, name="w")
    >>> w.name
    'layer/w:0'
    """

    def __init__(self, name):
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._outer = []

    name = property(lambda self: self._name)

    def __enter__(self):
        outer = current_scope()
        self._outer.append(outer)
        if _core.is_building():
            _here.scope = default_graph()._open_scope(self._name)
        elif not self._name or self._name.endswith("/"):
            _here.scope = self._name
        else:
            _here.scope = f"{outer}{self._name}/"
        return _here.scope

    def __exit__(self, *unused):
        _here.scope = self._outer.pop()
        if _core.is_building():
            default_graph()._set_scope(_here.scope)
        return False


def scoped(default, *results, parameter="name"):
    """Names the nodes that a function creates within its argument `name`, or within the default.

    The function is given the scope, "outer/name/", which as the name of a node stands for the node
    "outer/name". The tensors that it returns are called `results`, where they are given: "." is the
    node of the scope's name. Where nothing is built, the function is just called.
    """

    def decorate(function):
        place = function.__code__.co_varnames.index(parameter)

        @functools.wraps(function)
        def call(*args, **kwargs):
            if not _core.is_building():
                return function(*args, **kwargs)
            name = args[place] if place < len(args) else kwargs.get(parameter)
            graph = default_graph()
            first = graph._builder.num_nodes()
            with name_scope(name or default) as scope:
                if place < len(args):
                    args = (*args[:place], scope, *args[place + 1 :])
                else:
                    kwargs[parameter] = scope
                names = [scope if result == "." else result for result in results]
                return _named(graph, first, function(*args, **kwargs), names)

        return call

    return decorate


def _named(graph, first, tensors, results):
    """The results of nodes from number `first` on, under these names."""
    if results and isinstance(tensors, _core.Tensor):
        return graph._builder.named(tensors, first, results[0])
    if not results or not isinstance(tensors, (list, tuple)):
        return tensors
    pairs = zip(tensors, results, strict=False)
    named = [graph._builder.named(tensor, first, name) for tensor, name in pairs]
    return type(tensors)([*named, *tensors[len(named) :]])


def results_named(tensors, names) -> tuple:
    """The tensors of the last node as outputs of nodes with these names, if a graph is being
    built."""
    if not _core.is_building():
        return tensors
    graph = default_graph()
    return _named(graph, graph._builder.num_nodes() - 1, tuple(tensors), names)


def take_name(name):
    """Reserves a name if a graph is being built: TensorFlow does so even without a node for it."""
    if _core.is_building():
        default_graph().unique_name(name)


def graph_scope(name):
    """name_scope if a graph is being built; elsewhere nothing, because it would name variables."""
    return name_scope(name) if _core.is_building() else contextlib.nullcontext()


def result_named(tensor, name):
    """A tensor of the current graph as the output of a node with that name."""
    graph = default_graph()
    return graph._builder.named(tensor, graph._builder.node_of(tensor), name)


def default_graph():
    """The graph of TensorFlow 1 that is being built."""
    return version_1.default_graph()


soft_placement = True  # whether a missing device means the CPU
_PART = re.compile(
    r"(job|replica|task):\w+|(device:)?(CPU|GPU|TPU|XLA_CPU|XLA_GPU)(:(\d+|\*))?", re.I
)


@public("device")
class device:
    """The device of ops. The CPU is the only device, so the name has no effect.

    Args:
      device_name: A name such as "/CPU:0".

    >>> with tf.device("/CPU:0"):
    ...     x = tf.ones([2])
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """

    def __init__(self, device_name):
        if callable(device_name):
            raise RuntimeError("tf.device does not support functions.")
        self._name = device_name

    def __enter__(self):
        # Device objects of tf.config have a name; anything else is text.
        text = getattr(self._name, "name", self._name)
        if text is None:
            return
        if not isinstance(text, str):
            raise ValueError(f"Expecting a string device name. Got {type(text)}({text})")
        for part in filter(None, text.split("/")):
            match = _PART.fullmatch(part)
            if not match:
                raise ValueError(
                    f"Unknown attribute '{part}' is encountered while parsing the device spec: "
                    f"'{text}'."
                )
            is_there = match[1] or (match[3].upper() == "CPU" and match[5] in (None, "0", "*"))
            if not is_there and not soft_placement:
                from penstock import errors

                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"Could not satisfy device specification '{text}'. enable_soft_placement=0. "
                    "All available devices [/job:localhost/replica:0/task:0/device:CPU:0].",
                )

    def __exit__(self, *unused):
        return False
