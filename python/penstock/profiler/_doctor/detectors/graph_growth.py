"""A graph of TensorFlow 1 that has more nodes before each run."""

from __future__ import annotations

from penstock._base.version_1 import version_1
from penstock.profiler._doctor._findings import Finding
from penstock.profiler._doctor._source import Site, text_of
from penstock.profiler._doctor.detectors._base import Detector

_MANY = 8  # runs with new nodes of one line
_MOST_NODES = 500  # that are looked at per run
_ALL_RUNS = 64  # of which all are looked at; of those after that, ever fewer

_FIX = """\
x = tf.compat.v1.placeholder(tf.float32, [None])   # build the graph once, before the loop
y = tf.square(x)
tf.compat.v1.get_default_graph().finalize()        # a late op is an error from here on
with tf.compat.v1.Session() as sess:
    for batch in batches:
        result = sess.run(y, {x: batch})           # and feed what changes"""


class _Grown:
    def __init__(self, size):
        self.first_bytes = self.bytes = size
        self.nodes = 0
        self.num_runs = self.looked_at = self.last_look = 0
        self.runs = {}  # Site: in how many of the runs that were looked at it had added nodes


class GraphGrowth(Detector):
    cause = "graph_growth"

    def __init__(self, watch):
        super().__init__(watch)
        self._graphs = {}

    def install(self, probes):
        growth = version_1.growth.Growth
        probes.around(growth, "look", lambda growth, builder: (growth.seen, builder), self._ran)

    def _ran(self, growth, begun):
        first, builder = begun
        count = builder.num_nodes()
        if count == first:
            return
        grown = self._graphs.get(id(growth))
        if grown is None:
            grown = self._graphs[id(growth)] = _Grown(builder.bytes())
        if first == 0:
            return
        grown.num_runs += 1
        if grown.num_runs > _ALL_RUNS and grown.num_runs < 1.2 * grown.last_look:
            return
        grown.looked_at += 1
        grown.last_look = grown.num_runs
        nodes = range(first, min(count, first + _MOST_NODES))
        for site in dict.fromkeys(Site(*builder.line(node)) for node in nodes):
            grown.runs[site] = grown.runs.get(site, 0) + 1
        grown.bytes, grown.nodes = builder.bytes(), count
        self.explained.update(self.runs_at(self.here()[1]))

    def findings(self):
        return [
            self._finding(grown)
            for grown in self._graphs.values()
            if max(grown.runs.values(), default=0) >= _MANY
        ]

    def _finding(self, grown):
        most = max(grown.runs.values())
        runs = round(most / grown.looked_at * grown.num_runs)
        lines = [site for site, count in grown.runs.items() if count >= most // 2]
        first = min(lines, key=lambda site: (-grown.runs[site], site.file, site.line))
        others = sorted(site.line for site in lines if site != first)
        also = f" So did line {', '.join(map(str, others))}." if others else ""
        per_run = max(0, grown.bytes - grown.first_bytes) / grown.last_look
        return Finding(
            self.cause,
            "A graph is grown in a loop",
            first.file,
            first.line,
            f"`{text_of(first)}` added nodes to the graph before each of {runs:,} runs: it has "
            f"{grown.nodes:,} nodes by now, and what a graph has stays until the graph goes.{also}",
            int(per_run * runs),
            per_run,
            runs,
            _FIX,
        )
