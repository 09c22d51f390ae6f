"""tf.gradients: gradients as nodes of a graph."""

from __future__ import annotations

from penstock import _core, raw_ops
from penstock._api import public
from penstock._autodiff.tape import IndexedSlices, UnconnectedGradients
from penstock._context.scope import name_scope
from penstock.compat.v1 import _default
from penstock.compat.v1._gradient_names import gradient_names
from penstock.compat.v1._nodes import in_graph


@public("v1.gradients")
def gradients(
    ys,
    xs,
    grad_ys=None,
    name="gradients",
    colocate_gradients_with_ops=False,
    gate_gradients=False,
    aggregation_method=None,
    stop_gradients=None,
    unconnected_gradients="none",
):
    """The gradients of the sum of `ys` at each of `xs`; None if there is no path."""
    if not _core.is_building():
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape "
            "instead."
        )
    unconnected = UnconnectedGradients(unconnected_gradients)
    graph = _default.get_default_graph()
    with name_scope(name or "gradients"):
        return _within_scope(
            graph, _listed(ys), _listed(xs), grad_ys, stop_gradients, gate_gradients, unconnected
        )


def _within_scope(graph, ys, xs, grad_ys, stop_gradients, is_gated, unconnected):
    targets = [in_graph(_core.to_tensor(y), graph) for y in ys]
    seeds = _seeds(targets, grad_ys, graph)
    stops = [read for stop in _listed(stop_gradients or []) for read in _reads(stop, graph)[0]]
    reads = [_reads(x, graph) for x in xs]
    flat = [read for whole, rows in reads for read in (*whole, *(row for row, _ in rows))]
    gradients_left = iter(_found(graph, targets, flat, seeds, stops, is_gated))
    results = []
    for x, (whole, rows) in zip(xs, reads, strict=True):
        parts = [part for part in (next(gradients_left) for _ in whole) if part is not None]
        slices = [(next(gradients_left), indices) for _, indices in rows]
        slices = [(part, indices) for part, indices in slices if part is not None]
        gradient = _summed(x, parts, slices)
        if gradient is None and unconnected is UnconnectedGradients.ZERO:
            gradient = raw_ops.ZerosLike(x=x)
        results.append(gradient)
    return results


def _found(graph, targets, sources, seeds, stops, is_gated) -> list:
    """The gradients at the sources; None where there is no way.

    They end at the results of functions that have their own gradients, and go on from what those
    functions make of them, the last one first.
    """
    customs = list(graph._custom_gradients)
    if not customs:
        return _named(graph, targets, sources, seeds, stops, is_gated)
    outputs = [output for custom in customs for output in custom.outputs]
    stopped = {stop._value for stop in stops}
    wanted, ends = [*sources, *outputs], [*stops, *outputs]
    parts = [[] for _ in wanted]

    def arrive(targets, seeds):
        for part, new in zip(
            parts, _named(graph, targets, wanted, seeds, ends, is_gated), strict=True
        ):
            part.extend([] if new is None else [new])

    arrive(targets, seeds)
    end = len(wanted)
    for custom in reversed(customs):
        here = range(end - len(custom.outputs), end)
        end = here.start
        dys = [None if wanted[i]._value in stopped else _sum(parts[i]) for i in here]
        if any(dy is not None for dy in dys):
            inputs, gradients = custom.at_inputs(dys)
            if inputs:
                arrive(inputs, [in_graph(gradient, graph) for gradient in gradients])
    return [_sum(part) for part in parts[: len(sources)]]


def _sum(parts):
    if len(parts) > 1:
        return raw_ops.AddN(inputs=parts)
    return parts[0] if parts else None


def _named(graph, targets, sources, seeds, stops, is_gated) -> list:
    """The gradients at the sources under TensorFlow's names; None if there is no path."""
    builder = graph._builder
    first = builder.num_nodes()
    tensors, named = builder.gradients(targets, sources, seeds, stops), {}
    results = []
    for gradient, tensor in zip(
        gradient_names(builder, targets, sources, stops, is_gated), tensors, strict=True
    ):
        if tensor is None or gradient is None:
            results.append(tensor)
            continue
        if gradient not in named:
            named[gradient] = builder.named(tensor, first, gradient.name)
        results.append(named[gradient])
    return results


def _listed(value) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _reads(x, graph):
    """(the tensors that stand for x, rows taken of it with their indices): a variable stands for
    all that was read from it."""
    number = getattr(x, "_variable_number", None)
    if number is None:
        return [in_graph(_core.to_tensor(x), graph)], []
    by_rows = {read._value for read, _, _ in x._sparse_reads}
    whole = [read for read in graph._builder.reads_of(number) if read._value not in by_rows]
    return whole, [(rows, indices) for _, rows, indices in x._sparse_reads]


def _summed(x, parts, slices):
    """The sum of the gradients of a whole variable and of its rows; rows alone stay sparse."""
    if slices:
        sizes = x.shape.as_list()
        values = [raw_ops.Reshape(tensor=part, shape=[-1, *sizes[1:]]) for part, _ in slices]
        indices = [raw_ops.Reshape(tensor=ids, shape=[-1]) for _, ids in slices]
        if len(slices) > 1:
            values = [raw_ops.ConcatV2(values=values, axis=0)]
            indices = [raw_ops.ConcatV2(values=indices, axis=0)]
        if not parts:
            return IndexedSlices(values[0], indices[0], raw_ops.Shape(input=x))
        parts.append(
            raw_ops.UnsortedSegmentSum(
                data=values[0], segment_ids=indices[0], num_segments=sizes[0]
            )
        )
    return _sum(parts)


def _check_takes_ones(y):
    if y.dtype.name == "string":
        raise TypeError("Expected string, but got 1 of type 'int': a string has no gradient.")
    if y.dtype.is_complex:
        raise TypeError(
            f"Gradients of complex tensors ({y}) must set grad_ys (y.dtype = {y.dtype!r})"
        )


def _seeds(targets, grad_ys, graph) -> list:
    """The initial gradient of each target; an empty list if all start with ones."""
    if grad_ys is None:
        for y in targets:
            _check_takes_ones(y)
        return []
    gradients = _listed(grad_ys)
    if len(gradients) != len(targets):
        raise ValueError(
            f"Passed {len(gradients)} grad_ys for {len(targets)} ys. They must be the same length."
        )
    if all(gradient is None for gradient in gradients):
        return []
    seeds = []
    for y, dy in zip(targets, gradients, strict=True):
        if dy is None:
            _check_takes_ones(y)
            seeds.append(raw_ops.OnesLike(x=y))
        else:
            seeds.append(in_graph(_core.to_tensor(dy, y.dtype), graph))
    return seeds
