"""tf.TensorArray in eager programs."""

SETUP = """
def array(size=3, dtype=tf.float32, **options):
    return tf.TensorArray(dtype, size, **options)

def written(*values, **options):
    made = array(len(values), **options)
    for i, value in enumerate(values):
        made = made.write(i, value)
    return made

def three(**options):
    return array(3, **options).unstack([1.0, 2.0, 3.0])

x = tf.Variable([1.0, 2.0, 3.0])

def slope(function):
    with tf.GradientTape() as tape:
        y = function()
    return tape.gradient(y, x)
"""

CALLS = r"""
array(0).stack()
array(0, element_shape=[2]).stack()
array(3).stack()
array(3, element_shape=[2]).stack()
array(2, tf.string, element_shape=[]).stack()
array(2, tf.bool, element_shape=[]).stack()
array(2, element_shape=[None]).stack()
array(3).size()
array(-1).size()
array(tf.constant(2)).size()
array(None)
array(2.5)
array([2])
array(2, "float32").dtype
array(2, "nosuch")
array(2, handle=1)
array(2, tensor_array_name="x", colocate_with_first_write_call=False).dtype
array(2).element_shape
array(2, element_shape=[None, 2]).element_shape
array(2).write(0, [1.0]).element_shape
array(2).dynamic_size
array(2).handle
array(2).flow
a = array(2); a.identity() is a
array(2).close()
a = three(); a.close(); a.size()
a = three(); a.close(); a.read(0)
array(2).grad("x")
len(array(2))
tf.is_tensor(array(2))
# writing
array(3).write(0, [1.0, 2.0]).stack()
written([1.0, 2.0], [1.0])
written([1.0, 2.0], [1.0], infer_shape=False).concat()
written([1.0, 2.0], [1.0], infer_shape=False).stack()
array(3, infer_shape=False).write(0, [1.0]).stack()
written(1, 2).stack()
written(tf.constant(1))
written("a")
written(tf.Variable(1.0)).stack()
written("a", "b", dtype=tf.string).stack()
written([1.0], element_shape=[None, 2])
written([1.0], element_shape=[])
written([[1.0, 2.0]], [[1.0, 2.0], [3.0, 4.0]], element_shape=[None, 2])
written([[1.0, 2.0]], [[1.0, 2.0], [3.0, 4.0]], element_shape=[None, 2], infer_shape=False).concat()
array(3).write(3, 1.0)
array(3).write(-1, 1.0)
array(3).write(tf.constant(1), 2.0).read(1)
array(3).write(np.int64(1), 2.0).read(1)
array(3).write(1.5, 2.0)
array(3).write("a", 2.0)
array(3).write(tf.constant([1]), 2.0)
written(1.0, 2.0).write(0, 5.0).stack()
array(3, dynamic_size=True).write(5, 1.0).size()
array(0, dynamic_size=True).write(2, [1.0, 2.0]).stack()
# reading
three().read(1)
a = three(); a.read(0); a.read(0)
a = three(clear_after_read=False); a.read(0); a.read(0)
a = written(1.0, 2.0); a.read(0); a.write(0, 2.0).read(0)
a = written(1.0, 2.0); a.read(0); a.stack()
a = three(); a.stack(); a.read(0)
a = three(); a.stack(); a.stack()
array(3).read(0)
array(3).read(3)
array(3).read(-1)
array(3).read(1.5)
array(3).write(1, [1.0, 2.0]).read(0)
array(0, dynamic_size=True).write(2, 1.0).read(7)
three().gather([2, 0])
three().gather([2, 2])
three().gather([])
three().gather(tf.constant([0, 1]))
three().gather([5])
three().gather(1)
written([1.0], [2.0]).concat()
written([[1.0]], [[2.0]]).concat()
written(1.0, 2.0).concat()
array(0).concat()
array(2).concat()
# many at once
three().stack()
array(2).unstack([1.0, 2.0, 3.0])
array(4).unstack([1.0, 2.0, 3.0]).size()
array(2, dynamic_size=True).unstack([1.0, 2.0, 3.0]).stack()
array(2).unstack([[1.0, 2.0], [3.0, 4.0]]).read(1)
array(2).unstack(1.0)
array(3).unstack(tf.constant([1, 2, 3])).size()
array(3, element_shape=[2]).unstack([1.0, 2.0, 3.0]).size()
array(3, tf.string).unstack(["a", "b", "c"]).stack()
array(3).unstack(x).stack()
array(3).scatter([2, 0, 1], [1.0, 2.0, 3.0]).stack()
array(3).scatter([2, 0], [1.0, 2.0]).stack()
array(3).scatter([7, 0], [1.0, 2.0])
array(3).scatter([2, 0], [1.0, 2.0, 3.0]).stack()
array(0, dynamic_size=True).scatter([2, 0, 1], [[1.0], [2.0], [3.0]]).stack()
array(3).split([1.0, 2.0, 3.0, 4.0], [1, 2, 1]).concat()
array(3).split([1.0, 2.0, 3.0, 4.0], [1, 2, 1]).read(1)
array(2).split([[1.0], [2.0], [3.0], [4.0]], [2, 2]).stack()
array(2).split([1.0, 2.0, 3.0, 4.0], [2, 1])
array(2).split([1.0, 2.0, 3.0, 4.0], [2, 3])
array(1).split([1.0, 2.0, 3.0, 4.0], [2, 2])
array(1, dynamic_size=True).split([1.0, 2.0, 3.0, 4.0], [2, 2]).concat()
array(2).split(1.0, [2, 2])
# gradients
slope(lambda: written(x[0] * x[0], x[2]).stack())
slope(lambda: written(x * x, x).read(0))
slope(lambda: three().write(1, x[1] * 3.0).gather([1, 1]))
slope(lambda: array(3).unstack(x * x).read(2))
slope(lambda: array(2).split(x * x, [1, 2]).concat())
slope(lambda: array(3).scatter([2, 1, 0], x * x).read(0))
"""
