"""Expressions over shapes and tensors under tf.disable_v2_behavior(): what TensorFlow 1 has that
TensorFlow 2 has not. `d` and `u` are dimensions, one of them unknown, `x` is a placeholder."""

from __future__ import annotations

_VALUES = ["d", "u", "3", "tf.Dimension(5)", "None"]
_OPERATORS = ["+", "-", "*", "//", "%", "/", "==", "!=", "<", "<=", ">", ">="]

EXPRESSIONS = [
    *(f"d {sign} {other}" for sign in _OPERATORS for other in _VALUES),
    *(f"u {sign} {other}" for sign in _OPERATORS for other in ("u", "3")),
    *(f"3 {sign} {other}" for sign in _OPERATORS for other in ("d", "u")),
    "str(d), str(u), repr(d), repr(u)",
    "int(d)",
    "int(u)",
    "list(range(10))[d]",
    "d.value, u.value",
    "hash(d) == hash(4)",
    "bool(d), bool(u)",
    "d.merge_with(4), u.merge_with(3), d.merge_with(None)",
    "d.merge_with(5)",
    "d.is_compatible_with(4), d.is_compatible_with(None), d.is_compatible_with(5)",
    "d.assert_is_compatible_with(5)",
    "tf.Dimension(-1)",
    "tf.Dimension('a')",
    "tf.Dimension(tf.Dimension(3))",
    "x.shape, x.get_shape()",
    "str(x.shape), str(x)",
    "x",
    "x.shape[0], x.shape[1]",
    "x.get_shape()[1].value",
    "x.shape[0].value",
    "x.get_shape().as_list()",
    "x.shape.dims",
    "x.shape[1:]",
    "x.shape[:1]",
    "list(x.shape)",
    "[n.value for n in x.shape]",
    "len(x.shape), x.shape.ndims",
    "x.shape[1] * 2",
    "x.shape.num_elements(), x.shape[1:].num_elements()",
    "x.shape == tf.TensorShape([None, 4])",
    "x.shape[1:] == [4]",
    "tf.TensorShape(None)",
    "str(tf.TensorShape(None))",
    "tf.TensorShape(None)[0]",
    "tf.TensorShape(None)[1:]",
    "list(tf.TensorShape(None))",
    "tf.TensorShape([1, 2])[5]",
    "str(tf.TensorShape([3]))",
    "str(tf.TensorShape([]))",
    "tf.TensorShape([tf.Dimension(2), None])",
    "x.shape.merge_with([2, None])",
    "x.shape.concatenate([7])",
    "x.shape.with_rank(3)",
    "tf.reshape(x, [-1, x.shape[1].value * 1]).shape",
    "tf.zeros([x.shape[1], 2]).shape",
    "tf.reshape(x, [-1, x.shape[1]]).shape",
    "tf.zeros(x.shape[1:]).shape",
    "tf.ones([x.get_shape()[1], 3]).shape",
    "tf.placeholder(tf.float32, [None, x.shape[1]]).shape",
    "tf.get_variable('w', [x.shape[1], 3]).shape",
    "tf.dimension_value(x.shape[1]), tf.dimension_value(x.shape[0])",
    "tf.dimension_at_index(x.shape, 1)",
    "x == x, x == y, x != y, x == None, x != 3",
    "x in [y, x], x in [y], [y, x].index(x)",
    "{x: 1}[x], len({x, y, x})",
    "hash(x) == hash(x)",
    "tf.Tensor._USE_EQUALITY if hasattr(tf.Tensor, '_USE_EQUALITY') else False",
]


def setting(tf) -> dict:
    """The names of the expressions. Pre: a graph is the default."""
    return {
        "tf": tf,
        "d": tf.Dimension(4),
        "u": tf.Dimension(None),
        "x": tf.placeholder("float32", [None, 4], name="x"),
        "y": tf.placeholder("float32", [None, 4], name="y"),
    }


def answers(tf) -> dict:
    """What each expression gives, as text, or the class and the message of its error."""
    found = {}
    for expression in EXPRESSIONS:
        with tf.Graph().as_default():
            names = setting(tf)
            try:
                found[expression] = repr(eval(expression, names))
            except Exception as error:
                found[expression] = f"{type(error).__name__}: {error}"
    return found
