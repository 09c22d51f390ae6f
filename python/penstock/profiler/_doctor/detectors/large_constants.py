"""Large constants that are written into graphs."""

from __future__ import annotations

from penstock import _core
from penstock._base.version_1 import version_1
from penstock.profiler._doctor._findings import Finding, size
from penstock.profiler._doctor._source import Site
from penstock.profiler._doctor.detectors._base import Detector

_LARGE = 1 << 20  # bytes

_FIX_FUNCTION = """\
table = tf.constant(array)         # once, outside: the function refers to it, and to no copy

@tf.function
def {name}(x, table): …            # or as an argument, as here"""
_FIX_GRAPH = """\
table = tf.compat.v1.placeholder(tf.float32, array.shape)
sess.run(fetches, {table: array})  # fed, not a part of the graph"""


def _constants() -> int:
    return _core.memory_by_tag(0)["constant"]["current"]


class LargeConstants(Detector):
    cause = "large_constants"

    def __init__(self, watch):
        super().__init__(watch)
        self._found = {}  # Site: [bytes, times, what the graph is of, fix]

    def install(self, probes):
        from penstock._tracing.function import Function

        probes.around(Function, "_trace", self._begin_trace, self._traced)
        probes.around(version_1.nodes, "constant", self._begin_constant, self._added)

    def _begin_trace(self, *unused):
        self.watch.traced_lines.clear()
        return _constants()

    def _traced(self, function, before):
        more = _constants() - before
        if more < _LARGE:
            return
        lines = self.watch.traced_lines
        site = max(lines, key=lines.get, default=None)
        if site is None:
            code = function.python_function.__code__
            site = code.co_filename, code.co_firstlineno
        self._add(
            Site(*site),
            more,
            f"the graph of `{function.name}`",
            _FIX_FUNCTION.format(name=function.name),
        )

    def _graph_bytes(self):
        from penstock._context.scope import default_graph

        graph = default_graph()
        return 0 if graph is None else graph.bytes()

    def _begin_constant(self, tensor, *unused):
        is_large = tensor.dtype.size * (tensor.shape.num_elements() or 0) >= _LARGE
        return self._graph_bytes() if is_large else None

    def _added(self, unused, before):
        if before is None:
            return
        more = self._graph_bytes() - before
        site, _ = self.here()
        if more >= _LARGE and site is not None:
            self._add(site, more, "a graph", _FIX_GRAPH)

    def _add(self, site, more, graph, fix):
        entry = self._found.setdefault(site, [0, 0, graph, fix])
        entry[0] += more
        entry[1] += 1

    def findings(self):
        return [
            Finding(
                self.cause,
                "A large constant is part of a graph",
                site.file,
                site.line,
                f"{size(held / times)} of values made here are copied into {graph}"
                + (f", {times:,} times ({size(held)})" if times > 1 else "")
                + ", and stay as long as it does.",
                steps=times,
                fix=fix,
            )
            for site, (held, times, graph, fix) in self._found.items()
        ]
