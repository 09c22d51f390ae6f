"""The rest of the language: what is left as it is, or must not get in the way."""

import functools

import tensorflow as tf

total = 0


def assignment_expression(x):
    if (y := x * 2) > 3:
        return y
    return -y


def exceptions(x):
    try:
        if x is None:
            raise KeyError("none")
        y = {}["none"]
    except KeyError as error:
        y = len(str(error))
    else:
        y = 5
    finally:
        x = x + 1
    return x + y


def jumps_in_try(x):
    for i in range(5):
        try:
            if i == 3:
                return x + i
            if i == 1:
                continue
        finally:
            x = x + 1
    return x


def matched(x, word="a"):
    match word:
        case "a":
            if x > 0:
                y = x
            else:
                y = -x
        case _:
            y = 0
    return y


def deleted(x):
    y = x
    if x > 0:
        del y
        y = 3
    return y


class Secret:
    __value = 5

    def get(self, x):
        if x > 0:
            return self.__value + x
        return Secret.__value - x


def private_names(x):
    return Secret().get(x)


def annotated(x):
    y: int = 3
    if x > 0:
        y: int = 4
    return y + x


def imports(x):
    if x > 0:
        import math

        y = math.floor(2.5)
    else:
        y = 1
    return y


def global_names(x):
    global total
    total = 0
    for i in range(3):
        total = total + i
    if x is not None:
        total += 1
    return total


def unpacked(x):
    first, *rest = [1, 2, 3]
    if x > 0:
        first, rest = rest[0], [first, rest[1]]
    return first, rest


def local_class(x):
    class Local:
        value = 7

        def get(self):
            if self.value > 0:
                return x + self.value
            return x

    return Local().get()


def decorated(x):
    def plus_one(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args) + 1

        return wrapper

    @plus_one
    def inner(y):
        if y > 0:
            return y
        return -y

    return inner(x)


def generator_inside(x):
    def numbers():
        for i in range(4):
            if i % 2:
                yield i

    return sum(numbers()) + x


def text_of_lines(x):
    text = """one
two"""
    if len(text) == 7:
        x = x + 1
    return x


def default_arguments(x, scale=3, *, shift=1):
    def inner(y, times=scale):
        if y > 0:
            return y * times
        return y

    return inner(x) + shift


def context(x):
    with tf.name_scope("a"), tf.name_scope("b"):
        for i in range(2):
            x = x + i
    return x


def deep(x):
    found = []
    for i in range(3):
        for j in range(3):
            if i == j:
                continue
            if i + j == 3:
                break
            if i > 0:
                if j > 0:
                    found.append(x + i)
                else:
                    found.append(x - j)
    return found


def conditional_calls(x):
    return (tf.abs if x is not None else tf.sin)(x)


CASES = [
    (each, (value,))
    for name, each in list(globals().items())
    if callable(each) and name != "Secret"
    for value in (4, -4)
]
