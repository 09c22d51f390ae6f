"""Many layers, made by a loop; their slots are made by the first step. A model per trial."""

import penstock as tf


class Dense(tf.Module):
    def __init__(self, size):
        super().__init__()
        start = tf.random.normal([size, size], stddev=0.1)
        self.w = tf.Variable(start)
        self.b = tf.Variable(tf.zeros([size]))

    def __call__(self, x):
        return tf.nn.relu(x @ self.w + self.b)


layers = []
for _ in range(24):
    layers.append(Dense(16))
variables = [v for layer in layers for v in layer.trainable_variables]
optimizer = tf.optimizers.Adam(0.01)
for step in range(40):
    with tf.GradientTape() as tape:
        h = tf.ones([8, 16])
        for layer in layers:
            h = layer(h)
        loss = tf.reduce_mean(tf.square(h - 1.0))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

for trial in range(12):
    w = tf.Variable(tf.random.normal([16, 4]))
    for step in range(30):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.ones([8, 16]) @ w))
        w.assign_sub(0.1 * tape.gradient(loss, w))
