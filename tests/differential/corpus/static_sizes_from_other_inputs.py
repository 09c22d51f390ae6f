CALLS = [[('float32', [3, 2], [1, 2, 3, 4, 5, 6]), ('float32', [2, 3], [1, 2, 3, 4, 5, 6]), ('string', [3], ['a', 'b', 'c']), ('float32', [3, 3], [2, 0, 0, 0, 3, 0, 0, 0, 4]), ('float32', [2, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3])]]

def f(a0, a1, a2, a3, a4):
    t0 = tf.linalg.solve(tf.eye(3), a0)
    t1 = tf.linalg.triangular_solve(tf.eye(3), a0)
    t2 = tf.linalg.cholesky_solve(tf.eye(3), a0)
    t3 = tf.dynamic_stitch([[0, 2], [1, 3]], [a1, a1])
    t4 = tf.math.accumulate_n([a1, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]])
    t5 = tf.repeat(a0, [0, 1, 3], axis=0)
    t6 = tf.searchsorted([[1.0, 3.0], [2.0, 5.0]], a1)
    t7 = tf.strings.unsorted_segment_join(a2, [0, 1, 0], 2, '+')
    t8 = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[1, 0], [0, 1]], logits=a4)
    t9 = tf.linalg.inv(a3)
    return {'t0': t0, 't1': t1, 't2': t2, 't3': t3, 't4': t4, 't5': t5, 't6': t6, 't7': t7, 't8': t8, 't9': t9}
