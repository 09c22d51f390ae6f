"""What goes in comes out again, through fewer numbers; with summaries of every step."""

import numpy as np


def run(tf):
    rng = np.random.RandomState(8)
    data = (rng.rand(40, 3) @ rng.rand(3, 12) / 3).astype(np.float32)
    sizes = {"encode": (12, 6), "narrow": (6, 3), "widen": (3, 6), "decode": (6, 12)}
    losses = []
    with tf.Graph().as_default():
        X = tf.placeholder("float", [None, 12])
        weights = {
            name: tf.Variable(0.4 * rng.randn(*size).astype(np.float32), name=name)
            for name, size in sizes.items()
        }
        biases = {name: tf.Variable(tf.zeros([size[1]])) for name, size in sizes.items()}

        made = X
        for name in sizes:
            with tf.name_scope(name):
                made = tf.nn.sigmoid(tf.add(tf.matmul(made, weights[name]), biases[name]))
        cost = tf.reduce_mean(tf.pow(X - made, 2))
        train = tf.train.RMSPropOptimizer(0.02).minimize(cost)
        tf.summary.scalar("cost", cost)
        tf.summary.histogram("made", made)
        merged = tf.summary.merge_all()
        init = tf.global_variables_initializer()
        with tf.Session() as sess:
            sess.run(init)
            for i in range(40):
                part = data[i % 4 :: 4]
                _, loss, text = sess.run([train, cost, merged], feed_dict={X: part})
                if i % 8 == 7:
                    losses.append(loss)
            summary = tf.Summary.FromString(text)
            assert [value.tag for value in summary.value] == ["cost", "made"]
            losses.append(summary.value[0].simple_value)
            losses.append(summary.value[1].histo.num)
            losses += list(sess.run(made, {X: data[:1]})[0])
    return losses
