"""repr, str and print of tensors of every dtype, rank and size, summarised ones too."""

SETUP = """
import contextlib
import io

values = [1, [1, 0, 1], [[1, 0], [0, 1]], [], np.zeros([0, 3]), np.ones([2, 1, 2])]

def texts(*values):
    return [text for value in values for text in (repr(value), str(value), format(value))]

def kinds(dtype):
    return texts(*[tf.cast(value, dtype) for value in values])

def shown(value):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print(value)
    return out.getvalue()
"""

CALLS = r"""
kinds(tf.float16)
kinds(tf.bfloat16)
kinds(tf.float32)
kinds(tf.float64)
kinds(tf.int8)
kinds(tf.int16)
kinds(tf.int32)
kinds(tf.int64)
kinds(tf.uint8)
kinds(tf.uint16)
kinds(tf.uint32)
kinds(tf.uint64)
kinds(tf.complex64)
kinds(tf.complex128)
kinds(tf.bool)
texts(tf.constant("a"), tf.constant(["a", "b"]), tf.constant([["a"]]), tf.constant([], tf.string))
texts(tf.constant("é"), tf.constant(b"\xff"), tf.constant("\n"), tf.constant("'"), tf.constant('"'))
texts(tf.constant("a" * 100), tf.constant(["a" * 100] * 3))
texts(tf.constant(["a"] * 2000))
texts(tf.reshape(tf.range(3000), [30, 100]))
texts(tf.reshape(tf.range(3000.0), [30, 100]))
texts(tf.range(1000))
texts(tf.range(1001), tf.range(2000))
texts(tf.ones([1001]), tf.ones([2, 1001]), tf.zeros([100, 100]))
texts(tf.ones([3, 3, 3]), tf.ones([1] * 8), tf.constant(1.0, shape=[1, 1, 1]))
texts(tf.constant(1e10), tf.constant(1e-10), tf.constant([1e10, 1.0]), tf.constant([1e-10, 1.0]))
texts(tf.constant([1e20, -1e-20, 3.0]), tf.constant([0.0001, 123456.0]), tf.constant([1.123456789]))
texts(tf.constant([1.5, float("nan"), float("inf"), -float("inf")]), tf.constant(float("nan")))
texts(tf.constant(-0.0), tf.constant(0.1), tf.constant(123456789.0), tf.constant(100000.0))
texts(tf.constant(0.1, tf.float64), tf.constant(1e16, tf.float64), tf.constant(1 / 3, tf.float16))
texts(tf.constant(1 / 3, tf.bfloat16))
texts(tf.constant(1 + 2j), tf.constant([1 + 2j, -1.5j]), tf.constant(2**40), tf.constant([-1, 100]))
texts(tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w"))
texts(tf.Variable(1), tf.Variable("a"), tf.Variable([True]), tf.Variable(0.1))
shown(tf.constant(0.1))
shown(tf.constant([[1.0, 2.0]]))
shown(tf.Variable(1.0))
shown(tf.constant("a"))
shown([tf.constant(1), tf.constant(2.0)])
shown({"k": tf.constant([1])})
"""
