"""tf.IndexedSlices, custom gradients, what tapes watch, jacobians, variables of open shapes."""

SETUP = """
x = tf.constant(3.0)
y = tf.constant([1.0, 2.0])
m = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
v = tf.Variable(2.0)
w = tf.Variable([1.0, 2.0])
table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
sl = tf.IndexedSlices(rows, tf.constant([0, 2]), tf.constant([3, 2]))
sl0 = tf.IndexedSlices(rows, tf.constant([0, 2]))

def tape_of(f, at, persistent=False):
    with tf.GradientTape(persistent=persistent) as t:
        t.watch(at)
        r = f(at)
    return t, r

def use(f, at, sources=None):
    tape, result = tape_of(f, at)
    return tape.gradient(result, at if sources is None else sources)

def grad_table():
    with tf.GradientTape() as t:
        r = tf.reduce_sum(tf.gather(table, [0, 0, 2]) * 2.0)
    return t.gradient(r, table)

@tf.custom_gradient
def cg(a):
    def g(dy, variables=None):
        found = dy * 10.0
        return (found, [tf.ones_like(z) for z in variables]) if variables else found
    return a * v, g

@tf.custom_gradient
def cgn(a):
    def g(d1, d2):
        return {"k": d1, "l": [d2, d1]}
    return (a["k"] * 2, a["l"][0]), g

@tf.custom_gradient
def cgbad(a):
    return a * v, lambda dy: dy
"""

CALLS = r"""
str(sl)
sl.shape
sl.dtype
sl.dense_shape
sl0.dense_shape
sl0.shape
-sl
tf.convert_to_tensor(sl)
tf.convert_to_tensor(sl0)
tf.convert_to_tensor(sl, tf.float64)
sl * 2.0
2.0 * sl
tf.constant(2.0) * sl
tf.ones([3, 2]) + sl
sl + tf.ones([3, 2])
tf.add_n([sl, sl])
tf.add_n([sl])
tf.add_n(sl)
tf.add_n([sl, tf.ones([3, 2])])
tf.add(sl, 1.0)
tf.multiply(sl, 2.0)
tf.math.scalar_mul(2.0, sl)
tf.clip_by_norm(sl, 1.0)
tf.clip_by_global_norm([sl, y], 1.0)
tf.linalg.global_norm([sl, y])
tf.reduce_sum(sl)
tf.identity(sl)
tf.square(sl)
tf.is_tensor(sl)
sl.values
sl.indices
sl.consumers()
tf.stack([sl, sl])
tf.shape(sl)
grad_table()
tf.convert_to_tensor(grad_table())
grad_table().dense_shape
[type(grad_table()).__name__, grad_table().shape]
tf.dynamic_stitch([[0, 2], [1]], [[10.0, 30.0], [20.0]])
tf.dynamic_stitch([0, [1, 2]], [[1, 2], [[3, 4], [5, 6]]])
tf.dynamic_stitch([tf.constant([0, 1]), tf.constant([1])], [y, tf.constant([9.0])])
tf.dynamic_stitch([[0, 1]], [["a", "b"]])
tf.dynamic_stitch([[0, 1]], [[1.0]])
tf.dynamic_stitch([[0, -1]], [[1.0, 2.0]])
tf.dynamic_stitch([], [])
tf.dynamic_partition([1.0, 2.0, 3.0], [0, 1, 0], 2)
tf.dynamic_partition(m, [0, 1], 2)
tf.dynamic_partition(m, [0, 1], 3)
tf.dynamic_partition(m, [0, 5], 2)
tf.dynamic_partition(m, [[0, 1, 0], [1, 1, 0]], 2)
tf.dynamic_partition(m, [0, 1], 0)
tf.dynamic_partition(m, [0, 1, 1], 2)
tf.raw_ops.DynamicStitch(indices=[[0], [1]], data=[[1.0], [2.0]])
use(cg, tf.constant([1.0, 2.0]))
use(cg, tf.constant([1.0, 2.0]), [v])
use(cgbad, tf.constant([1.0, 2.0]))
cg(3.0)
cg([1.0, 2.0])
tf.recompute_grad(lambda a: a * a * v)(x)
use(tf.recompute_grad(lambda a: a * a * v), x)
use(tf.recompute_grad(lambda a: a * a * v), x, [v])
use(tf.grad_pass_through(tf.round), x)
use(lambda a: cgn({"k": a, "l": [a * 3, a]})[0], x)
t, r = tape_of(lambda a: a * a * a, x, True); [t.gradient(r, x), t.gradient(r, x)]
t, r = tape_of(lambda a: a * a, y); t.jacobian(r, y)
t, r = tape_of(lambda a: a * a, y, True); [t.jacobian(r, y), t.jacobian(r, [y])]
t, r = tape_of(lambda a: a * a, y); t.jacobian(r, {"k": y})
t, r = tape_of(lambda a: a * a, m); t.batch_jacobian(r, m)
t, r = tape_of(lambda a: a * a, y); t.batch_jacobian(r, y)
t, r = tape_of(lambda a: tf.ones([2, 2]), m); t.batch_jacobian(r, m)
t, r = tape_of(lambda a: tf.ones([2, 2]), m); t.jacobian(r, m)
t, r = tape_of(lambda a: tf.ones([2, 2]), m); t.jacobian(r, m, unconnected_gradients="zero")
t, r = tape_of(lambda a: a * a, y); t.gradient([r, r], y)
t, r = tape_of(lambda a: a * a, y); t.gradient(r, y, output_gradients=[2.0, 3.0])
t, r = tape_of(lambda a: a * a, y); t.gradient(r, y, output_gradients=tf.constant([2.0]))
t, r = tape_of(lambda a: a * a, y); t.gradient({"a": r}, {"b": y})
t, r = tape_of(lambda a: a * a, y); t.gradient(r, (y, [y]))
t, r = tape_of(lambda a: tf.cast(a, tf.int32) * 2, y); t.gradient(r, y)
t, r = tape_of(lambda a: a * v * w[0], y); [z.name for z in t.watched_variables()]
t, r = tape_of(lambda a: a * v, y); t.gradient(r, y); len(t.watched_variables())
type(tf.GradientTape().watched_variables()).__name__
tf.GradientTape().gradient(x, x)
x2 = tf.Variable([1.0], shape=tf.TensorShape(None)); x2.assign([[1.0, 2.0]]); x2
x2 = tf.Variable([1.0], shape=tf.TensorShape(None)); repr(x2)
x2 = tf.Variable([1.0], shape=[None]); repr(x2)
x2 = tf.Variable([1.0], shape=[None]); x2.assign([1.0, 2.0]); str(x2)
x2 = tf.Variable([1.0], shape=[None]); x2.assign([[1.0]])
x2 = tf.Variable([1.0], shape=[None]); x2.assign_add([1.0, 2.0])
x2 = tf.Variable([1.0], shape=[None]); x2.assign_add([1.0]); x2 + 1
x2 = tf.Variable([1.0], shape=[None]); x2.assign([1.0, 2.0, 3.0]); use(lambda a: x2 * x2, x2)
tf.Variable([1.0], shape=[2])
x2 = tf.Variable([[1.0]], shape=[None, 1]); x2.assign([[1.0], [3.0]]); [x2.shape, x2.value()]
x2 = tf.Variable([1.0], shape=[None]); x2.shape.as_list()
x2 = tf.Variable([1.0], shape=None); x2.shape
"""
