"""What cannot be converted, or is wrong: errors, by class and line."""

import tensorflow as tf


def dtypes_of_branches(x):
    if x > 0:
        y = 1.0
    else:
        y = 1
    return y


def undefined_in_else(x):
    if x > 0:
        y = 1
    return y


def undefined_in_main(x):
    if x > 0:
        pass
    else:
        y = 1
    return y


def structures_of_branches(x):
    if x > 0:
        y = (x, x)
    else:
        y = x
    return y


def none_in_branch(x):
    y = None
    if x > 0:
        y = 1
    return y


def return_in_one_branch(x):
    if x > 0:
        return x


def return_none_in_one(x):
    if x > 0:
        return x
    return None


def dtypes_of_results(x):
    if x > 0:
        return 1.0
    return 1


def dtype_in_loop(x):
    while x > 0:
        x = tf.cast(x - 1, tf.float32)
    return x


def shape_in_loop(x):
    y = tf.ones([1])
    while x > 0:
        y = tf.concat([y, y], 0)
        x -= 1
    return y


def structure_in_loop(x):
    y = x
    while x > 0:
        y = (y, y)
        x -= 1
    return y


def condition_of_numbers(x):
    if x:
        return 1
    return 2


def condition_of_vectors(x):
    if tf.stack([x, x]) > 0:
        return 1
    return 2


def loop_of_numbers(x):
    while x:
        x -= 1
    return x


def not_of_number(x):
    return not x


def comprehension_with_condition(x):
    return [i for i in range(3) if x > 0]


def comprehension_over_tensor(x):
    return [i for i in tf.range(x)]


def bool_of_tensor(x):
    return bool(x > 0)


def python_loop_with_tensor_break(x):
    total = 0
    for i in range(5):
        if x > i:
            break
        total += 1
    return total


def raised(x):
    y = x + 1
    raise ValueError(f"no {y.dtype.name}")


def raised_in_callee(x):
    y = x
    return raised(y)


def loop_over_scalar(x):
    for i in x:
        x = i
    return x


def length_of_scalar(x):
    return len(x)


def expression_dtypes(x):
    return 1.0 if x > 0 else 1


@tf.autograph.experimental.do_not_convert
def not_converted(x):
    if x > 0:
        return x
    return -x


def calls_not_converted(x):
    return not_converted(x)


def assigned_element(x):
    y = tf.zeros([3])
    y[1] = 2.0
    return y


CASES = [
    (each, (4,))
    for name, each in list(globals().items())
    if callable(each) and name not in ("not_converted",) and not name.startswith("_")
]
