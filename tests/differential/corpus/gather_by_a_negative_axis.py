CALLS = [[("float32", [2, 2], [1, 2, 3, 1]), ("float64", [0, 1, 0, 1], [])]]


def f(a0, a1):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a0])
        t0 = tf.gather(a0, 1, axis=-2)
        t1 = tf.gather(a0, 1)
    t2 = tf.gather(a1, 1)
    return {"g0": tape.gradient(t0, a0), "g1": tape.gradient(t1, a0), "t2": t2}
