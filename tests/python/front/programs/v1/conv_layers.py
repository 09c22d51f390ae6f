"""A network of tf.layers, with batch normalization that trains and then does not."""

import numpy as np

NEEDS = "tf_keras"  # what TensorFlow itself needs to run it


def run(tf):
    rng = np.random.RandomState(11)
    images = rng.randn(24, 8, 8, 2).astype(np.float32)
    labels = (images[:, :4].mean(axis=(1, 2, 3)) > images[:, 4:].mean(axis=(1, 2, 3))).astype(int)
    losses = []

    def first(shape, dtype=None, partition_info=None):
        shape = [int(size) for size in shape]
        values = np.random.RandomState(sum(shape)).randn(*shape)
        return tf.constant(0.3 * values, dtype or tf.float32)

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 8, 8, 2])
        y = tf.placeholder(tf.int32, [None])
        training = tf.placeholder(tf.bool, [])
        with tf.variable_scope("net", initializer=first):
            made = tf.layers.conv2d(x, 6, 3, padding="same", activation=tf.nn.relu)
            made = tf.layers.batch_normalization(made, momentum=0.8, training=training)
            made = tf.layers.max_pooling2d(made, 2, 2)
            made = tf.layers.conv2d(made, filters=4, kernel_size=[2, 2], strides=(2, 2), activation=tf.nn.relu)
            # No bias: the normalization below would take it out, and its gradient be mere noise.
            made = tf.layers.conv2d_transpose(made, 3, 3, strides=2, padding="same", use_bias=False)
            made = tf.layers.average_pooling2d(made, pool_size=(2, 2), strides=(2, 2))
            made = tf.layers.flatten(made)
            made = tf.layers.dropout(made, rate=0.0, training=training)
            made = tf.layers.batch_normalization(made, training=training, name="last")
            logits = tf.layers.dense(made, 2, name="logits")
        loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        assert len(updates) == 4
        with tf.control_dependencies(updates):
            train = tf.train.AdamOptimizer(0.02).minimize(loss)
        names = [v.name for v in tf.trainable_variables()]
        assert names[:3] == ["net/conv2d/kernel:0", "net/conv2d/bias:0", "net/batch_normalization/gamma:0"]
        assert names[4] == "net/conv2d_1/kernel:0"
        assert names[-1] == "net/logits/bias:0"
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(12):
                part = slice(8 * (i % 3), 8 * (i % 3) + 8)
                feed = {x: images[part], y: labels[part], training: True}
                _, value = sess.run([train, loss], feed)
                if i % 3 == 2:
                    losses.append(value)
            losses.append(sess.run(loss, {x: images, y: labels, training: False}))
            moving = [v for v in tf.global_variables() if "moving" in v.name]
            losses += [value.mean() for value in sess.run(moving)]
    return losses
