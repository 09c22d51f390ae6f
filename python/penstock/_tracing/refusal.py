"""Refuses a call whose plan does not fit, and says what would fit."""

from __future__ import annotations

from penstock import _core, errors
from penstock._memory.plan import size_text
from penstock._tensors.composite import flatten_all, pack_all
from penstock._tensors.spec import TensorSpec
from penstock._tracing.arguments import ObjectValue, is_traced


def _specs(concrete):
    return [leaf for leaf in flatten_all(concrete._arguments) if is_traced(leaf)]


def _batch(concrete):
    """The leading dimension that all inputs share, or None."""
    sizes = {spec.shape[0] for spec in _specs(concrete) if spec.shape.rank}
    return sizes.pop() if len(sizes) == 1 else None


def _input_bytes(concrete) -> int:
    return sum(spec.shape.num_elements() * spec.dtype.size for spec in _specs(concrete))


def _with_batch(concrete, size):
    """The arguments of a trace, with another leading dimension."""
    leaves = [
        TensorSpec([size, *leaf.shape[1:]], leaf.dtype, leaf.name)
        if is_traced(leaf) and leaf.shape.rank
        else (leaf.value() if isinstance(leaf, ObjectValue) else leaf)
        for leaf in flatten_all(concrete._arguments)
    ]
    return pack_all(concrete._arguments, leaves)


def largest_batch(function, concrete, fits):
    """The largest batch below the requested one for which `fits(trace)` is true; None if
    unknown."""
    batch = _batch(concrete)
    if batch is None:
        return None
    low, high = 0, batch
    try:
        while high - low > 1:
            middle = (low + high) // 2
            smaller = function._trace_apart(_with_batch(concrete, middle))
            low, high = (middle, high) if fits(smaller) else (low, middle)
    except Exception:
        return None  # the function rejects other batches
    return low


def _raise(function, concrete, first, least, fits):
    plan = concrete.memory_plan()
    lines = [first, f"  fullest at {plan.peak_op}, instruction {plan.peak_instruction}:"]
    lines += ["    " + line for line in plan.holders(5)]
    lines.append(f"  least budget: {least} bytes ({size_text(least)})")
    batch = largest_batch(function, concrete, fits)
    if batch:
        lines.append(f"  largest batch that fits: {batch} (of {_batch(concrete)})")
    raise errors.ResourceExhaustedError(None, None, "\n".join(lines))


def refuse(function, concrete, budget):
    """The plan is larger than the function's own budget."""
    peak = concrete._core.peak_bytes()
    _raise(
        function,
        concrete,
        f"{function.name} needs {peak} bytes ({size_text(peak)}), but its memory_budget is "
        f"{budget} ({size_text(budget)}). Nothing was run.",
        concrete._core.least_peak_bytes(),
        lambda smaller: smaller._core.peak_bytes() <= budget,
    )


def refuse_global(function, concrete, reason):
    """Called when a run found no memory: raises if the plan does not fit the remaining budget."""
    budget, held = _core.budget(0), _core.memory_info(0)["current"]
    peak = concrete._core.peak_bytes()
    if held + peak <= budget:
        return
    others = held - _input_bytes(concrete)
    _raise(
        function,
        concrete,
        f"{function.name} needs {peak} bytes ({size_text(peak)}) beside the {held} that are held, "
        f"but the memory budget is {budget} ({size_text(budget)}). Nothing was run. ({reason})",
        held + concrete._core.least_peak_bytes(),
        lambda smaller: others + _input_bytes(smaller) + smaller._core.peak_bytes() <= budget,
    )
