"""tf.custom_gradient and functions built on it."""

from __future__ import annotations

import functools
import inspect

from penstock import _core, raw_ops
from penstock._api import public
from penstock._autodiff.tape import GradientTape, UnconnectedGradients, variables_of
from penstock._base.nest import flatten, pack_like
from penstock._context import trace as _tracing
from penstock._context.scope import default_graph
from penstock._ops.seeds import Draws
from penstock._tensors.kinds import is_tensor_like


@public("custom_gradient")
def custom_gradient(f=None):
    """Decorates a function that returns (result, backward) instead of just its result.

    Where the function reads variables that are no arguments, `backward` takes them as the keyword
    `variables` and returns two lists of gradients: of the arguments and of the variables.

    Args:
      f: The function.

    >>> @tf.custom_gradient
    ... def clipped(x):
    ...     return x, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)
    >>> x = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     y = 5.0 * clipped(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(1.0)
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args, **kwargs):
        arguments = [*flatten(args), *flatten(kwargs)]
        graph = default_graph() if _core.is_building() else None
        reads = graph._reads() if graph is not None else []
        hidden = _core.HideTapes()
        watcher = _core.Tape(False, True, watch_only=True)
        try:
            result, backward = f(*args, **kwargs)
            read = variables_of(watcher)
            if graph is not None:
                read = [*read, *graph._variables_read_since(reads)]
            read = [variable for variable in read if all(variable is not v for v in arguments)]
        finally:
            del watcher, hidden
        _check_takes_variables(backward, read)
        # A leaf that is not a number (a string flag, a function) has no gradient.
        is_input = [
            not callable(argument) and not isinstance(argument, (str, bytes))
            for argument in arguments
        ]
        inputs = [argument for argument, takes in zip(arguments, is_input, strict=True) if takes]
        inputs = [x if is_tensor_like(x) else _core.to_tensor(x) for x in inputs]

        def run(dys):
            gradients, of_variables = _backwards(backward, dys, read, len(flatten(args)))
            gradients += [None] * (len(arguments) - len(gradients))
            gradients = [g for g, takes in zip(gradients, is_input, strict=True) if takes]
            gradients += of_variables
            return [None if g is None else _core.to_tensor(g) for g in gradients]

        notes = _tracing.notes()
        if notes is not None:
            notes.has_custom_gradient = True
        leaves = flatten(result)
        if graph is not None:
            leaves = graph._with_gradient([*inputs, *read], leaves, run)
        results = _core.record_custom([*inputs, *read], leaves, run)
        return pack_like(result, results)

    return decorated


def _check_takes_variables(backward, variables):
    if not variables:
        return
    spec = inspect.getfullargspec(backward)
    if "variables" not in [*spec.args, *spec.kwonlyargs] and spec.varkw is None:
        raise TypeError(
            "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function "
            f"uses variables: {variables}"
        )


def _backwards(backward, dys, variables, count):
    """The gradients of the arguments and those of the variables."""
    if variables:
        gradients, of_variables = backward(*dys, variables=variables)
        of_variables = flatten(of_variables)
        if len(of_variables) != len(variables):
            raise ValueError(
                "Must return gradient for each variable from @custom_gradient grad_fn."
            )
    else:
        gradients, of_variables = backward(*dys), []
    gradients = flatten(gradients)
    if len(gradients) != count:
        raise ValueError(
            f"custom_gradient function expected to return {count} gradients, but returned "
            f"{len(gradients)} instead."
        )
    return gradients, of_variables


@public("recompute_grad")
def recompute_grad(f):
    """`f`, keeping only its arguments for its gradient: it runs again for the gradient.

    Random ops give the second time what they gave the first.
    """

    @custom_gradient
    @functools.wraps(f)
    def inner(*args, **kwargs):
        draws = Draws()
        with draws:
            result = f(*args, **kwargs)

        def backward(*dys, variables=None):
            variables = variables or []
            again = _behind(args, dys)
            leaves = [leaf for leaf in flatten(again) if _has_gradient(leaf)]
            with GradientTape() as tape, draws:
                tape.watch(leaves)
                result = f(*again, **kwargs)
            gradients, of_variables = tape.gradient(
                result, [leaves, list(variables)], list(dys), UnconnectedGradients.ZERO
            )
            left = iter(gradients)
            grads = [next(left) if _has_gradient(leaf) else None for leaf in flatten(again)]
            return (grads, of_variables) if variables else grads

        return result, backward

    @functools.wraps(f)
    def recomputed(*args, **kwargs):
        tracing = _tracing.current()
        # The gradients of branches and loops recompute anyway.
        is_in_region = tracing is not None and tracing.num_regions > 0
        return (f if is_in_region else inner)(*args, **kwargs)

    return recomputed


def _has_gradient(leaf) -> bool:
    return is_tensor_like(leaf) and (leaf.dtype.is_floating or leaf.dtype.is_complex)


def _behind(args, dys):
    """The arguments, in a function as values that are there only once all `dys` are.

    What is computed with them is then no common subexpression of what was computed before, and
    cannot be computed before it is needed.
    """
    if not _core.is_tracing():
        return args
    leaves = flatten(args)
    takes = [
        isinstance(leaf, _core.Tensor)
        and (_has_gradient(leaf) or isinstance(leaf, _core.SymbolicTensor))
        for leaf in leaves
    ]
    moved = [leaf for leaf, is_moved in zip(leaves, takes, strict=True) if is_moved]
    if not moved:
        return args
    after = iter(raw_ops.IdentityN(input=[*moved, *dys]))
    return pack_like(
        args, [next(after) if is_moved else x for x, is_moved in zip(leaves, takes, strict=True)]
    )


@public("grad_pass_through")
def grad_pass_through(f):
    """`f`, with the gradient of the identity."""

    @custom_gradient
    @functools.wraps(f)
    def inner(*args, **kwargs):
        def backward(*dys, variables=None):
            return (dys, [None] * len(variables)) if variables else dys

        return f(*args, **kwargs), backward

    return inner
