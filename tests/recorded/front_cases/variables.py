"""tf.Variable: making, reading, assigning, printing."""

SETUP = """
v = tf.Variable([1.0, 2.0, 3.0])
w = tf.Variable([[1, 2], [3, 4]], name="w")
"""

CALLS = """
v
w
tf.Variable(1)
tf.Variable(1.5)
tf.Variable("text")
tf.Variable([1, 2], dtype=tf.float64)
tf.Variable(np.arange(3))
tf.Variable(lambda: tf.ones([2]))
tf.Variable(tf.constant(3))
tf.Variable(v)
tf.Variable()
tf.Variable(None)
tf.Variable([[1, 2], [3]])
tf.Variable(1.5, dtype=tf.int32)
tf.Variable(1.0, shape=[2])
tf.Variable([1.0], shape=tf.TensorShape(None)).shape
tf.Variable([1.0, 2.0], shape=[None]).shape
x = tf.Variable([1.0], shape=[None]); x.assign([1.0, 2.0]); x
v.name
w.name
tf.Variable(1, name="a/b").name
v.shape
v.dtype
v.ndim
v.device
v.trainable
tf.Variable(1.0, trainable=False).trainable
v.numpy()
v.value()
v.read_value()
v.get_shape()
v.constraint
type(v)
type(v.value())
v.is_initialized()
v.synchronization.name
v.aggregation.name
hash(v)
v == v
v == [1.0, 0.0, 3.0]
v.ref() == v.ref()
v in [v]
len(v)
len(tf.Variable(1.0))
bool(tf.Variable(True))
bool(v)
int(tf.Variable(3))
float(tf.Variable(3))
list(v)
v.assign([4.0, 5.0, 6.0])
v.assign([4, 5, 6])
v.assign([4.0, 5.0])
v.assign(1.0)
v.assign("x")
v.assign(w)
v.assign(tf.constant([1, 2, 3]))
v.assign(tf.constant([1.0, 2.0, 3.0], tf.float64))
v.assign(np.array([1.0, 2.0, 3.0]))
v.assign([4.0, 5.0, 6.0], read_value=False)
v.assign_add([1.0, 1.0, 1.0])
v.assign_add([1, 1, 1])
v.assign_add(1.0)
v.assign_add([1.0])
v.assign_sub([1.0, 1.0, 1.0]).numpy()
v.assign_sub(tf.constant([1, 1, 1]))
v.assign(v + 1); v
v.assign_add(v); v
v.assign([0.0, 0.0, 0.0]).assign_add([1.0, 1.0, 1.0]); v
w.assign_add([[1, 1], [1, 1]]); w
w.assign(w + 0.5)
x = v.value(); v.assign_add([1.0, 1.0, 1.0]); x
x = v.numpy(); v.assign_add([1.0, 1.0, 1.0]); x
v[0].assign(9.0); v
v[1:].assign([8.0, 9.0]); v
v[::2].assign([8.0, 9.0]); v
v[-1].assign(9); v
v[:].assign([7.0, 8.0, 9.0]); v
v[0].assign([1.0, 2.0])
w[0].assign([9, 9]); w
w[:, 1].assign([9, 9]); w
w[1, 0].assign(5); w
w[..., 0].assign([5, 6]); w
w[0, 5].assign(1)
exec("v[0] = 1.0")
v[0]
v[0:2]
w[1]
w[:, 0]
v[5]
v + 1
1 - v
v * 2.0
v / 2
-v
abs(v)
v ** 2
v > 1.5
v @ v
w @ w
w // 2
w % 2
w + 1.5
v + w
x = v; x += 1.0; type(x)
np.sum(v)
np.asarray(w)
tf.reduce_sum(v)
tf.convert_to_tensor(v)
tf.convert_to_tensor(v, tf.float64)
tf.cast(v, tf.int32)
tf.concat([v, v], 0)
tf.stack([v, v])
tf.reshape(w, [4])
tf.shape(w)
tf.matmul(w, w)
v.scatter_update(tf.IndexedSlices(tf.constant([9.0]), tf.constant([1]))); v
v.scatter_add(tf.IndexedSlices(tf.constant([9.0, 1.0]), tf.constant([1, 1]))); v
v.scatter_sub(tf.IndexedSlices(tf.constant([9.0]), tf.constant([0]))); v
v.scatter_mul(tf.IndexedSlices(tf.constant([9.0]), tf.constant([1]))); v
v.scatter_max(tf.IndexedSlices(tf.constant([9.0]), tf.constant([1]))); v
v.scatter_min(tf.IndexedSlices(tf.constant([0.5]), tf.constant([1]))); v
v.scatter_div(tf.IndexedSlices(tf.constant([2.0]), tf.constant([1]))); v
v.scatter_update(tf.IndexedSlices(tf.constant([9.0]), tf.constant([7])))
v.scatter_nd_update([[0], [2]], [8.0, 9.0]); v
v.scatter_nd_add([[0], [0]], [8.0, 9.0]); v
v.scatter_nd_sub([[1]], [1.0]); v
v.sparse_read([0, 2])
v.gather_nd([[0], [1]])
repr(v)
str(v)
repr(w)
str(w)
repr(tf.Variable(1, name="n"))
str(tf.Variable(1.5))
repr(tf.Variable("s"))
repr(tf.Variable([True]))
repr(v.assign_add([1.0, 1.0, 1.0]))
repr(v.assign([1.0, 1.0, 1.0]))
f"{tf.Variable(1.5)}"
f"{tf.Variable(1.5):.2f}"
"%s" % tf.Variable(2)
"{}".format(v)
v.set_shape([3])
v.op
v.nosuch
v.foo = 1; v.foo
import copy; copy.deepcopy(w)
import copy; x = copy.deepcopy(w); x.assign_add([[1, 1], [1, 1]]); w
tf.ones_like(v)
tf.zeros_like(w)
"""
