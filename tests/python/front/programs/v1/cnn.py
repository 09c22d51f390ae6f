"""A convolutional network over small images, with an accuracy gathered over batches."""

import numpy as np


def run(tf):
    rng = np.random.RandomState(4)
    images = 0.3 * rng.randn(48, 64).astype(np.float32)
    labels = rng.randint(0, 4, 48)
    for image, label in zip(images, labels):  # a bright corner says which class it is
        row, column = 4 * (label // 2), 4 * (label % 2)
        image.reshape(8, 8)[row : row + 4, column : column + 4] += 0.8
    one_hot = np.eye(4, dtype=np.float32)[labels]
    losses = []

    def weight(*shape):
        return tf.Variable(0.2 * rng.randn(*shape).astype(np.float32))

    def conv2d(x, w, b):
        x = tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")
        return tf.nn.relu(tf.nn.bias_add(x, b))

    def max_pool(x):
        return tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 64])
        y = tf.placeholder(tf.float32, [None, 4])
        keep_prob = tf.placeholder_with_default(tf.constant(1.0), [])
        image = tf.reshape(x, [-1, 8, 8, 1])
        made = max_pool(conv2d(image, weight(3, 3, 1, 6), weight(6)))
        made = max_pool(conv2d(made, weight(3, 3, 6, 8), weight(8)))
        flat = tf.reshape(made, [-1, 2 * 2 * 8])
        full = tf.nn.relu(tf.matmul(flat, weight(32, 16)) + weight(16))
        full = tf.nn.dropout(full, keep_prob)
        logits = tf.matmul(full, weight(16, 4)) + weight(4)
        entropy = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits)
        cost = tf.reduce_mean(entropy)
        train = tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True).minimize(cost)
        accuracy, update = tf.metrics.accuracy(tf.argmax(y, 1), tf.argmax(logits, 1))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(20):
                part = slice(16 * (i % 3), 16 * (i % 3) + 16)
                _, loss = sess.run([train, cost], {x: images[part], y: one_hot[part]})
                if i % 4 == 3:
                    losses.append(loss)
            sess.run(tf.local_variables_initializer())
            for start in range(0, 48, 20):
                sess.run(update, {x: images[start : start + 20], y: one_hot[start : start + 20]})
            losses.append(sess.run(accuracy))
    return losses
