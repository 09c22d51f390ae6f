"""Calls, closures, methods, lambdas, and what they change."""

import functools

import tensorflow as tf


def magnitude(x):
    if x > 0:
        return x
    return -x


def calls_another(x):
    return magnitude(x) + magnitude(-x)


def factorial(x):
    if x.shape.rank == 0 and isinstance(x, tf.Tensor):
        result = 1
        for i in tf.range(1, x + 1):
            result *= i
        return result
    return x


def recursive(x, depth=3):
    if depth == 0:
        return x
    return recursive(x + 1, depth - 1)


def nested_function(x):
    def double(y):
        if y > 0:
            y = y * 2
        return y

    return double(x) + double(-x)


def closure_over_changed(x):
    scale = 1

    def scaled(y):
        return y * scale

    if x > 0:
        scale = 2
    else:
        scale = 3
    return scaled(x)


def non_local(x):
    total = 0

    def add(y):
        nonlocal total
        if y > 0:
            total = total + y
        else:
            total = total - 1

    add(x)
    add(-x)
    return total


def lambdas(x):
    pick = lambda y: y if y > 0 else y * y  # noqa: E731
    return pick(x) + pick(-x)


def partials(x):
    return functools.partial(recursive, depth=2)(x)


class Counter:
    def __init__(self):
        self.total = 0

    def add(self, x):
        if x > 0:
            self.total = self.total + x
        else:
            self.total = self.total - x
        return self.total

    def __call__(self, x):
        return self.add(x) * 2


class Doubled(Counter):
    def add(self, x):
        if x > 1:
            x = x * 2
        return super().add(x)


def methods(x):
    return Counter().add(x)


def callable_objects(x):
    return Counter()(x)


def inherited(x):
    return Doubled().add(x)


def attributes(x):
    counter = Counter()
    while x > 0:
        counter.total = counter.total + x
        x -= 1
    return counter.total


def elements(x):
    found = {"a": 0}
    if x > 0:
        found["a"] = x
    else:
        found["a"] = -x
    return found["a"]


def keywords(x, *rest, scale=2, **more):
    if x > 0:
        x = x * scale
    for each in rest:
        x = x + each
    return x + more.get("plus", 0)


def calls_with_keywords(x):
    return keywords(x, 1, 2, scale=3, plus=4)


def comprehensions(x):
    return [x * i for i in range(4) if i % 2 == 0]


def generators(x):
    return sum(x + i for i in range(3))


def python_list(x):
    found = []
    for i in range(3):
        found.append(x * i)
    return tf.stack(found)


@tf.autograph.experimental.do_not_convert
def left_alone(x):
    return x + (1 if isinstance(x, tf.Tensor) else 2)


def calls_left_alone(x):
    return left_alone(x)


def maps(x):
    return tf.map_fn(magnitude, tf.stack([x, -x]))


def conditions_as_functions(x):
    return tf.cond(x > 0, lambda: x + 1, lambda: x - 1)


CASES = [
    (calls_another, (3,)), (recursive, (3,)), (nested_function, (3,)), (closure_over_changed, (3,)),
    (closure_over_changed, (-3,)), (non_local, (3,)), (lambdas, (3,)), (partials, (3,)),
    (methods, (-3,)), (callable_objects, (3,)), (inherited, (3,)), (attributes, (3,)),
    (elements, (-3,)), (calls_with_keywords, (3,)), (comprehensions, (3,)), (generators, (3,)),
    (python_list, (3,)), (calls_left_alone, (3,)), (maps, (3,)), (conditions_as_functions, (3,)),
    (factorial, (5,)),
]  # fmt: skip
