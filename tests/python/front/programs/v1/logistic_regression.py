"""Classes of points by a softmax, in batches of any size."""

import numpy as np


def run(tf):
    rng = np.random.RandomState(2)
    centres = rng.randn(3, 5)
    labels = rng.randint(0, 3, 96)
    points = (centres[labels] + 0.6 * rng.randn(96, 5)).astype(np.float32)
    one_hot = np.eye(3, dtype=np.float32)[labels]
    first = 0.1 * rng.randn(5, 3).astype(np.float32)
    losses = []
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 5])
        y = tf.placeholder(tf.float32, [None, 3])
        W = tf.Variable(first)
        b = tf.Variable(tf.zeros([3]))
        prediction = tf.nn.softmax(tf.matmul(x, W) + b)
        cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(prediction), reduction_indices=1))
        train = tf.train.GradientDescentOptimizer(0.5).minimize(cost)
        correct = tf.equal(tf.argmax(prediction, 1), tf.argmax(y, 1))
        accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(6):
                total = 0.0
                for start in range(0, 96, 40):  # the last batch is smaller
                    batch = {x: points[start : start + 40], y: one_hot[start : start + 40]}
                    _, loss = sess.run([train, cost], feed_dict=batch)
                    total += loss
                losses.append(total / 3)
            losses.append(accuracy.eval({x: points, y: one_hot}))
    return losses
