x = tf.constant([1.0, 2.0])
v = tf.Variable([0.5, 1.0])

@tf.function
def inner(x):
    v.assign_add(x * 0.1)
    return x * 2.0 + v * v

@tf.function
def f(x):
    if tf.reduce_sum(x) > 0.0:
        x = inner(x)
    for i in tf.range(2):
        v.assign(v * 0.5)
    return inner(x) * v
with tf.GradientTape() as tape:
    tape.watch(x)
    z = f(x)
out['z'] = z
out['x'] = tape.gradient(z, x)
out['v'] = v
