"""Programs of TensorFlow 1 as people wrote them, for v1_names.py: each builds a graph and returns
the names that such a program looks up or prints.
"""

from __future__ import annotations


def add(tf, program) -> None:
    _classifiers(tf, program)
    _words(tf, program)
    _sequences(tf, program)
    _by_hand(tf, program)
    _training(tf, program)
    _bookkeeping(tf, program)


def names(*made) -> list[str]:
    return [getattr(each, "name", None) for each in made]


def _classifiers(tf, program):
    @program
    def a_perceptron():
        x = tf.placeholder(tf.float32, [None, 784], name="x")
        y = tf.placeholder(tf.float32, [None, 10], name="y")
        weights = {
            "h1": tf.Variable(tf.random_normal([784, 16])),
            "out": tf.Variable(tf.random_normal([16, 10])),
        }
        biases = {
            "b1": tf.Variable(tf.random_normal([16])),
            "out": tf.Variable(tf.random_normal([10])),
        }
        h = tf.nn.relu(tf.add(tf.matmul(x, weights["h1"]), biases["b1"]))
        logits = tf.matmul(h, weights["out"]) + biases["out"]
        each = tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=y)
        loss = tf.reduce_mean(each)
        train = tf.train.AdamOptimizer(learning_rate=0.01).minimize(loss)
        right = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
        accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
        init = tf.global_variables_initializer()
        found = [h, logits, each, loss, train, right, accuracy, init]
        return names(*found, *tf.global_variables())

    @program
    def scopes_of_layers():
        def layer(x, size_in, size_out, name):
            with tf.name_scope(name):
                with tf.name_scope("weights"):
                    w = tf.Variable(tf.truncated_normal([size_in, size_out], stddev=0.1))
                with tf.name_scope("biases"):
                    b = tf.Variable(tf.constant(0.1, shape=[size_out]))
                with tf.name_scope("Wx_plus_b"):
                    before = tf.matmul(x, w) + b
                return tf.nn.relu(before, name="activation"), before

        with tf.name_scope("input"):
            x = tf.placeholder(tf.float32, [None, 12], name="x-input")
            y = tf.placeholder(tf.int64, [None], name="y-input")
        with tf.name_scope("input_reshape"):
            image = tf.reshape(x, [-1, 2, 2, 3])
        hidden, before = layer(x, 12, 8, "layer1")
        with tf.name_scope("dropout"):
            keep = tf.placeholder(tf.float32)
            dropped = tf.nn.dropout(hidden, keep)
        logits, _ = layer(dropped, 8, 4, "layer2")
        with tf.name_scope("cross_entropy"):
            loss = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=logits)
        with tf.name_scope("train"):
            train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        with tf.name_scope("accuracy"):
            with tf.name_scope("correct_prediction"):
                right = tf.equal(tf.argmax(logits, 1), y)
            with tf.name_scope("accuracy"):
                accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
        found = [x, y, image, hidden, before, keep, dropped, logits, loss, train, right, accuracy]
        return names(*found, *tf.trainable_variables())

    @program
    def a_convolutional_classifier():
        def weights(shape):
            return tf.Variable(tf.truncated_normal(shape, stddev=0.1))

        def pooled(x):
            return tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")

        x = tf.placeholder(tf.float32, [None, 64], name="images")
        y = tf.placeholder(tf.int32, [None], name="labels")
        image = tf.reshape(x, [-1, 8, 8, 1])
        k1, b1 = weights([3, 3, 1, 4]), tf.Variable(tf.zeros([4]))
        h1 = pooled(tf.nn.relu(tf.nn.conv2d(image, k1, [1, 1, 1, 1], "SAME") + b1))
        k2, b2 = weights([3, 3, 4, 8]), tf.Variable(tf.zeros([8]))
        h2 = pooled(tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(h1, k2, [1, 1, 1, 1], "SAME"), b2)))
        flat = tf.reshape(h2, [-1, 32])
        logits = tf.nn.xw_plus_b(flat, weights([32, 10]), tf.Variable(tf.zeros([10])), name="fc")
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits), name="loss"
        )
        predicted = tf.argmax(logits, axis=1, name="predictions")
        train = tf.train.MomentumOptimizer(0.01, 0.9, use_nesterov=True).minimize(loss)
        right = tf.nn.in_top_k(logits, y, 1)
        found = [image, h1, h2, flat, logits, loss, predicted, train, right]
        return names(*found, *tf.global_variables())


def _words(tf, program):
    @program
    def words_by_nce():
        inputs = tf.placeholder(tf.int32, shape=[8])
        labels = tf.placeholder(tf.int32, shape=[8, 1])
        with tf.name_scope("embeddings"):
            table = tf.Variable(tf.random_uniform([50, 16], -1.0, 1.0))
            rows = tf.nn.embedding_lookup(table, inputs)
        with tf.name_scope("weights"):
            w = tf.Variable(tf.truncated_normal([50, 16], stddev=0.25))
        with tf.name_scope("biases"):
            b = tf.Variable(tf.zeros([50]))
        with tf.name_scope("loss"):
            loss = tf.reduce_mean(
                tf.nn.nce_loss(
                    weights=w, biases=b, labels=labels, inputs=rows, num_sampled=4, num_classes=50
                )
            )
        with tf.name_scope("optimizer"):
            train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
        norm = tf.sqrt(tf.reduce_sum(tf.square(table), 1, keepdims=True))
        unit = table / norm
        picked = tf.nn.embedding_lookup(unit, [1, 2, 3])
        similarity = tf.matmul(picked, unit, transpose_b=True)
        init = tf.global_variables_initializer()
        found = [inputs, labels, table, rows, w, b, loss, train, norm, unit, picked]
        return names(*found, similarity, init)

    @program
    def skip_gram_by_sampled_softmax():
        with tf.variable_scope("word2vec"):
            ids = tf.placeholder(tf.int64, [None], name="ids")
            labels = tf.placeholder(tf.int64, [None, 1], name="labels")
            table = tf.get_variable("embedding", [30, 8])
            w = tf.get_variable("softmax_w", [30, 8])
            b = tf.get_variable("softmax_b", [30], initializer=tf.zeros_initializer())
            rows = tf.nn.embedding_lookup(table, ids, name="rows")
            each = tf.nn.sampled_softmax_loss(w, b, labels, rows, 5, 30)
            loss = tf.reduce_mean(each, name="loss")
        return names(rows, each, loss, *tf.trainable_variables())


def _sequences(tf, program):
    @program
    def a_recurrent_cell_by_hand():
        x = tf.placeholder(tf.float32, [None, 3, 4], name="x")
        state = tf.zeros([2, 5])
        outputs = []
        with tf.variable_scope("rnn"):
            for step in range(3):
                with tf.variable_scope("cell", reuse=step > 0):
                    w = tf.get_variable("w", [9, 5])
                    b = tf.get_variable("b", [5], initializer=tf.constant_initializer(0.0))
                    both = tf.concat([x[:, step, :], state], axis=1)
                    state = tf.tanh(tf.matmul(both, w) + b)
                    outputs.append(state)
        stacked = tf.stack(outputs, axis=1)
        last = tf.transpose(stacked, [1, 0, 2])[-1]
        parts = tf.unstack(stacked, 3, 1)
        return names(*outputs, stacked, last, *parts, *tf.global_variables())

    @program
    def gates_of_a_cell():
        x = tf.placeholder(tf.float32, [4, 3], name="x")
        with tf.variable_scope("lstm", initializer=tf.random_uniform_initializer(-0.1, 0.1)):
            h, c = tf.zeros([4, 2], name="h"), tf.zeros([4, 2], name="c")
            kernel = tf.get_variable("kernel", [5, 8])
            bias = tf.get_variable("bias", [8], initializer=tf.ones_initializer())
            gates = tf.nn.bias_add(tf.matmul(tf.concat([x, h], 1), kernel), bias)
            i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=1)
            new_c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
            new_h = tf.tanh(new_c) * tf.sigmoid(o)
        mask = tf.sequence_mask([1, 2, 3, 4], 2, dtype=tf.float32)
        loss = tf.reduce_sum(new_h * mask) / tf.reduce_sum(mask)
        return names(gates, i, j, f, o, new_c, new_h, mask, loss, kernel, bias)

    @program
    def a_sum_in_a_loop():
        n = tf.placeholder(tf.int32, [], name="n")
        loop = tf.while_loop(
            lambda i, s: tf.less(i, n), lambda i, s: (i + 1, s + i), [tf.constant(0), 0], name="sum"
        )
        picked = tf.cond(tf.less(n, 3), lambda: loop[1], lambda: loop[1] * 2)
        mapped = tf.map_fn(lambda a: a * a, tf.range(4))
        return names(*loop, picked, mapped)


def _by_hand(tf, program):
    @program
    def an_autoencoder():
        x = tf.placeholder("float", [None, 12])
        sizes, h, decoded = [12, 6, 3], x, None
        for n in (1, 2):
            with tf.name_scope(f"encoder_{n}"):
                w = tf.Variable(tf.random_normal(sizes[n - 1 : n + 1]), name="w")
                b = tf.Variable(tf.zeros([sizes[n]]), name="b")
                h = tf.nn.sigmoid(tf.add(tf.matmul(h, w), b))
        for n in (2, 1):
            with tf.name_scope(f"decoder_{n}"):
                w = tf.Variable(tf.random_normal([sizes[n], sizes[n - 1]]), name="w")
                b = tf.Variable(tf.zeros([sizes[n - 1]]), name="b")
                decoded = h = tf.nn.sigmoid(tf.add(tf.matmul(h, w), b))
        cost = tf.reduce_mean(tf.pow(x - decoded, 2))
        train = tf.train.RMSPropOptimizer(0.01).minimize(cost)
        return names(x, decoded, cost, train, *tf.global_variables())

    @program
    def batch_normalization_by_hand():
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        is_training = tf.placeholder_with_default(False, [], name="is_training")
        with tf.variable_scope("bn"):
            beta = tf.get_variable("beta", [4], initializer=tf.constant_initializer(0.0))
            gamma = tf.get_variable("gamma", [4], initializer=tf.constant_initializer(1.0))
            mean, variance = tf.nn.moments(x, [0], name="moments")
            averages = tf.train.ExponentialMovingAverage(decay=0.5)
            apply = averages.apply([mean, variance])
            kept = averages.average(mean), averages.average(variance)
            used = tf.cond(is_training, lambda: (mean, variance), lambda: kept)
            out = tf.nn.batch_normalization(x, used[0], used[1], beta, gamma, 1e-3)
            scaled = (x - mean) / tf.sqrt(variance + 1e-5)
        return names(mean, variance, apply, *used, out, scaled, *tf.global_variables())

    @program
    def a_linear_regression():
        x, y = tf.placeholder("float"), tf.placeholder("float")
        w, b = tf.Variable(0.5, name="weight"), tf.Variable(0.1, name="bias")
        guess = tf.add(tf.multiply(x, w), b)
        cost = tf.reduce_sum(tf.pow(guess - y, 2)) / (2 * 17)
        train = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
        return names(x, y, guess, cost, train, *tf.global_variables())

    @program
    def nearest_neighbours():
        known = tf.placeholder("float", [None, 784])
        asked = tf.placeholder("float", [784])
        distance = tf.reduce_sum(tf.abs(tf.add(known, tf.negative(asked))), axis=1)
        nearest = tf.argmin(distance, 0)
        values, indices = tf.nn.top_k(tf.negative(distance), k=3)
        picked = tf.gather(known, indices)
        return names(distance, nearest, values, indices, picked)


def _training(tf, program):
    def loss_of_a_model():
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        return tf.reduce_mean(tf.square(tf.matmul(x, w) + b), name="loss")

    @program
    def clipping_by_global_norm():
        loss = loss_of_a_model()
        variables = tf.trainable_variables()
        grads, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        train = optimizer.apply_gradients(zip(grads, variables, strict=True))
        return names(*grads, norm, train)

    @program
    def rates_that_decay():
        loss = loss_of_a_model()
        step = tf.Variable(0, trainable=False, name="global_step")
        rate = tf.train.exponential_decay(0.1, step, 100, 0.96, staircase=True)
        steps = tf.train.piecewise_constant(step, [10, 20], [0.1, 0.01, 0.001])
        optimizer = tf.train.GradientDescentOptimizer(rate)
        train = optimizer.minimize(loss, global_step=step)
        return names(step, rate, steps, train, *tf.global_variables())

    @program
    def averages_of_variables():
        loss = loss_of_a_model()
        step = tf.train.get_or_create_global_step()
        averages = tf.train.ExponentialMovingAverage(0.99, step)
        update = averages.apply(tf.trainable_variables())
        train = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=step)
        with tf.control_dependencies([train, update]):
            both = tf.no_op(name="train")
        kept = [averages.average(each) for each in tf.trainable_variables()]
        restored = sorted(averages.variables_to_restore())
        return [*names(update, both, *kept, *tf.global_variables()), *restored]

    @program
    def two_optimizers():
        loss = loss_of_a_model()
        first = tf.train.AdamOptimizer(0.1, name="First").minimize(loss)
        with tf.variable_scope("critic"):
            v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
            other = tf.nn.l2_loss(v, name="l2")
        second = tf.train.AdamOptimizer(0.2).minimize(other, var_list=[v])
        third = tf.train.RMSPropOptimizer(0.1, momentum=0.9).minimize(other, var_list=[v])
        return names(loss, first, other, second, third, *tf.global_variables())

    @program
    def penalties():
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.get_variable("w", [3, 2], regularizer=lambda w: 0.1 * tf.nn.l2_loss(w))
        loss = tf.losses.mean_squared_error(tf.ones_like(tf.matmul(x, w)), tf.matmul(x, w))
        total = tf.add_n([loss, *tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)])
        named = tf.losses.get_total_loss(name="total")
        return names(loss, total, named, *tf.losses.get_regularization_losses())


def _bookkeeping(tf, program):
    @program
    def variables_that_are_shared():
        def scores(x):
            w = tf.get_variable("w", [4, 2], initializer=tf.ones_initializer())
            return tf.matmul(x, w, name="scores")

        x = tf.placeholder(tf.float32, [None, 4], name="x")
        with tf.variable_scope("model"):
            one = scores(x)
        with tf.variable_scope("model", reuse=True):
            two = scores(x)
        with tf.variable_scope("tower") as scope:
            three = scores(x)
            scope.reuse_variables()
            four = scores(x)
        with tf.variable_scope(scope, reuse=True), tf.name_scope("again"):
            five = scores(x)
        with tf.variable_scope(None, default_name="tower"):
            six = scores(x)
        return names(one, two, three, four, five, six, *tf.global_variables())

    @program
    def collections_and_dependencies():
        v = tf.Variable(1.0, name="v")
        add, double = tf.assign_add(v, 1.0), tf.assign(v, v * 2.0)
        tf.add_to_collection("updates", add)
        tf.add_to_collection("updates", double)
        with tf.control_dependencies(tf.get_collection("updates")):
            read, done = tf.identity(v), tf.no_op()
        grouped = tf.group(add, double)
        pair = tf.tuple([v + 1.0, v + 2.0])
        return names(read, done, grouped, *pair, *tf.get_collection("variables"))

    @program
    def metrics_in_a_stream():
        labels = tf.placeholder(tf.int64, [None], name="labels")
        predicted = tf.placeholder(tf.int64, [None], name="predictions")
        accuracy, update = tf.metrics.accuracy(labels, predicted)
        mean, update_mean = tf.metrics.mean(tf.cast(labels, tf.float32), name="average")
        init = tf.local_variables_initializer()
        found = [accuracy, update, mean, update_mean, init]
        return names(*found, *tf.local_variables())

    @program
    def a_saver_of_a_model():
        w = tf.get_variable("w", [2, 2], initializer=tf.zeros_initializer())
        tf.get_variable("b", [2], initializer=tf.zeros_initializer(), trainable=False)
        tf.train.Saver(max_to_keep=2)
        tf.train.Saver({"weights": w})
        init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
        return names(init, *tf.global_variables())

    @program
    def summaries_of_a_variable():
        with tf.name_scope("layer"):
            v = tf.Variable(tf.zeros([3]), name="v")
            with tf.name_scope("summaries"):
                mean = tf.reduce_mean(v)
                made = [tf.summary.scalar("mean", mean)]
                with tf.name_scope("stddev"):
                    deviation = tf.sqrt(tf.reduce_mean(tf.square(v - mean)))
                made.append(tf.summary.scalar("stddev", deviation))
                made.append(tf.summary.scalar("max", tf.reduce_max(v)))
                made.append(tf.summary.histogram("histogram", v))
        return names(v, mean, deviation, *made, tf.summary.merge_all())

    @program
    def random_numbers():
        made = [tf.random_normal([2]), tf.random_uniform([3], 0, 9, tf.int32)]
        made += [tf.truncated_normal([2], stddev=0.1), tf.random_shuffle(tf.range(4))]
        w = tf.get_variable("w", [4, 4], initializer=tf.truncated_normal_initializer(stddev=0.1))
        u = tf.get_variable("u", [4, 4], initializer=tf.glorot_uniform_initializer())
        tf.get_variable("o", [4, 4], initializer=tf.orthogonal_initializer())
        tf.get_variable("s", [4, 4], initializer=tf.variance_scaling_initializer())
        made += [w.initial_value, u.initial_value, tf.multinomial(tf.ones([1, 3]), 2)]
        return names(*made, *tf.global_variables())
