CALLS = [[('bool', [2], [True, False])]]

def f(a0):
    t0 = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return {'t2': tf.boolean_mask(t0, a0)}
