"""tf.GradientTape, tf.custom_gradient and tf.stop_gradient."""

SETUP = """
x = tf.constant(3.0)
y = tf.constant([1.0, 2.0])
m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
v = tf.Variable(2.0)
w = tf.Variable([1.0, 2.0])
n = tf.Variable(3)
fixed = tf.Variable(2.0, trainable=False)
table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

def grad(f, *at, **options):
    with tf.GradientTape() as tape:
        for each in at:
            tape.watch(each)
        result = f(*at)
    return tape.gradient(result, list(at) if len(at) > 1 else at[0], **options)

def free(f, sources, persistent=False, **options):
    with tf.GradientTape(persistent=persistent, **options) as tape:
        result = f()
    return tape.gradient(result, sources)

def jac(f, at, kind="jacobian"):
    with tf.GradientTape() as tape:
        tape.watch(at)
        result = f(at)
    return getattr(tape, kind)(result, at)

def second(f, at):
    with tf.GradientTape() as outer:
        outer.watch(at)
        with tf.GradientTape() as inner:
            inner.watch(at)
            result = f(at)
        slope = inner.gradient(result, at)
    return outer.gradient(slope, at)

def twice(persistent):
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        result = x * x
    return [tape.gradient(result, x), tape.gradient(result, x)]

def stopped():
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = x * x
        with tape.stop_recording():
            result = result * x
    return tape.gradient(result, x)

def after_reset():
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = x * x
        tape.reset()
        tape.watch(x)
        result = 5.0 * x
    return tape.gradient(result, x)

def watched():
    with tf.GradientTape() as tape:
        v * w
    return [each.name for each in tape.watched_variables()]

def watch(what):
    with tf.GradientTape() as tape:
        tape.watch(what)
        result = x * 2.0
    return tape.gradient(result, [x, y])

def entered_twice():
    with tf.GradientTape() as tape:
        with tape:
            pass

@tf.custom_gradient
def clipped(x):
    return x * x, lambda dy: tf.minimum(dy * 2.0 * x, 1.0)

@tf.custom_gradient
def pair(a, b):
    return a * b, lambda dy: (tf.reduce_sum(dy) * 10.0, dy * 20.0)
"""

CALLS = """
grad(lambda x: x * x, x)
grad(lambda x: x ** 3, x)
grad(lambda x: 2.0 / x, x)
grad(lambda x: x - 1, x)
grad(lambda y: y * y, y)
grad(lambda y: tf.reduce_sum(y * y), y)
grad(lambda y: tf.reduce_mean(y), y)
grad(lambda y: tf.reduce_max(y), y)
grad(lambda y: tf.reduce_prod(y), y)
grad(lambda y: [y * 2, y * 3], y)
grad(lambda a, b: a * b, x, y)
grad(lambda a, b: a + b, x, m)
grad(lambda a, b: a @ b, m, m)
grad(lambda m: m @ m, m)
grad(lambda m: tf.transpose(m) @ [[1.0], [2.0]], m)
grad(lambda y: y[0], y)
grad(lambda y: y[::-1] * [1.0, 5.0], y)
grad(lambda m: m[:, 1], m)
grad(lambda m: m[m > 2], m)
grad(lambda y: tf.concat([y, y * 2], 0), y)
grad(lambda y: tf.stack([y, y * 2]), y)
grad(lambda y: tf.reshape(y, [2, 1]) * y, y)
grad(lambda y: tf.where(y > 1.5, y * 3, y), y)
grad(lambda y: tf.cast(y, tf.float64), y)
grad(lambda y: tf.cast(y, tf.int32), y)
grad(lambda y: tf.stop_gradient(y) * y, y)
grad(lambda y: tf.identity(y), y)
grad(lambda y: tf.exp(y), y)
grad(lambda y: tf.tanh(y), y)
grad(lambda y: tf.sigmoid(y), y)
grad(lambda y: tf.math.log(y), y)
grad(lambda y: tf.sqrt(y), y)
grad(lambda y: tf.abs(-y), y)
grad(lambda y: tf.maximum(y, 1.5), y)
grad(lambda y: tf.nn.relu(y - 1.5), y)
grad(lambda y: tf.nn.softmax(y)[0], y)
grad(lambda y: tf.nn.log_softmax(y)[0], y)
grad(lambda y: y % 2, y)
grad(lambda y: y // 2, y)
grad(lambda y: tf.floor(y), y)
grad(lambda y: tf.argmax(y), y)
grad(lambda y: tf.square(y) + y, y)
grad(lambda y: None, y)
grad(lambda y: x * 2.0, y)
grad(lambda y: x * 2.0, y, unconnected_gradients="zero")
grad(lambda y: x * 2.0, y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
grad(lambda y: x * 2.0, y, unconnected_gradients="nosuch")
grad(lambda y: y * 2.0, y, output_gradients=tf.constant([10.0, 20.0]))
grad(lambda m: tf.gather(m, [0, 0]), m)
grad(lambda m: tf.linalg.matmul(m, m, transpose_b=True), m)
grad(lambda m: tf.reduce_sum(m, axis=0) * [1.0, 2.0], m)
grad(lambda m: tf.cumsum(m, axis=1), m)
grad(lambda m: tf.tile(m, [2, 1]), m)
grad(lambda m: tf.pad(m, [[1, 1], [0, 0]]), m)
grad(lambda m: tf.unstack(m)[1], m)
grad(lambda m: tf.split(m, 2)[0], m)
grad(lambda m: tf.expand_dims(m, 0), m)
grad(lambda n: n * 2, tf.constant(3))
grad(clipped, x)
grad(clipped, tf.constant(0.1))
grad(pair, x, y)
free(lambda: v * v, v)
free(lambda: v * w, [v, w])
free(lambda: v * w, {"a": v, "b": [w]})
free(lambda: v * w, (v, w))
free(lambda: v * v, w)
free(lambda: v * fixed, [v, fixed])
free(lambda: v * v, v, watch_accessed_variables=False)
free(lambda: n * 2, n)
free(lambda: x * x, x)
free(lambda: v.value() * 2, v)
free(lambda: w[0] * 5, w)
free(lambda: tf.gather(table, [0, 2, 0]), table)
tf.convert_to_tensor(free(lambda: tf.gather(table, [0, 2, 0]), table))
free(lambda: tf.gather(table, [1]) * tf.reduce_sum(table), table)
free(lambda: tf.reduce_sum(table ** 2), table)
free(lambda: v, v)
free(lambda: v * v, 3.0)
jac(lambda y: y * y, y)
jac(lambda y: tf.reduce_sum(y * y), y)
jac(lambda m: m @ [[1.0], [2.0]], m)
jac(lambda m: m * m, m, "batch_jacobian")
jac(lambda y: y * y, y, "batch_jacobian")
jac(lambda y: x, y)
second(lambda x: x ** 3, x)
second(lambda y: tf.reduce_sum(y ** 3), y)
second(lambda x: tf.sin(x), x)
second(lambda x: 2.0 * x, x)
twice(True)
twice(False)
stopped()
after_reset()
watched()
watch(3.0)
watch([x, y])
entered_twice()
tf.GradientTape().stop_recording().__enter__()
tf.gradients(x, x)
clipped(x)
pair(2.0, 3.0)
tf.stop_gradient(y)
tf.UnconnectedGradients.NONE.value
tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])).dtype
tf.convert_to_tensor(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
tf.convert_to_tensor(tf.IndexedSlices(tf.constant([1.0]), tf.constant([1]), tf.constant([3])))
"""
