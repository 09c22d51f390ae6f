"""tf.cond, tf.case and tf.while_loop with the arguments and the node names of TensorFlow 1."""

from __future__ import annotations

import contextlib
import itertools

from penstock import _core, raw_ops
from penstock._control_flow import conditionals, loops
from penstock._functions.running import control_dependencies
from penstock._nest import flatten, pack_like
from penstock._scope import default_graph, graph_scope, name_scope
from penstock.compat.v1 import _switches


def _named(result, name, first=0):
    """The tensors of a result as nodes of that name, where there is a graph; with TensorFlow 2's
    names, which are numbered from `first` on."""
    if not _core.is_building():
        return result
    if _switches.control_flow_v2_enabled():
        names = (f"Identity_{n}" if n else "Identity" for n in itertools.count(first))
    else:
        names = itertools.repeat(name)
    made = [
        raw_ops.Identity(input=leaf, name=next(names)) if isinstance(leaf, _core.Tensor) else leaf
        for leaf in flatten(result)
    ]
    return pack_like(result, made)


@contextlib.contextmanager
def _named_node(kind, scope):
    """The node of that kind that is made inside has the scope's name, as in TensorFlow 2."""
    is_wanted = _core.is_building() and _switches.control_flow_v2_enabled()
    builder = default_graph()._builder if is_wanted else None
    first = builder.num_nodes() if is_wanted else 0
    yield
    if is_wanted:
        nodes = range(first, builder.num_nodes())
        node = next((each for each in nodes if builder.type(each) == kind), None)
        if node is not None:
            builder.rename(node, scope)


def _only(result):
    """The one result of a list of one."""
    is_single = type(result) in (list, tuple) and len(result) == 1
    return result[0] if is_single else result


def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """The result of `true_fn()` where `pred` is true, and of `false_fn()` where it is not. A list
    of one tensor is that tensor, unless it is `strict`."""
    if (true_fn is not None and fn1 is not None) or (false_fn is not None and fn2 is not None):
        raise TypeError("cond(): one of 'true_fn' and 'fn1', and one of 'false_fn' and 'fn2'")
    functions = true_fn or fn1, false_fn or fn2
    if not _core.is_building():
        result = conditionals.cond(pred, *functions)
        return result if strict else _only(result)
    if isinstance(pred, bool):
        raise TypeError("'pred' must not be a Python bool.")
    with name_scope(name or "cond") as scope, _named_node("cond", scope):
        result = conditionals.cond(
            pred, *map(_with_result, functions, ("true_fn", "false_fn")), name=scope
        )
        result = _named(result, "Merge")
    return result if strict else _only(result)


def _with_result(function, name):
    if not callable(function):
        return function  # which cond refuses

    def checked():
        result = function()
        if result is None:
            raise ValueError(f"'{name}' must have a return value.")
        return result

    return checked


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """The result of the first function whose predicate is true, or else of `default`. Of those of
    an `exclusive` case in a graph, one is true at most."""
    with (
        name_scope(name or "case") as scope,
        control_dependencies(_checks(pred_fn_pairs, exclusive)),
    ):
        result = conditionals.case(pred_fn_pairs, default, exclusive, name=scope)
        with graph_scope("cond"):
            result = _named(result, "Merge")
    return result if strict else _only(result)


def _checks(pairs, exclusive) -> list:
    """What runs before an exclusive case."""
    if not exclusive or not _core.is_building() or not isinstance(pairs, (list, tuple)):
        return []
    from penstock import stack
    from penstock.debugging import Assert

    preds = stack([pred for pred, _ in pairs])
    count = raw_ops.Sum(input=raw_ops.Cast(x=preds, DstT="int32"), axis=[0])
    text = "More than one condition evaluated as True but exclusive=True. Values:"
    return [Assert(count <= 1, [text, preds])]


def while_loop(
    cond,
    body,
    loop_vars,
    shape_invariants=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
    maximum_iterations=None,
    return_same_structure=False,
    checkpoints=None,
):
    """tf.while_loop. The one variable of a list of one comes back without the list, unless
    `return_same_structure`."""
    with name_scope(name or "while") as scope, _named_node("while", scope):
        result = loops.while_loop(
            cond,
            body,
            loop_vars,
            shape_invariants,
            parallel_iterations,
            back_prop,
            swap_memory,
            maximum_iterations,
            scope,
            checkpoints,
        )
        result = _named(result, "Exit", first=2)
    return result if return_same_structure else _only(result)
