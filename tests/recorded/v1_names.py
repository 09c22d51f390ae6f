"""What programs of TensorFlow 1 name: `CALLS` are expressions whose results have names, by default
and with `name="given"`; `programs(tf)` gives functions that build a graph, whose nodes have names.

Each is called inside of a graph of its own, which is the default.
"""

from __future__ import annotations

# The tensors of calls: placeholders, whose names are their own.
TENSORS = {
    "x": ("float32", [None, 4]),
    "y": ("float32", [None, 4]),
    "b": ("bool", [None, 4]),
    "n": ("int32", [None]),
    "m": ("float32", [4, 4]),
    "v": ("float32", [4]),
    "i": ("float32", [None, 8, 8, 3]),
    "k": ("float32", [3, 3, 3, 4]),
    "s": ("float32", [2, 16, 3]),
    "f": ("float32", [3, 3, 2]),
    "c": ("complex64", [4]),
    "t": ("string", [None]),
    "r": ("int32", [4]),
}

# Elementwise functions of one argument, and of two.
_UNARY = """abs negative sign square sqrt exp sin cos tan asin acos atan sinh cosh tanh sigmoid
floor math.ceil round math.log math.log1p math.rsqrt math.reciprocal math.erf math.lgamma
identity stop_gradient zeros_like nn.relu nn.relu6 nn.elu nn.selu nn.softplus nn.softsign
nn.softmax nn.log_softmax nn.leaky_relu nn.l2_loss nn.sigmoid nn.tanh shape size rank
math.is_nan math.is_finite nn.crelu math.log_sigmoid"""
_BINARY = """add subtract multiply divide truediv floordiv math.mod pow maximum minimum less
less_equal greater greater_equal equal not_equal squared_difference atan2 math.divide_no_nan div
realdiv floor_div"""
_REDUCTIONS = """sum mean prod max min logsumexp"""

CALLS = [
    *(f"tf.{name}(x, NAME)" for name in _UNARY.split()),
    *(f"tf.{name}(x, y, NAME)" for name in _BINARY.split()),
    *(f"tf.reduce_{name}(x, NAME)" for name in _REDUCTIONS.split()),
    *(f"tf.reduce_{name}(x, 1, NAME)" for name in _REDUCTIONS.split()),
    *(f"tf.math.reduce_{name}(x, 1, NAME)" for name in "std variance".split()),
    "tf.reduce_all(b, NAME)",
    "tf.reduce_any(b, 1, NAME)",
    "tf.logical_and(b, b, NAME)",
    "tf.logical_not(b, NAME)",
    "tf.argmax(x, 1, NAME)",
    "tf.argmin(x, 0, NAME)",
    "tf.cumsum(x, NAME)",
    "tf.norm(x, NAME)",
    "tf.linalg.norm(x, axis=1, NAME)",
    "tf.matmul(x, m, NAME)",
    "tf.linalg.matvec(m, v, NAME)",
    "tf.tensordot(x, m, 1, NAME)",
    "tf.einsum('ij,jk->ik', x, m, NAME)",
    "tf.linalg.inv(m, NAME)",
    "tf.linalg.det(m, NAME)",
    "tf.linalg.trace(m, NAME)",
    "tf.linalg.diag(v, NAME)",
    "tf.linalg.diag_part(m, NAME)",
    "tf.cholesky(m, NAME)",
    "tf.eye(3, NAME)",
    "tf.cast(x, tf.int32, NAME)",
    "tf.to_float(n, NAME)",
    "tf.to_int32(x, NAME)",
    "tf.concat([x, x], 0, NAME)",
    "tf.stack([x, x], NAME)",
    "tf.unstack(x, axis=1, NAME)",
    "tf.split(x, 2, 1, NAME)",
    "tf.split(x, [1, 3], 1, NAME)",
    "tf.reshape(x, [-1, 2], NAME)",
    "tf.transpose(x, NAME)",
    "tf.transpose(x, [1, 0], NAME)",
    "tf.matrix_transpose(x, NAME)",
    "tf.expand_dims(x, 1, NAME)",
    "tf.squeeze(m, NAME)",
    "tf.tile(x, [1, 2], NAME)",
    "tf.pad(x, [[0, 0], [1, 1]], NAME)",
    "tf.zeros([3], NAME)",
    "tf.ones([2, 2], NAME)",
    "tf.fill([2], 3.0, NAME)",
    "tf.ones_like(x, NAME)",
    "tf.constant(1.0, NAME)",
    "tf.range(5, NAME)",
    "tf.linspace(0.0, 1.0, 3, NAME)",
    "tf.one_hot(n, 3, NAME)",
    "tf.gather(x, n, NAME)",
    "tf.gather(x, n, axis=1, NAME)",
    "tf.gather_nd(m, [[0, 1]], NAME)",
    "tf.where(b, x, y, NAME)",
    "tf.where(b, NAME)",
    "tf.boolean_mask(x, b, NAME)",
    "tf.slice(x, [0, 0], [1, 1], NAME)",
    "tf.strided_slice(x, [0], [1], NAME)",
    "tf.reverse(x, [0], NAME)",
    "tf.broadcast_to(v, [2, 4], NAME)",
    "tf.clip_by_value(x, 0.0, 1.0, NAME)",
    "tf.clip_by_norm(x, 1.0, NAME)",
    "tf.global_norm([x, y], NAME)",
    "tf.clip_by_global_norm([x, y], 1.0, NAME)[0]",
    "tf.add_n([x, x], NAME)",
    "tf.accumulate_n([x, x], NAME)",
    "tf.sequence_mask(n, 3, NAME)",
    "tf.unique(n, NAME).y",
    "tf.scalar_mul(2.0, x, NAME)",
    "tf.scatter_nd([[1]], [2.0], [3], NAME)",
    "tf.segment_sum(v, r, NAME)",
    "tf.unsorted_segment_sum(v, r, 4, NAME)",
    "tf.confusion_matrix(n, n, 3, NAME)",
    "tf.complex(v, v, NAME)",
    "tf.real(c, NAME)",
    "tf.conj(c, NAME)",
    "tf.angle(c, NAME)",
    "tf.fft(c, NAME)",
    "tf.string_join([t, t], NAME)",
    "tf.as_string(n, NAME)",
    "tf.strings.length(t, NAME)",
    "tf.random_normal([2], NAME)",
    "tf.random_normal([2], 1.0, 2.0, NAME)",
    "tf.random_uniform([2], NAME)",
    "tf.random_uniform([2], 1.0, 2.0, NAME)",
    "tf.random_uniform([2], 0, 5, tf.int32, NAME)",
    "tf.truncated_normal([2], NAME)",
    "tf.truncated_normal([2], stddev=0.1, NAME)",
    "tf.random_shuffle(x, NAME)",
    "tf.multinomial(x, 2, NAME)",
    "tf.identity_n([x, y], NAME)",
    "tf.tuple([x, y], NAME)",
    "tf.check_numerics(x, 'bad', NAME)",
    "tf.nn.bias_add(x, v, NAME)",
    "tf.nn.dropout(x, rate=0.5, NAME)",
    "tf.nn.dropout(x, 0.5, NAME)",
    "tf.nn.moments(x, [0], NAME)",
    "tf.nn.batch_normalization(x, v, v, v, v, 1e-3, NAME)",
    "tf.nn.l2_normalize(x, 1, NAME)",
    "tf.nn.top_k(x, 2, NAME)",
    "tf.nn.in_top_k(x, n, 1, NAME)",
    "tf.nn.embedding_lookup(m, n, NAME)",
    "tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=y, NAME)",
    "tf.nn.softmax_cross_entropy_with_logits_v2(labels=x, logits=y, NAME)",
    "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=n, logits=y, NAME)",
    "tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=y, NAME)",
    "tf.nn.weighted_cross_entropy_with_logits(x, y, 2.0, NAME)",
    "tf.nn.log_poisson_loss(x, y, NAME)",
    "tf.nn.xw_plus_b(x, m, v, NAME)",
    "tf.nn.relu_layer(x, m, v, NAME)",
    "tf.nn.conv1d(s, f, 1, 'SAME', NAME)",
    "tf.nn.conv2d(i, k, [1, 1, 1, 1], 'SAME', NAME)",
    "tf.nn.depthwise_conv2d(i, k, [1, 1, 1, 1], 'SAME', NAME)",
    "tf.nn.max_pool(i, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME', NAME)",
    "tf.nn.avg_pool(i, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME', NAME)",
    "tf.nn.lrn(i, NAME)",
    "tf.nn.zero_fraction(x, NAME)",
    "tf.losses.mean_squared_error(x, y)",
    "tf.losses.absolute_difference(x, y)",
    "tf.losses.softmax_cross_entropy(x, y)",
    "tf.losses.sigmoid_cross_entropy(x, y)",
    "tf.losses.sparse_softmax_cross_entropy(n, y)",
    "tf.losses.hinge_loss(x, y)",
    "tf.losses.huber_loss(x, y)",
    "tf.losses.log_loss(x, y)",
    "tf.losses.cosine_distance(x, y, 1)",
    "tf.train.exponential_decay(0.1, 1, 10, 0.9, NAME)",
    "tf.train.polynomial_decay(0.1, 1, 10, NAME)",
    "tf.train.piecewise_constant(1, [2], [0.1, 0.2], NAME)",
    "tf.train.cosine_decay(0.1, 1, 10, NAME)",
    "tf.train.inverse_time_decay(0.1, 1, 10, 0.9, NAME)",
    "tf.placeholder(tf.float32, NAME)",
    "tf.placeholder_with_default(1.0, [], NAME)",
    "tf.py_func(lambda a: a, [x], tf.float32, NAME)",
    "tf.summary.scalar('loss', tf.reduce_sum(v))",
    "tf.Print(x, [x], NAME)",
    "tf.Variable(1.0, NAME)",
    "tf.convert_to_tensor([1.0, 2.0], NAME)",
    "tf.guarantee_const(x, NAME)",
    "tf.no_op(NAME)",
    "tf.group(x, y, NAME)",
    "tf.assert_equal(x, y, NAME)",
    "tf.Assert(tf.reduce_all(b), [x], NAME)",
    "tf.map_fn(lambda a: a + 1.0, x, NAME)",
    "tf.scan(lambda a, b: a + b, x, NAME)",
    "tf.while_loop(lambda a: a < 3, lambda a: a + 1, [0], NAME)",
    "tf.cond(tf.reduce_all(b), lambda: x, lambda: y, NAME)",
    "x + 1.0",
    "1.0 + x",
    "x - y",
    "x * 2.0",
    "x / y",
    "x // 2.0",
    "x % 2.0",
    "x ** 2.0",
    "-x",
    "abs(x)",
    "x @ m",
    "x > y",
    "x[0]",
    "x[:, 1:3]",
    "b & b",
    "b | b",
    "~b",
    "n / n",
    "n // 2",
]


def result_names(tf, call: str) -> list:
    """The names of a call's results: twice by default, and with a name within a scope."""
    texts = [call.replace(", NAME", "").replace("NAME", "")] * 2
    if "NAME" in call:
        texts.append(call.replace("NAME", 'name="given"'))
    with tf.Graph().as_default():
        known = {
            key: tf.placeholder(dtype, shape, name=key) for key, (dtype, shape) in TENSORS.items()
        }
        known["tf"] = tf
        found = [_names(tf, eval(text, known)) for text in texts[:2]]
        with tf.name_scope("outer"):
            found += [_names(tf, eval(text, known)) for text in texts[2:]]
    return found


def _names(tf, made):
    if isinstance(made, (list, tuple)):
        return [_names(tf, each) for each in made]
    return getattr(made, "name", None)


def node_names(tf, build) -> list[str]:
    """The names of the nodes that a program makes, in their order, and what it returns."""
    with tf.Graph().as_default() as graph:
        returned = build()
        return [[each.name for each in graph.get_operations()], returned]
