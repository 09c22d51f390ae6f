"""The interface through which the rest of penstock uses TensorFlow 1's graphs, without importing
compat.v1.

compat.v1 registers itself here (compat/v1/_parts.py). Each part is loaded on first use:

    api                     tf.compat.v1 itself
    namespace(name)         tf.compat.v1.<name>; None where there is none
    names                   which of TensorFlow 1's names today's functions had
    default_graph()         the graph that is being built
    nodes                   what makes the nodes of a graph: constant, group, no_op, …
    make_variable(…)        a variable of a graph
    gradients(…)            tf.gradients
    tape_reads, tape_names  gradients of a tape in a graph: at variables, and the names of nodes
    growth, sessions        what the doctor watches
"""

from __future__ import annotations

import importlib


class Version1:
    """The parts of TensorFlow 1, as attributes."""

    def __init__(self):
        self._home = self._find = None

    def load_from(self, home: str):
        """Names the module that registers the parts; it is imported on first use."""
        self._home = home

    def register(self, find):
        """`find(part)` returns a part."""
        self._find = find

    def __getattr__(self, part):  # a part on first use
        if part.startswith("_"):
            raise AttributeError(part)
        if self._find is None:
            importlib.import_module(self._home)
        value = self._find(part)
        setattr(self, part, value)
        return value


version_1 = Version1()
