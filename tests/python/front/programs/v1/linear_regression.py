"""A line through points, one point at a time."""

import numpy as np


def run(tf):
    rng = np.random.RandomState(1)
    train_x = np.linspace(-1.0, 2.0, 20).astype(np.float32)
    train_y = (1.7 * train_x + 0.4 + 0.1 * rng.randn(20)).astype(np.float32)
    losses = []
    with tf.Graph().as_default():
        x = tf.placeholder("float", name="x")
        y = tf.placeholder("float", name="y")
        weight = tf.Variable(np.float32(-0.3), name="weight")
        bias = tf.Variable(np.float32(0.8), name="bias")
        predicted = tf.add(tf.multiply(x, weight), bias)
        cost = tf.reduce_sum(tf.pow(predicted - y, 2)) / (2 * len(train_x))
        optimizer = tf.train.GradientDescentOptimizer(0.05).minimize(cost)
        init = tf.global_variables_initializer()
        with tf.Session() as sess:
            sess.run(init)
            for _ in range(8):
                for one_x, one_y in zip(train_x, train_y):
                    sess.run(optimizer, feed_dict={x: one_x, y: one_y})
                losses.append(sess.run(cost, feed_dict={x: train_x, y: train_y}))
            losses.append(sess.run(weight))
            losses.append(bias.eval())
    return losses
