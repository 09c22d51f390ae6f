"""Recurrent cells over sequences: one direction, both, and sequences of different lengths."""

import numpy as np

NEEDS = "tf_keras"  # what TensorFlow itself needs to run it


def run(tf):
    rng = np.random.RandomState(12)
    data = rng.randn(20, 6, 3).astype(np.float32)
    lengths = rng.randint(2, 7, 20)
    labels = np.array([row[:n, 0].sum() > 0 for row, n in zip(data, lengths)], np.int64)
    losses = []

    def first(shape, dtype=None, partition_info=None):
        shape = [int(size) for size in shape]
        values = np.random.RandomState(sum(shape)).randn(*shape)
        return tf.constant(0.4 * values, dtype or tf.float32)

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 6, 3])
        length = tf.placeholder(tf.int32, [None])
        y = tf.placeholder(tf.int64, [None])
        steps = tf.unstack(x, 6, 1)
        rnn_cell = tf.nn.rnn_cell
        with tf.variable_scope("net", initializer=first):
            cell = rnn_cell.MultiRNNCell([rnn_cell.BasicLSTMCell(5), rnn_cell.GRUCell(4)])
            _, state = tf.nn.static_rnn(
                cell, steps, dtype=tf.float32, sequence_length=length, scope="one"
            )
            both, fw, bw = tf.nn.static_bidirectional_rnn(
                rnn_cell.BasicLSTMCell(3, forget_bias=0.5),
                rnn_cell.BasicRNNCell(2),
                steps,
                dtype=tf.float32,
                sequence_length=length,
            )
            features = tf.concat([state[0].h, state[1], fw.c, bw, both[0], both[-1]], 1)
            w = tf.get_variable("w", [features.shape[1], 2])
        logits = tf.matmul(features, w)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
        )
        train = tf.train.AdamOptimizer(0.05).minimize(loss)
        names = [v.name for v in tf.trainable_variables()]
        assert names[0] == "net/one/multi_rnn_cell/cell_0/basic_lstm_cell/kernel:0"
        assert "net/one/multi_rnn_cell/cell_1/gru_cell/gates/kernel:0" in names
        assert "net/bidirectional_rnn/bw/basic_rnn_cell/kernel:0" in names
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            feed = {x: data, length: lengths, y: labels}
            for i in range(15):
                _, value = sess.run([train, loss], feed)
                if i % 3 == 0:
                    losses.append(value)
            losses += list(sess.run(features, feed)[0])
    return losses
