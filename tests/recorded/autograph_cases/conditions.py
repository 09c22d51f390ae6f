"""`if` and conditional expressions."""

import tensorflow as tf


def one_branch(x):
    if x > 0:
        x = x * 2
    return x


def two_branches(x):
    if x > 2:
        y = x + 1
    else:
        y = x - 1
    return y


def elif_chain(x):
    if x < 0:
        kind = -1
    elif x == 0:
        kind = 0
    elif x < 10:
        kind = 1
    else:
        kind = 2
    return kind


def nested(x, y):
    if x > 0:
        if y > 0:
            z = x + y
        else:
            z = x - y
    else:
        z = x * y
    return z


def several_variables(x):
    a, b = x, x + 1
    if x > 0:
        a, b = b, a
        c = a * b
    else:
        c = a - b
    return a, b, c


def structures(x):
    found = {"a": x, "b": (x, x + 1)}
    if x > 0:
        found = {"a": x * 2, "b": (found["b"][1], found["b"][0])}
    return found


def only_used_inside(x):
    if x > 0:
        mine = x * 3
        y = mine + 1
    else:
        y = x
    return y


def changed_and_not_needed(x):
    t = x
    if x > 0:
        t = t + 1
        y = t
    else:
        y = t * 10
    return y


def conditional_expression(x):
    return x if x > 0 else -x


def nested_expressions(x):
    return (1 if x > 5 else 2) if x > 0 else (3 if x < -5 else 4)


def texts(x):
    if x > 0:
        word = "positive"
    else:
        word = "other"
    return word


def python_condition(x, double=True):
    if double:
        x = x * 2
    if x is None:
        return 0
    return x


def both_return(x):
    if x > 0:
        return x
    else:
        return x * x


def arrays(x):
    y = tf.fill([3], x)
    if tf.reduce_sum(y) > 5:
        y = y + tf.range(3)
    return y


CASES = [
    (one_branch, (3,)), (one_branch, (-3,)), (two_branches, (3,)), (two_branches, (1,)),
    (elif_chain, (-4,)), (elif_chain, (0,)), (elif_chain, (5,)), (elif_chain, (50,)),
    (nested, (1, 2)), (nested, (1, -2)), (nested, (-1, 2)), (several_variables, (4,)),
    (several_variables, (-4,)), (structures, (2,)), (structures, (-2,)), (only_used_inside, (2,)),
    (only_used_inside, (-2,)), (changed_and_not_needed, (2,)), (changed_and_not_needed, (-2,)),
    (conditional_expression, (3,)), (conditional_expression, (-3,)), (nested_expressions, (7,)),
    (nested_expressions, (-3,)), (texts, (1,)), (texts, (-1,)), (python_condition, (5,)),
    (both_return, (3,)), (both_return, (-3,)), (arrays, (4,)), (arrays, (1,)),
]  # fmt: skip
