"""Two hidden layers in variable scopes, clipped gradients, and a learning rate that decays."""

import numpy as np


def run(tf):
    rng = np.random.RandomState(3)
    data = rng.randn(64, 6).astype(np.float32)
    labels = (np.abs(data).sum(axis=1) > 4.8).astype(np.int64) + (data[:, 0] > 0.7)
    losses = []

    def layer(inputs, outputs, name, activation=None):
        inputs_size = inputs.shape[1]
        with tf.variable_scope(name):
            start = 0.5 * rng.randn(int(inputs_size), outputs).astype(np.float32)
            w = tf.get_variable("w", [inputs_size, outputs], initializer=tf.constant_initializer(start))
            b = tf.get_variable("b", [outputs], initializer=tf.zeros_initializer())
            made = tf.nn.xw_plus_b(inputs, w, b)
            return made if activation is None else activation(made)

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 6], name="inputs")
        y = tf.placeholder(tf.int64, [None], name="labels")
        hidden = layer(x, 16, "first", tf.nn.relu)
        hidden = layer(hidden, 8, "second", tf.nn.tanh)
        logits = layer(hidden, 3, "out")
        loss = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=logits)
        with tf.variable_scope("first", reuse=True):
            first = tf.get_variable("w")
        total = tf.losses.get_total_loss() + 1e-3 * tf.nn.l2_loss(first)
        step = tf.train.get_or_create_global_step()
        rate = tf.train.exponential_decay(0.05, step, 10, 0.8, staircase=True)
        optimizer = tf.train.AdamOptimizer(rate)
        grads, variables = zip(*optimizer.compute_gradients(total))
        grads, norm = tf.clip_by_global_norm(grads, 1.0)
        train = optimizer.apply_gradients(zip(grads, variables), global_step=step)
        names = [v.name for v in tf.trainable_variables()]
        assert names == ["first/w:0", "first/b:0", "second/w:0", "second/b:0", "out/w:0", "out/b:0"]
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(30):
                batch = {x: data[i % 2 :: 2], y: labels[i % 2 :: 2]}
                _, value, size = sess.run((train, loss, norm), batch)
                if i % 5 == 4:
                    losses += [value, size, sess.run(rate)]
            losses.append(float(sess.run(step)))
    return losses
