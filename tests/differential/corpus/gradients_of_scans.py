CALLS = [[("float32", [2, 2], [1, 2, 3, 1])]]


def f(a0):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a0])
        r0 = tf.scan(lambda s, e: s, a0)
        r1 = tf.foldl(lambda s, e: s, a0)
        r2 = tf.foldr(lambda s, e: s, a0)
        r3 = tf.map_fn(lambda e: e * 2.0, a0)
    return {
        "g0": tape.gradient(r0, a0),
        "g1": tape.gradient(r1, a0),
        "g2": tape.gradient(r2, a0),
        "g3": tape.gradient(r3, a0),
    }
