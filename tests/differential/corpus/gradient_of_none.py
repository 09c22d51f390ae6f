CALLS = [[("float32", [2], [1, 2])]]


def f(a0):
    with tf.GradientTape() as outer:
        outer.watch(a0)
        with tf.GradientTape() as tape:
            tape.watch(a0)
            t = tf.zeros([2])
        g = tape.gradient(t, [a0])
    h = outer.gradient(g, [a0])
    return {"h": h}
