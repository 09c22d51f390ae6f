"""Training that stops, is saved, and goes on in another session, graph and optimizer state."""

import os
import tempfile

import numpy as np


def build(tf, first):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    w = tf.get_variable("w", initializer=first)
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    step = tf.train.get_or_create_global_step()
    loss = tf.losses.mean_squared_error(y, tf.matmul(x, w) + b)
    optimizer = tf.train.FtrlOptimizer(0.3, l1_regularization_strength=0.001)
    train = optimizer.minimize(loss, global_step=step)
    return x, y, loss, train, step


def run(tf):
    rng = np.random.RandomState(10)
    first = rng.randn(3, 1).astype(np.float32)
    data = rng.randn(32, 3).astype(np.float32)
    answers = (data @ [[1.0], [-2.0], [0.5]] + 0.3).astype(np.float32)
    losses = []
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "model")
        with tf.Graph().as_default(), tf.Session() as sess:
            x, y, loss, train, step = build(tf, first)
            saver = tf.train.Saver(max_to_keep=2)
            sess.run(tf.global_variables_initializer())
            paths = []
            for _ in range(3):
                for _ in range(4):
                    sess.run(train, {x: data, y: answers})
                losses.append(sess.run(loss, {x: data, y: answers}))
                paths.append(saver.save(sess, prefix, global_step=step, write_meta_graph=False))
            assert paths[-1] == prefix + "-12"
        assert tf.train.latest_checkpoint(folder) == paths[-1]
        assert not tf.train.checkpoint_exists(paths[0])
        with tf.Graph().as_default(), tf.Session() as sess:
            x, y, loss, train, step = build(tf, np.zeros([3, 1], np.float32))
            saver = tf.train.Saver()
            saver.restore(sess, paths[-2])
            losses.append(sess.run(loss, {x: data, y: answers}))
            saver.restore(sess, tf.train.latest_checkpoint(folder))
            losses.append(sess.run(loss, {x: data, y: answers}))
            losses.append(float(sess.run(step)))
            for _ in range(4):
                sess.run(train, {x: data, y: answers})
            losses.append(sess.run(loss, {x: data, y: answers}))
        with tf.Graph().as_default(), tf.Session() as sess:
            w = tf.get_variable("renamed", [3, 1])
            tf.train.Saver({"w": w}).restore(sess, paths[-1])
            losses += list(sess.run(w).reshape(-1))
    return losses
