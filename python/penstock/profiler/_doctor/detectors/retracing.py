"""Functions that are traced again and again: because of an argument, or because they are made
anew in a loop."""

from __future__ import annotations

import inspect
import weakref

from penstock.profiler._doctor._findings import Finding
from penstock.profiler._doctor._source import Site
from penstock.profiler._doctor.detectors._base import Detector

_MANY = 8  # traces
_SHARE = 4  # at least every fourth call was traced
_MOST_VALUES = 6  # that are shown

_FIX_VALUE = """\
@tf.function
def {name}(…, {argument}): …

{name}(…, tf.constant({value}))         # a tensor: one trace serves all of its values"""
_FIX_SHAPE = """\
@tf.function(input_signature=[tf.TensorSpec({spec}, tf.{dtype})])
def {name}({argument}): …              # one trace serves all sizes"""
_FIX_OBJECT = """\
{argument} = …                          # make the object once, before the loop
for batch in batches:
    {name}(…, {argument})"""
_FIX_MADE = """\
@tf.function                           # once, before the loop
def step(x): …

for batch in batches:
    step(batch)"""


class _Traced:
    """The traces of one function."""

    def __init__(self, function):
        self.name = getattr(function, "__name__", "function")
        self.traces = self.calls = 0
        self.seen = {}  # argument: {key: text}
        self.site = None
        self.run = None


class Retracing(Detector):
    cause = "retracing"

    def __init__(self, watch):
        super().__init__(watch)
        self._watches = weakref.WeakKeyDictionary()  # RetraceWatch: its _Traced
        self._functions = []
        self._made = {}  # code: [functions of it, their Site, the innermost loop]
        self.churned = set()  # names of functions that another detector speaks for

    def install(self, probes):
        from penstock._tracing.function import Function
        from penstock._tracing.retracing import RetraceWatch
        from penstock._tracing.trace_cache import TraceCache

        probes.after(RetraceWatch, "traced", self._traced)
        probes.after(RetraceWatch, "called", self._called)
        probes.after(Function, "__init__", self._function_made)
        probes.after(TraceCache, "put", self._cached)

    def _function_made(self, function, unused, python_function, *args):
        code = getattr(python_function, "__code__", None)
        site, frame = self.here()
        if code is None or site is None or hasattr(python_function, "__wrapped__"):
            return
        runs = self.runs_at(frame)
        if runs:
            entry = self._made.setdefault(code, [0, site, runs[0]])
            entry[0] += 1

    def _cached(self, *unused):
        """A trace or a program was added to a cache, which is bounded: no leak by itself."""
        self.explained.update(self.runs_at(self.here()[1]))

    def _called(self, watch, unused, hits=1):
        if watch in self._watches:
            self._watches[watch].calls += hits

    def _traced(self, watch, unused, function, keys, values):
        from penstock._tracing.retracing import _short

        entry = self._watches.get(watch)
        if entry is None:
            entry = self._watches[watch] = _Traced(inspect.unwrap(function))
            self._functions.append(entry)
            entry.code = getattr(function, "__code__", None)
        entry.traces += 1
        entry.calls += 1
        for name, key in keys.items():
            seen = entry.seen.setdefault(name, {})
            if len(seen) < 64:
                seen.setdefault(key, _short(values.get(name)))
        entry.site, frame = self.here()
        runs = self.runs_at(frame)
        if runs:
            entry.run = runs[0]

    def findings(self):
        findings = [
            self._of_argument(function)
            for function in self._functions
            if function.traces >= _MANY
            and function.traces * _SHARE >= function.calls
            and function.site is not None
            and function.name not in self.churned
        ]
        for code, (count, site, run) in self._made.items():
            traced = sum(function.traces for function in self._functions if function.code is code)
            if count >= _MANY and traced >= _MANY:
                findings.append(self._of_making(code, count, traced, site, run))
        return findings

    def _of_argument(self, traced):
        changing = {name: seen for name, seen in traced.seen.items() if len(seen) > 1}
        parts = []
        for name, seen in changing.items():
            texts = list(dict.fromkeys(seen.values()))
            more = f", and {len(texts) - _MOST_VALUES:,} more" if len(texts) > _MOST_VALUES else ""
            parts.append(f"the argument `{name}` changes: {', '.join(texts[:_MOST_VALUES])}{more}")
        return Finding(
            self.cause,
            "A function is traced again and again",
            traced.site.file,
            traced.site.line,
            f"`{traced.name}` was traced in {traced.traces:,} of {traced.calls:,} calls: "
            f"{'; '.join(parts) or 'its arguments are new objects at every call'}. Each trace is "
            "a graph with a plan of its own, which is made and kept.",
            *_growth(traced.run, traced.traces),
            fix=_fix(traced.name, changing),
        )

    def _of_making(self, code, count, traced, site: Site, run):
        return Finding(
            self.cause,
            "A function is made, and traced, in a loop",
            site.file,
            site.line,
            f"`{code.co_name}` was made a tf.function {count:,} times here, and traced {traced:,} "
            "times: a new function knows nothing of the traces of the one before.",
            *_growth(run, count),
            fix=_FIX_MADE,
        )


def _growth(run, steps):
    if run is not None and run.is_growing():
        return run.growth()
    return 0, 0.0, steps


def _fix(name, changing) -> str:
    for argument, seen in changing.items():
        texts = list(seen.values())
        shaped = [text for text in texts if text.endswith("]") and text.partition("[")[0].isalnum()]
        if len(shaped) == len(texts):
            return _fix_shape(name, argument, shaped)
        if all(_is_number(text) for text in texts):
            return _FIX_VALUE.format(name=name, argument=argument, value=argument)
        return _FIX_OBJECT.format(name=name, argument=argument)
    return ""


def _is_number(text) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _fix_shape(name, argument, texts) -> str:
    """The signature that leaves the sizes open that differ."""
    dtype = texts[0].partition("[")[0]
    shapes = [text.partition("[")[2].rstrip("]").split(", ") for text in texts]
    if len({len(shape) for shape in shapes}) > 1:
        spec = "None"
    else:
        sizes = [
            "None" if len(set(sizes_here)) > 1 else sizes_here[0]
            for sizes_here in zip(*shapes, strict=True)
        ]
        spec = f"[{', '.join(sizes)}]"
    return _FIX_SHAPE.format(name=name, argument=argument, dtype=dtype, spec=spec)
