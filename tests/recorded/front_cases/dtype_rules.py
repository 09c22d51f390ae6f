"""Which dtypes go together: what an operator or a function gives, or the class of its error."""

SETUP = """
import operator

f = tf.constant([1.0, 2.0, 3.0])
d = tf.cast(f, tf.float64)
h = tf.cast(f, tf.float16)
i = tf.constant([7, -7, 3])
l = tf.cast(i, tf.int64)
b = tf.constant([True, False, True])
s = tf.constant(["a", "b", "c"])
c = tf.constant([1 + 2j, 2, 3])
v = tf.Variable([1.0, 2.0, 3.0])
vi = tf.Variable([1, 2, 3])
tensors = {"f": f, "d": d, "h": h, "i": i, "l": l, "b": b, "s": s, "c": c, "v": v, "vi": vi}
numbers = {"1": 1, "2.5": 2.5, "x": "x", "1j": 1j, "[1]": [1, 2, 3], "[1.0]": [1.0, 2, 3]}
fixed = {name: value for name, value in tensors.items() if name != "s"}
real = {name: value for name, value in fixed.items() if name != "c"}
arrays = {"np i": np.int64(2), "np f": np.float32(2), "np [i]": np.arange(3)}

def kind(f, *args):
    try:
        return f(*args).dtype.name
    except Exception as error:
        names = [each.__name__ for each in type(error).__mro__]
        return next(name for name in names if not name.startswith("_"))

def rules(f, left=tensors, right=tensors):
    return ", ".join(
        f"{x} {y}: {kind(f, a, z)}" for x, a in left.items() for y, z in right.items()
    )

def each(f, values=tensors):
    return ", ".join(f"{name}: {kind(f, value)}" for name, value in values.items())
"""

CALLS = r"""
rules(operator.add)
rules(operator.add, tensors, numbers)
rules(operator.add, numbers, tensors)
rules(operator.add, tensors, arrays)
rules(operator.sub)
rules(operator.sub, tensors, numbers)
rules(operator.sub, numbers, tensors)
rules(operator.sub, fixed, arrays)
rules(operator.mul, fixed, fixed)
rules(operator.mul, {"f": f, "h": h, "i": i, "v": v}, numbers)
rules(operator.mul, numbers, tensors)
rules(operator.mul, fixed, arrays)
rules(operator.truediv)
rules(operator.truediv, tensors, numbers)
rules(operator.truediv, numbers, tensors)
rules(operator.floordiv, real, tensors)
rules(operator.floordiv, real, numbers)
rules(operator.mod)
rules(operator.mod, tensors, numbers)
rules(operator.pow)
rules(operator.pow, tensors, numbers)
rules(operator.and_)
rules(operator.and_, tensors, numbers)
rules(operator.lt)
rules(operator.lt, tensors, numbers)
rules(operator.eq)
rules(operator.eq, tensors, numbers)
rules(tf.subtract, numbers, numbers)
rules(tf.multiply, numbers, numbers)
rules(tf.multiply, tensors, numbers)
rules(tf.divide, numbers, numbers)
rules(tf.divide, tensors, numbers)
rules(tf.maximum, numbers, numbers)
rules(tf.less, numbers, numbers)
rules(tf.logical_and, numbers, numbers)
rules(tf.math.divide_no_nan)
rules(tf.math.divide_no_nan, numbers, numbers)
each(abs)
each(tf.abs)
each(tf.square)
each(tf.sqrt)
each(tf.reduce_sum)
each(tf.reduce_mean)
each(tf.reduce_max)
each(tf.reduce_all)
each(tf.reduce_all, numbers)
each(tf.math.reduce_std)
each(tf.math.reduce_variance)
each(tf.math.real)
each(tf.math.imag)
each(tf.math.conj)
each(tf.math.angle)
each(tf.nn.relu)
each(tf.nn.softmax)
each(tf.cumsum)
each(tf.sort)
each(tf.zeros_like)
each(tf.strings.as_string)
each(lambda x: tf.cast(x, tf.int32))
each(lambda x: tf.pad(x, [[1, 1]]))
each(lambda x: tf.linalg.diag(x))
each(lambda x: tf.where(x, 1, 0))
each(lambda x: tf.gather([1.0, 2.0, 3.0, 4.0], x))
each(lambda x: tf.reduce_sum(x, axis=[]))
"""
