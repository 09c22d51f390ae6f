v1 = tf.compat.v1
with tf.Graph().as_default():
    x = v1.placeholder(tf.float32, [2])
    y = v1.placeholder(tf.float32, [2])
    t = tf.tanh(x) * y
    z = t * x
    g = tf.gradients(z, [x, y, t], stop_gradients=[y, t], unconnected_gradients='zero')
    with v1.Session() as session:
        feeds = {x: np.array([0.5, -1.0], np.float32), y: np.array([2.0, 3.0], np.float32)}
        out['g'] = session.run(g, feeds)
