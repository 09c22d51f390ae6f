"""tf.cond, tf.case and tf.switch_case."""

from __future__ import annotations

from penstock import _core, dtypes, errors
from penstock._api import public
from penstock._base.nest import flatten, pack_like
from penstock._context.scope import graph_scope, scoped
from penstock._control_flow import symbolic
from penstock._control_flow.naming import node_named, results_as_nodes
from penstock._control_flow.tensor_array import TensorArray


def _check_callable(function, name):
    if function is None:
        raise TypeError(f"cond(): '{name}' argument required")
    if not callable(function):
        raise TypeError(f"'{name}' must be callable.")


@public("cond")
@scoped("cond")
def cond(pred, true_fn=None, false_fn=None, name=None):
    """The result of `true_fn()` if `pred` is true, and of `false_fn()` otherwise.

    Args:
      pred: A boolean.
      true_fn: A function without arguments.
      false_fn: A function without arguments.
      name: The name of the operation in a graph.

    Returns:
      What the chosen function returns; in a graph both must return the same structure.

    >>> tf.cond(tf.constant(2) > 1, lambda: tf.constant("yes"), lambda: tf.constant("no"))
    <tf.Tensor: shape=(), dtype=string, numpy=b'yes'>
    """
    _check_callable(true_fn, "true_fn")
    _check_callable(false_fn, "false_fn")
    if symbolic.is_symbolic(pred):
        branches = _Branches([true_fn, false_fn], ["true_fn", "false_fn"], "tf.cond")
        pred = symbolic.condition(pred, "pred")
        with node_named("branch", name):
            result = branches.pack(symbolic.cond(pred, *branches.functions))
        return results_as_nodes(result, "Merge")
    if not isinstance(pred, (bool, int, _core.Tensor)):
        pred = _core.to_tensor(pred)
    return true_fn() if pred else false_fn()


class _Branches:
    """Functions whose results must have the same structure and dtypes."""

    def __init__(self, functions, names, what):
        self._names, self._what = names, what
        self._result = self._is_tensor = None
        self.functions = [self._flat(i, function) for i, function in enumerate(functions)]

    def _flat(self, number, function):
        def branch():
            result = function()
            leaves = [self._as_tensor(function, leaf) for leaf in flatten(result)]
            if number == 0:
                self._result = pack_like(result, leaves)
                self._is_tensor = [leaf is not None for leaf in leaves]
            else:
                self._compare(number, pack_like(result, leaves))
            return [leaf for leaf in leaves if leaf is not None]

        return branch

    @staticmethod
    def _as_tensor(function, leaf):
        if isinstance(leaf, TensorArray):
            return leaf
        try:
            return None if leaf is None else _core.to_tensor(leaf)
        except (TypeError, ValueError):
            raise TypeError(
                "To be compatible with tf.function, Python functions must return zero or more "
                f"Tensors or ExtensionTypes or None values; in compilation of {function}, found "
                f"return value of type {type(leaf).__name__}, which is not a Tensor or "
                "ExtensionType."
            ) from None

    def _compare(self, number, result):
        from penstock.nest import assert_same_structure

        counts = [sum(leaf is not None for leaf in flatten(x)) for x in (self._result, result)]
        if counts[0] != counts[1]:
            raise ValueError(
                "Lengths of branch outputs of cond must match.\n"
                f"len(graphs[0].outputs): {counts[0]}\nlen(graphs[{number}].outputs): {counts[1]}\n"
            )
        details = None
        try:
            assert_same_structure(self._result, result)
        except (TypeError, ValueError) as error:
            details = str(error)
        if details is None:
            for one, other in zip(flatten(self._result), flatten(result), strict=True):
                if getattr(one, "dtype", None) != getattr(other, "dtype", None):
                    details = f"{one} and {other} have different types"
                    break
        if details is None:
            return
        first, second = self._names[0], self._names[number]
        raise TypeError(
            f"{first} and {second} arguments to {self._what} must have the same number, type, and "
            f"overall structure of return values.\n\n{first} output: {self._result}\n{second} "
            f"output: {result}\n\nError details:\n{details}"
        )

    def pack(self, tensors):
        tensors = iter(tensors)
        leaves = [next(tensors) if is_tensor else None for is_tensor in self._is_tensor]
        return pack_like(self._result, leaves)


@public("case")
@scoped("case")
def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """The result of the first function whose predicate is true, or else of `default`.

    `exclusive` is a promise that no two are true. As in TensorFlow, the last one is not checked
    where there is no default: it is what is left."""
    pairs = _checked_pairs(pred_fn_pairs, exclusive)
    if default is not None and not callable(default):
        raise TypeError("'false_fn' must be callable.")
    if not pairs:
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    if exclusive:
        _check_exclusive([pred for pred, _ in (pairs if default is not None else pairs[:-1])])
    if any(symbolic.is_symbolic(pred) for pred, _ in pairs):
        return _nested(pairs, default or _last_of(pairs))
    for pred, function in pairs:
        if pred:
            return function()
    if default is None:
        raise _none_is_true(pairs)
    return default()


def _check_exclusive(preds):
    if len(preds) < 2:
        return
    from penstock import debugging, raw_ops

    count = raw_ops.Sum(input=raw_ops.Cast(x=raw_ops.Pack(values=preds), DstT=dtypes.int32))
    debugging.assert_less(
        count, 2, message="Input error: exclusive=True: more than 1 conditions evaluated as True"
    )


def _none_is_true(pairs):
    values = ", ".join(str(bool(pred)) for pred, _ in pairs)
    return errors.InvalidArgumentError(
        None,
        None,
        "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
        f"b'Input error: None of conditions evaluated as True:'\n{values}",
    )


def _last_of(pairs):
    """The last function, guarded by its predicate: checked whenever it runs."""
    pred, function = pairs.pop()
    preds = [_core.to_tensor(condition) for condition, _ in pairs] + [pred]

    def checked():
        from penstock._ops.join import stack
        from penstock.debugging import Assert

        Assert(pred, ["Input error: None of conditions evaluated as True:", stack(preds)])
        return function()

    return checked


def _nested(pairs, last):
    """A chain of conditions; the last function is the fallback."""
    if not pairs:
        return last()
    pred, function = pairs[0]
    return cond(pred, function, lambda: _nested(pairs[1:], last))


def _checked_pairs(pairs, exclusive):
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pairs)}")
    if isinstance(pairs, dict):
        if not exclusive:
            raise ValueError(
                "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when "
                "`exclusive=False` and eager mode is enabled."
            )
        pairs = [(getattr(key, "deref", lambda key=key: key)(), fn) for key, fn in pairs.items()]
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        pred, function = pair
        if not isinstance(pred, (_core.Tensor, _core.VariableHandle)):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        if pred.dtype.name != "bool":
            raise TypeError(f"pred must be Tensor of type bool: {pred}")
        if not callable(function):
            raise TypeError(f"fn for pred {pred} must be callable.")
    return list(pairs)


@public("switch_case")
@scoped("switch_case")
def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """The result of the function that `branch_index` picks; out of range, of `default` or, where
    there is none, of the last one."""
    if not isinstance(branch_index, (_core.Tensor, _core.VariableHandle)):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")
    functions = _checked_branches(branch_fns)
    if default is not None:
        if not callable(default):
            raise TypeError("'default' must be callable.")
        functions.append(default)
    if branch_index.shape.rank != 0:
        raise errors.InvalidArgumentError(
            None, None, f"branch_index must be a scalar, but it has shape {branch_index.shape}"
        )
    if symbolic.is_symbolic(branch_index):
        names = [f"branches[{i}]" for i in range(len(functions))]
        branches = _Branches(functions, names, "tf.switch_case")
        index = _core.to_tensor(branch_index)
        with graph_scope("indexed_case") as scope:
            with node_named("branch", scope):
                result = branches.pack(symbolic.switch(index, branches.functions))
            return results_as_nodes(result, "Merge")
    index = int(branch_index)
    return functions[index if 0 <= index < len(functions) else -1]()


def _checked_branches(branches) -> list:
    if not isinstance(branches, (list, tuple, dict)):
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    pairs = list(branches.items()) if isinstance(branches, dict) else list(branches)
    if not pairs:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if all(map(callable, pairs)):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        key, function = pair
        if not isinstance(key, int):
            raise TypeError(f"key must be a Python `int`, got {type(key)}")
        if not callable(function):
            raise TypeError(f"fn for key {key} must be callable.")
    keys = sorted(key for key, _ in pairs)
    if keys != list(range(len(pairs))):
        text = ",".join(map(str, keys))
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(pairs)}) but found "
            f"{{{text}}}"
        )
    return [function for _, function in sorted(pairs, key=lambda pair: pair[0])]
