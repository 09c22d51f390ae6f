CALLS = [[("float32", [2, 2], [1, 2, 3, 1]), ("int32", [], [1])]]


def f(a0, a1):
    with tf.GradientTape() as tape:
        tape.watch(a0)
        r0 = tf.cond(a1 > 0, lambda: a0 * 2.0, lambda: a0)
        r1 = tf.map_fn(lambda e: tf.sigmoid(e), r0)
    return {"r1": r1, "g": tape.gradient(r1, a0)}
