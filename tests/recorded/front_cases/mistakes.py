"""A hundred mistakes that programs make; each is an error, and the next call works again."""

SETUP = """
a = tf.constant([1.0, 2.0, 3.0])
i = tf.constant([1, 2, 3])
m = tf.ones([2, 3])
v = tf.Variable([1.0, 2.0])

def used_tape():
    with tf.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    return tape, y
"""

CALLS = """
# shapes
a + tf.ones([4])
m + tf.ones([3, 2])
m @ m
m @ a
tf.matmul(a, a)
tf.matmul(tf.ones([2, 2, 2]), tf.ones([3, 2, 2]))
tf.reshape(a, [2, 2])
tf.reshape(a, [-1, -1])
tf.reshape(a, [2, -1])
tf.reshape(a, [-2])
tf.concat([m, tf.ones([2, 2])], 0)
tf.concat([a, m], 0)
tf.stack([a, tf.ones([2])])
tf.constant([[1, 2], [3]])
tf.constant([1, 2, 3], shape=[2, 2])
tf.broadcast_to(a, [2])
tf.where([True, False], a, a)
tf.gather_nd(m, [[0, 0, 0]])
tf.scatter_nd([[0]], [1, 2], [3])
tf.tensor_scatter_nd_update(a, [[0]], [[1.0, 2.0]])
tf.nn.bias_add(m, [1.0, 2.0])
tf.nn.softmax_cross_entropy_with_logits(labels=m, logits=tf.ones([2, 4]))
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 2, 3], logits=m)
tf.boolean_mask(a, [True, False])
tf.maximum(a, [1.0, 2.0])
a.set_shape([2])
tf.unstack(tf.constant(1))
tf.squeeze(m)[0, 0, 0]
tf.tile(m, [1])
tf.pad(m, [[1, 1]])
# dtypes
a + i
i + 1.5
a * tf.constant(1.0, tf.float64)
a + "text"
a + None
tf.constant(1.5, tf.int32)
tf.constant("x", tf.float32)
tf.constant(1, tf.string)
tf.constant(a, tf.int32)
tf.convert_to_tensor(a, tf.float64)
tf.concat([a, i], 0)
tf.stack([a, i])
tf.matmul(m, tf.ones([3, 2], tf.int32))
tf.exp(i)
tf.sqrt(4)
tf.logical_and(a, a)
tf.reduce_any(i)
a & a
~a
-tf.constant(["s"])
tf.constant(["a"]) * 2
tf.nn.softmax(i)
tf.gather(a, [0.5])
tf.cast("1", tf.int32)
tf.add_n([a, i])
tf.where([True, False, True], a, i)
# axes and indices
tf.reduce_sum(m, axis=2)
tf.reduce_sum(m, axis=-3)
tf.reduce_sum(m, axis=[0, 0])
tf.argmax(m, axis=5)
tf.concat([m, m], 2)
tf.stack([a, a], axis=4)
tf.expand_dims(m, 5)
tf.squeeze(m, 0)
tf.transpose(m, [0, 0])
tf.transpose(m, [0, 1, 2])
tf.reverse(m, [3])
tf.cumsum(a, axis=2)
tf.unstack(m, axis=3)
tf.split(m, 2, axis=4)
tf.gather(a, [3])
tf.gather(m, [0], axis=2)
a[3]
a[-4]
a[0, 0]
a[1.5]
a["key"]
a[::0]
m[..., ...]
# sizes and values
tf.split(a, 2)
tf.split(m, [1, 1], axis=1)
tf.zeros([-1])
tf.fill([-2], 0)
tf.range(0, 3, 0)
tf.math.top_k(a, 4)
i // 0
i % 0
tf.zeros([2**62, 2**62])
tf.ones([2**40, 2**40])
tf.fill([2**33, 2**33], 1.0)
tf.tile(a, [2**62])
tf.broadcast_to(a, [2**61, 3])
tf.pad(a, [[-1, 0]])
tf.tensor_scatter_nd_update(a, [[9]], [1.0])
tf.one_hot([0], -1)
tf.one_hot([0], 3, axis=5)
# misused objects
bool(a)
int(a)
hash(a)
len(tf.constant(1))
list(tf.constant(1))
exec("a[0] = 1.0")
tf.Variable()
v.assign([1.0, 2.0, 3.0])
v.assign_add([1.0])
v.assign(i)
v.assign("text")
v[0].assign([1.0, 2.0])
v[7].assign(1.0)
hash(v)
used_tape()[0].gradient(used_tape()[1], v)
tape, y = used_tape(); tape.gradient(y, v)
tape, y = used_tape(); tape.jacobian(y, v)
tf.gradients(a, a)
a.eval()
a.name
a.graph
tf.as_dtype("float31")
tf.TensorShape([-5])
tf.TensorShape(None).as_list()
# calls that do not fit the function
tf.add(1)
tf.add(1, 2, 3, 4)
tf.add(1, 2, nosuch=3)
tf.reduce_sum()
tf.reduce_sum(a, axis=0, nosuch=True)
tf.reshape(a)
tf.matmul(m)
tf.constant()
tf.zeros()
tf.raw_ops.AddV2(x=1.0)
tf.cast(a, "nosuch")
tf.cast(a, None)
tf.zeros([2], "nosuch")
tf.pad(a, [[1, 1]], mode="nosuch")
tf.nosuch
"""
