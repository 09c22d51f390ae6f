"""tf.cond, tf.case and tf.while_loop with TensorFlow 1's arguments and node names."""

from __future__ import annotations

from penstock import _core, raw_ops
from penstock._api import public
from penstock._context.scope import name_scope
from penstock._control_flow import conditionals, loops
from penstock._ops.control_inputs import control_dependencies


def _only(result):
    """The one result of a list of one."""
    is_single = type(result) in (list, tuple) and len(result) == 1
    return result[0] if is_single else result


@public("v1.cond")
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
    checked = map(_with_result, functions, ("true_fn", "false_fn"))
    result = conditionals.cond(pred, *checked, name=name)
    return result if strict else _only(result)


def _with_result(function, name):
    if not callable(function):
        return function  # cond rejects it

    def checked():
        result = function()
        if result is None:
            raise ValueError(f"'{name}' must have a return value.")
        return result

    return checked


@public("v1.case")
def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """The result of the first function whose predicate is true, or else of `default`. Of those of
    an `exclusive` case in a graph, one is true at most."""
    with (
        name_scope(name or "case") as scope,
        control_dependencies(_checks(pred_fn_pairs, exclusive)),
    ):
        result = conditionals.case(pred_fn_pairs, default, exclusive, name=scope)
    return result if strict else _only(result)


def _checks(pairs, exclusive) -> list:
    """The checks before an exclusive case."""
    if not exclusive or not _core.is_building() or not isinstance(pairs, (list, tuple)):
        return []
    from penstock import stack
    from penstock.debugging import Assert

    preds = stack([pred for pred, _ in pairs])
    count = raw_ops.Sum(input=raw_ops.Cast(x=preds, DstT="int32"), axis=[0])
    text = "More than one condition evaluated as True but exclusive=True. Values:"
    return [Assert(count <= 1, [text, preds])]


@public("v1.while_loop")
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
    result = loops.while_loop(
        cond,
        body,
        loop_vars,
        shape_invariants,
        parallel_iterations,
        back_prop,
        swap_memory,
        maximum_iterations,
        name,
        checkpoints,
    )
    return result if return_same_structure else _only(result)
