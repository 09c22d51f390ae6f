"""The rest of the language: statements that stay unconverted, or must not disturb conversion."""

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


def assignment_in_loop(x):
    found, numbers = 0, iter([1, 2, 3, 0, 5])
    while (each := next(numbers)) != 0:
        found += each
        if each > 2:
            continue
        found += 100
    return found + each + x


def jumps_in_handlers(x):
    found = 0
    for i in range(6):
        try:
            if i == 2:
                raise ValueError(i)
            if i == 4:
                raise KeyError(i)
            found += i
        except ValueError:
            found += 10
            continue
        except KeyError:
            break
        else:
            found += 100
    return found + x


def targets(x):
    found = {}
    for found["a"], (b, *rest) in [(1, (2, 3)), (4, (5, 6, 7))]:
        if b > 4:
            break
    return found["a"], b, len(rest), x


def names_of_flags(x):
    break_, continue_, do_return, retval_ = 5, 6, 7, 8
    for i in range(4):
        for j in range(4):
            if j == 2:
                break
            if i == j:
                continue
            break_ += 1
        else:
            continue
        if i == 3:
            return break_, continue_, do_return, retval_ + x
    return x


def functions_of_a_loop(x):
    made = []
    for i in range(3):

        def get(j=i):
            return x + i * 10 + j

        made.append(get)
    return [get() for get in made]


class Shape:
    def __init__(self, size):
        self.size = size

    @classmethod
    def of(cls, size):
        if size is None:
            return cls(0)
        return cls(size)

    @property
    def area(self):
        if self.size is None:
            return 0
        return self.size * self.size

    @staticmethod
    def doubled(size):
        return size * 2 if size is not None else 0


class Square(Shape):
    def __init__(self, size):
        if size is not None:
            super().__init__(size)
        else:
            super().__init__(1)


def methods_of_classes(x):
    return Square.of(x).area + Square.doubled(x)


def conditional_calls(x):
    return (tf.abs if x is not None else tf.sin)(x)


CASES = [
    (each, (value,))
    for name, each in list(globals().items())
    if callable(each) and not isinstance(each, type)
    for value in (4, -4)
]
