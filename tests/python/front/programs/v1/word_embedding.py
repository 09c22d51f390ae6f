"""Vectors of words from their neighbours: sparse gradients for a few rows of a table."""

import numpy as np

TEXT = "the cat sat on the mat the dog sat on the log the cat and the dog ran to the mat".split()


def run(tf):
    rng = np.random.RandomState(7)
    words = sorted(set(TEXT))
    ids = [words.index(word) for word in TEXT]
    pairs = [
        (ids[i], ids[j])
        for i in range(len(ids))
        for j in (i - 1, i + 1)
        if 0 <= j < len(ids)
    ]
    count, size = len(words), 6
    losses = []
    with tf.Graph().as_default() as graph:
        inputs = tf.placeholder(tf.int32, shape=[None])
        targets = tf.placeholder(tf.int32, shape=[None])
        others = tf.placeholder(tf.int32, shape=[None, 3])
        table = tf.Variable(rng.uniform(-1, 1, [count, size]).astype(np.float32), name="table")
        output = tf.Variable(0.3 * rng.randn(count, size).astype(np.float32), name="output")
        vectors = tf.nn.embedding_lookup(table, inputs)
        good = tf.reduce_sum(vectors * tf.nn.embedding_lookup(output, targets), 1)
        bad = tf.reduce_sum(
            tf.expand_dims(vectors, 1) * tf.nn.embedding_lookup(output, others), axis=2
        )
        loss = tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones_like(good), logits=good)
        ) + tf.reduce_mean(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.zeros_like(bad), logits=bad)
        )
        gradient = tf.gradients(loss, table)[0]
        assert isinstance(gradient, tf.IndexedSlices)
        train = tf.train.AdagradOptimizer(0.5).minimize(loss)
        norm = tf.sqrt(tf.reduce_sum(tf.square(table), 1, keep_dims=True))
        normal = table / norm
        similarity = tf.matmul(normal, normal, transpose_b=True)
    with tf.Session(graph=graph) as sess:
        with graph.as_default():
            sess.run(tf.global_variables_initializer())
        for i in range(24):
            batch = [pairs[(8 * i + k) % len(pairs)] for k in range(8)]
            feed = {
                inputs: [a for a, _ in batch],
                targets: [b for _, b in batch],
                others: rng.randint(0, count, [8, 3]),
            }
            _, value = sess.run([train, loss], feed_dict=feed)
            if i % 4 == 3:
                losses.append(value)
        losses += list(sess.run(similarity)[words.index("cat")])
    return losses
