CALLS = [[('float32', [4, 4], [3, 1, 2, 1, 1, 4, 1, 2, 2, 1, 5, 1, 1, 2, 1, 6]), ('float32', [], [2])]]

def f(a0, a1):
    t0 = tf.convert_to_tensor([[2.0, a1], [1.0, 2.0]])
    t1 = tf.convert_to_tensor([a1, 1.0])
    t2 = tf.concat(a0, 0)
    t3 = tf.norm(a0, ord=2, axis=[-2, -1])
    t4 = tf.signal.idct(a0)
    t5 = tf.signal.overlap_and_add(a0, 2)
    t6 = tf.nn.embedding_lookup(a0, [0, 3], max_norm=0.1)
    t7 = tf.nn.compute_average_loss(a0)
    t8 = tf.losses.cosine_similarity(a0, 2 * a0 + 1)
    t9 = tf.losses.categorical_crossentropy(a0, a0, from_logits=True)
    return {'t0': t0, 't1': t1, 't2': t2, 't3': t3, 't4': t4, 't5': t5, 't6': t6, 't7': t7, 't8': t8, 't9': t9}
