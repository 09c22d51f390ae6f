CALLS = [[('complex64', [2], [(3+4j), (0+12j)])]]

def f(a0):
    t0 = tf.norm(a0)
    t1 = tf.norm(a0, ord=1)
    t2 = tf.norm(a0, ord=2, axis=0, keepdims=True)
    return {'t0': t0, 't1': t1, 't2': t2}
