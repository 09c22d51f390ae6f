"""Two networks against each other, each with its own variables and optimizer."""

import numpy as np


def run(tf):
    rng = np.random.RandomState(9)
    losses = []

    def variables(scope, *sizes):
        found = []
        with tf.variable_scope(scope):
            for i, (inputs, outputs) in enumerate(zip(sizes[:-1], sizes[1:])):
                first = rng.randn(inputs, outputs).astype(np.float32) / np.sqrt(inputs / 2)
                found.append(tf.get_variable(f"w{i}", initializer=first.astype(np.float32)))
                found.append(
                    tf.get_variable(f"b{i}", [outputs], initializer=tf.zeros_initializer())
                )
        return found

    def network(x, weights):
        for i in range(0, len(weights), 2):
            x = tf.matmul(x, weights[i]) + weights[i + 1]
            if i + 2 < len(weights):
                x = tf.nn.leaky_relu(x)
        return x

    with tf.Graph().as_default():
        noise = tf.placeholder(tf.float32, [None, 4], "noise")
        real = tf.placeholder(tf.float32, [None, 2], "real")
        generator = variables("generator", 4, 8, 2)
        discriminator = variables("discriminator", 2, 8, 1)
        made = network(noise, generator)
        on_real, on_made = network(real, discriminator), network(made, discriminator)

        def entropy(logits, label):
            labels = tf.fill(tf.shape(logits), label)
            return tf.reduce_mean(
                tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=labels)
            )

        generator_loss = entropy(on_made, 1.0)
        discriminator_loss = entropy(on_real, 0.9) + entropy(on_made, 0.0)
        train_generator = tf.train.AdamOptimizer(0.01, beta1=0.5).minimize(
            generator_loss, var_list=tf.trainable_variables("generator")
        )
        train_discriminator = tf.train.AdamOptimizer(0.01, beta1=0.5).minimize(
            discriminator_loss,
            var_list=tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="discriminator"),
        )
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(30):
                feed = {
                    real: (rng.randn(16, 2) * 0.3 + [2, -1]).astype(np.float32),
                    noise: rng.randn(16, 4),
                }
                _, d_loss = sess.run([train_discriminator, discriminator_loss], feed)
                fetches = {"step": train_generator, "loss": generator_loss}
                g_loss = sess.run(fetches, {noise: feed[noise]})["loss"]
                if i % 6 == 5:
                    losses += [d_loss, g_loss]
            losses += list(sess.run(tf.reduce_mean(made, 0), {noise: np.ones([3, 4])}))
    return losses
