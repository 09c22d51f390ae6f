"""tf.Module: an object that knows its variables and the modules inside it."""

from __future__ import annotations

import functools
import re

from penstock._api import public
from penstock._base.nest import flatten
from penstock._context.scope import name_scope
from penstock._variables.track import Trackable
from penstock._variables.variable import Variable


def _snake(name: str) -> str:
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name).lower()


@public("Module")
class Module(Trackable):
    """A base for layers and models: finds the variables in its attributes.

    Args:
      name: The name of the operation in a graph.

    >>> class Linear(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.w = tf.Variable([[1.0], [2.0]])
    ...     def __call__(self, x):
    ...         return x @ self.w
    >>> Linear()(tf.constant([[3.0, 4.0]]))
    <tf.Tensor: shape=(1, 1), dtype=float32, numpy=array([[11.]], dtype=float32)>
    """

    # Bookkeeping attributes that are not part of the model.
    _TF_MODULE_IGNORED_PROPERTIES = frozenset()

    def __init__(self, name=None):
        if name is None:
            name = _snake(type(self).__name__)
        elif not str(name).isidentifier():
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    name = property(lambda self: self._name)

    @property
    def name_scope(self):
        """The name scope for objects that this module creates."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module and its submodules, by attribute name.

        >>> class Layer(tf.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.w, self.b = tf.Variable(1.0, name="w"), tf.Variable(0.0, name="b")
        >>> [v.name for v in Layer().variables]
        ['b:0', 'w:0']
        """
        return tuple(self._flatten(predicate=lambda x: isinstance(x, Variable)))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The trainable variables.

        >>> class Layer(tf.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.w, self.n = tf.Variable(1.0, name="w"), tf.Variable(0, trainable=False)
        >>> [v.name for v in Layer().trainable_variables]
        ['w:0']
        """
        return tuple(self._flatten(predicate=lambda x: isinstance(x, Variable) and x.trainable))

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that are not trainable."""
        return tuple(self._flatten(predicate=lambda x: isinstance(x, Variable) and not x.trainable))

    @property
    def submodules(self):
        """The modules inside this one, at any depth.

        >>> class Outer(tf.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.inner = tf.Module(name="inner")
        >>> [m.name for m in Outer().submodules]
        ['inner']
        """
        return tuple(self._flatten(predicate=lambda x: isinstance(x, Module)))

    def _flatten(self, recursive=True, predicate=None, attribute_traversal_key=None):
        """The contents of the attributes, sorted by name; then those of the modules in them."""
        yield from _walk(self, recursive, predicate, attribute_traversal_key, {id(self)})

    @classmethod
    def with_name_scope(cls, method):
        """Decorates a method: objects that it creates are named after the module."""

        @functools.wraps(method)
        def scoped(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


def _walk(module, recursive, predicate, order, seen):
    held = vars(module)
    inner = []
    for key in sorted(held, key=order):
        if key in module._TF_MODULE_IGNORED_PROPERTIES:
            continue
        try:
            leaves = flatten(held[key])
        except TypeError as error:
            raise ValueError(
                f"Error processing property {key!r} of {type(module).__name__}: {error}"
            ) from error
        for leaf in leaves:
            if id(leaf) in seen:
                continue
            seen.add(id(leaf))
            if predicate is None or predicate(leaf):
                yield leaf
            if recursive and isinstance(leaf, Module):
                inner.append(leaf)
    for value in inner:
        yield from _walk(value, recursive, predicate, order, seen)
