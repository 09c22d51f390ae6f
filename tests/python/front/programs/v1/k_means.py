"""Points gathered around centres, which are assigned anew in every step."""

import numpy as np


def run(tf):
    rng = np.random.RandomState(5)
    data = np.concatenate([rng.randn(30, 2) + at for at in ((0, 0), (4, 1), (1, 5))])
    data = data.astype(np.float32)
    losses = []
    with tf.Graph().as_default():
        points = tf.constant(data)
        centres = tf.Variable(data[:3] + [[0, 0], [1, 0], [0, 1]], dtype=tf.float32)
        clusters = tf.Variable(tf.zeros([90], dtype=tf.int64), trainable=False)
        shifted = tf.expand_dims(points, 1) - tf.expand_dims(centres, 0)
        distances = tf.reduce_sum(tf.square(shifted), 2)
        nearest = tf.argmin(distances, 1)
        cost = tf.reduce_mean(tf.reduce_min(distances, reduction_indices=[1]))
        changed = tf.reduce_any(tf.not_equal(nearest, clusters))
        sums = tf.unsorted_segment_sum(points, nearest, 3)
        counts = tf.unsorted_segment_sum(tf.ones([90, 1]), nearest, 3)
        means = sums / tf.maximum(counts, 1.0)
        with tf.control_dependencies([changed, cost]):
            step = tf.group(tf.assign(centres, means), tf.assign(clusters, nearest))
        sess = tf.Session()
        sess.run(tf.global_variables_initializer())
        for _ in range(20):
            moved, loss, _ = sess.run([changed, cost, step])
            losses.append(loss)
            if not moved:
                break
        losses += list(np.sort(sess.run(centres), axis=0).reshape(-1))
        sess.close()
    return losses
