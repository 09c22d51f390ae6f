"""IndexedSlices in functions and gradients."""

SETUP = """
Slices = tf.IndexedSlices
def IS(v=[[1., 2.], [3., 4.]], i=[0, 2], s=[3, 2]):
    shape = None if s is None else tf.constant(s)
    return tf.IndexedSlices(tf.constant(v), tf.constant(i), shape)
s = IS()
n = IS(s=None)
def emb(f, dt=tf.float32):
    v = tf.Variable(tf.reshape(tf.range(6.), [3,2]))
    with tf.GradientTape() as t:
        y = f(v)
    return t.gradient(y, v)
"""

CALLS = """
tf.cast(s, tf.float64)
tf.cast(s, tf.float32)
tf.cast(s, tf.float32) is s
tf.cast(s, tf.int32)
tf.cast(s, tf.string)
tf.cast(n, tf.float64)
tf.identity(s)
tf.identity(n)
tf.identity(s) is s
tf.clip_by_norm(s, 1.0)
tf.clip_by_norm(n, 1.0)
tf.clip_by_norm(s, 100.0)
tf.clip_by_global_norm([s, tf.ones([2])], 1.0)
tf.clip_by_global_norm([n, None], 1.0)
tf.linalg.global_norm([s, tf.ones([2])])
tf.clip_by_value(s, -1.0, 2.0)
tf.clip_by_value(n, -1.0, 2.0)
tf.clip_by_average_norm(s, 1.0)
tf.scalar_mul(2.0, s)
tf.scalar_mul(2.0, n)
tf.scalar_mul(2, s)
tf.scalar_mul(tf.constant(2.0), s)
tf.scalar_mul(tf.constant([2.0]), s)
tf.scalar_mul(tf.constant(2), s)
tf.math.scalar_mul(2.0, s)
2.0 * s
s * 2.0
s + s
s + 1.0
1.0 + s
s - s
-s
s / 2.0
tf.add(s, s)
tf.add(s, 1.0)
tf.add_n([s, s])
tf.add_n([s, n])
tf.add_n([n, n])
tf.add_n([s, tf.ones([3,2])])
tf.add_n([s])
tf.multiply(s, 2.0)
tf.multiply(s, s)
tf.square(s)
tf.sqrt(s)
tf.negative(s)
tf.abs(s)
tf.sign(s)
tf.reduce_sum(s)
tf.reduce_sum(n)
tf.convert_to_tensor(s)
tf.convert_to_tensor(n)
tf.convert_to_tensor(s, tf.float64)
tf.convert_to_tensor(s, tf.float32)
tf.convert_to_tensor(s, dtype_hint=tf.float64)
tf.stack([s, s])
tf.concat([s, s], 0)
tf.convert_to_tensor(IS(i=[0,0]))
tf.convert_to_tensor(IS(i=[0,5]))
tf.shape(s)
tf.size(s)
tf.rank(s)
tf.zeros_like(s)
tf.ones_like(s)
tf.stop_gradient(s)
tf.is_tensor(s)
s.shape
n.shape
s.dtype
s.device
s.name
s.op
s.graph
s.get_shape()
s.consumers()
len(s)
bool(s)
s[0]
s == s
s == 1
hash(s) is not None
str(s)
str(n)
np.asarray(s)
tf.ensure_shape(s, [3,2])
tf.reshape(s, [6])
tf.transpose(s)
tf.gather(s, [0])
tf.where(True, s, s)
tf.cond(tf.constant(True), lambda: s, lambda: s)
tf.function(lambda x: x)(s)
tf.function(lambda x: tf.cast(x, tf.float64))(s)
tf.function(lambda x: tf.convert_to_tensor(x))(s)
tf.function(lambda x: tf.identity(x))(s)
tf.nest.flatten(s)
tf.IndexedSlices([1.0], [0])
tf.IndexedSlices(tf.constant([1.0]), [0])
tf.IndexedSlices(np.array([1.0]), np.array([0])).dtype
tf.convert_to_tensor(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
tf.convert_to_tensor(Slices(tf.constant([1.0]), tf.constant([0],tf.int64), tf.constant([2])))
tf.convert_to_tensor(Slices(tf.constant([1.0]), tf.constant([0]), tf.constant([2],tf.int64)))
emb(lambda v: tf.gather(v, [0,2]))
emb(lambda v: tf.reduce_sum(tf.cast(tf.gather(v, [0,2]), tf.float64)))
emb(lambda v: tf.gather(tf.cast(v, tf.float64), [0,2]))
emb(lambda v: tf.nn.embedding_lookup(v, [0,2,0]))
emb(lambda v: [tf.gather(v, [0,2]), tf.reduce_sum(v)])
emb(lambda v: tf.gather(tf.identity(v), [0,2]))
emb(lambda v: tf.gather(v, [[0,2],[1,1]]))
emb(lambda v: tf.gather(v, 1))
emb(lambda v: tf.gather(v, [0], axis=1))
emb(lambda v: tf.gather(v * 2., [0]))
emb(lambda v: tf.gather(v + 1., [0]))
emb(lambda v: tf.gather(-v, [0]))
emb(lambda v: tf.gather(tf.reshape(v, [6]), [0]))
emb(lambda v: tf.gather(tf.cast(v, tf.float64), [0]) * 2)
emb(lambda v: tf.gather(tf.cast(tf.cast(v, tf.float64), tf.float32), [0]))
emb(lambda v: tf.gather(tf.stop_gradient(v), [0]))
emb(lambda v: tf.gather(tf.square(v), [0]))
emb(lambda v: tf.gather(tf.nn.relu(v), [0]))
emb(lambda v: tf.gather(tf.sqrt(v), [0]))
emb(lambda v: tf.gather(tf.tanh(v), [0]))
emb(lambda v: tf.gather(v / 2., [0]))
emb(lambda v: tf.gather(v - 1., [0]))
emb(lambda v: tf.gather(1. - v, [0]))
emb(lambda v: tf.gather(tf.transpose(v), [0]))
emb(lambda v: v[0])
emb(lambda v: tf.gather_nd(v, [[0]]))
emb(lambda v: tf.gather(tf.clip_by_value(v, 0., 1.), [0]))
"""
