"""What programs of TensorFlow 1 name: `CALLS` are expressions whose results have names, by default
and with `name="given"`; `programs(tf)` gives functions that build a graph, whose nodes have names.

Each is called inside of a graph of its own, which is the default.
"""

from __future__ import annotations

import v1_models

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
    "h": ("float32", []),
    "a": ("float32", [None, None]),
    "o": ("float32", [None, None, None]),
    "p": ("float32", [2, 8, 8, 4]),
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
_REDUCTIONS = ["sum", "mean", "prod", "max", "min", "logsumexp"]

CALLS = [
    *(f"tf.{name}(x, NAME)" for name in _UNARY.split()),
    *(f"tf.{name}(x, y, NAME)" for name in _BINARY.split()),
    *(f"tf.reduce_{name}(x, NAME)" for name in _REDUCTIONS),
    *(f"tf.reduce_{name}(x, 1, NAME)" for name in _REDUCTIONS),
    *(f"tf.math.reduce_{name}(x, 1, NAME)" for name in ["std", "variance"]),
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
    "tf.histogram_fixed_width_bins(x, [-1.0, 2.0], 3, NAME)",
    "tf.concat([x], 0, NAME)",
    "tf.stack([[h, 1.0], [1.0, 2.0]], NAME)",
    "tf.convert_to_tensor([[2.0, h], [1.0, 2.0]], NAME)",
    "tf.parallel_stack([m, m], NAME)",
    "tf.dynamic_stitch([[0, 2], [1, 3]], [s, s], NAME)",
    "tf.linalg.cholesky_solve(m, m, NAME)",
    "tf.linalg.matrix_rank(m, NAME)",
    "tf.linalg.lu_solve(*tf.linalg.lu(m), m, NAME)",
    "tf.linalg.lu_matrix_inverse(*tf.linalg.lu(m), NAME)",
    "tf.linalg.lu_reconstruct(*tf.linalg.lu(m), NAME)",
    "tf.norm(x, ord=2, axis=[-2, -1], NAME)",
    "tf.norm(x, ord=2, axis=[-2, -1], keepdims=True, NAME)",
    "tf.norm(x, ord=1, axis=[-2, -1], keepdims=True, NAME)",
    "tf.norm(c, NAME)",
    "tf.norm(c, keepdims=True, NAME)",
    "tf.math.lbeta(x, NAME)",
    "tf.random.stateless_categorical(x, 2, [1, 2], NAME)",
    "tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 5], NAME)",
    "tf.nn.compute_average_loss(v)",
    "tf.nn.scale_regularization_loss(v)",
    "tf.nn.embedding_lookup(m, n, max_norm=2.0, NAME)",
    "tf.nn.embedding_lookup([m, m], n, NAME)",
    "tf.nn.embedding_lookup([m, m], n, max_norm=2.0, NAME)",
    "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[1, 0], [0, 1]], logits=o, NAME)",
    "tf.nn.normalize_moments(v, v, v, None, NAME)",
    "tf.nn.weighted_moments(x, [0], y, NAME)",
    "tf.nn.weighted_moments(x, [0], y, keep_dims=True, NAME)",
    "tf.nn.sufficient_statistics(x, [0], NAME)[:3]",
    "tf.nn.sufficient_statistics(m, [0], NAME)[:3]",
    "tf.nn.atrous_conv2d(i, k, 2, 'VALID', NAME)",
    "tf.nn.atrous_conv2d(i, k, 1, 'VALID', NAME)",
    "tf.nn.atrous_conv2d_transpose(p, k, [2, 8, 8, 3], 2, 'SAME', NAME)",
    "tf.nn.atrous_conv2d_transpose(p, k, [2, 8, 8, 3], 1, 'SAME', NAME)",
    "tf.nn.convolution(i, k, 'SAME', NAME)",
    "tf.nn.convolution(i, k, 'SAME', dilation_rate=[2, 1], NAME)",
    "tf.nn.depthwise_conv2d(i, k, [1, 1, 1, 1], 'SAME', rate=[2, 2], NAME)",
    "tf.nn.conv_transpose(s, tf.zeros([3, 2, 3]), [2, 32, 2], 2, NAME)",
    "tf.nn.max_pool_v2(i, [1, 2, 2, 1], [1, 1, 2, 1], 'VALID', NAME)",
    "tf.nn.pool(i, [2, 2], 'MAX', 'VALID', dilation_rate=[2, 2], NAME)",
    *(f"tf.signal.dct({x}, {kind}, NAME)" for x in "xa" for kind in [1, 2, 3, 4]),
    *(f"tf.signal.dct({x}, {kind}, norm='ortho', NAME)" for x in "xa" for kind in [2, 3, 4]),
    *(f"tf.signal.dct(x, {kind}, n=3, NAME)" for kind in [2, 3, 4]),
    *(f"tf.signal.idct({x}, {kind}, NAME)" for x in "xa" for kind in [1, 2, 3, 4]),
    "tf.signal.stft(x, 4, 2, NAME)",
    "tf.signal.stft(x, 4, 2, window_fn=tf.signal.vorbis_window, NAME)",
    "tf.signal.inverse_stft(tf.complex(m, m), 6, 2, NAME)",
    "tf.signal.overlap_and_add(m, 2, NAME)",
    "tf.signal.overlap_and_add(x, 2, NAME)",
    "tf.signal.overlap_and_add(m, 4, NAME)",
    "tf.signal.mdct(x, 4, NAME)",
    "tf.signal.inverse_mdct(m, NAME)",
    "tf.signal.kaiser_window(8, NAME)",
    "tf.signal.kaiser_window(1, NAME)",
    "tf.signal.kaiser_bessel_derived_window(8, NAME)",
    "tf.signal.vorbis_window(8, NAME)",
    "tf.signal.linear_to_mel_weight_matrix(3, 5, 16.0, 0.5, 7.0, NAME)",
    "tf.signal.mfccs_from_log_mel_spectrograms(x, NAME)",
    "tf.signal.mfccs_from_log_mel_spectrograms(a, NAME)",
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


# Functions of a matrix x and of a square one, m, whose gradients have names.
_DIFFERENTIABLE = """sort(x) linalg.solve(m,m) linalg.cholesky(m) linalg.triangular_solve(m,x)
linalg.cholesky_solve(m,m) linalg.det(m) linalg.logdet(m) linalg.diag(x) linalg.diag_part(m)
linalg.trace(m) linalg.matvec(m,v) linalg.band_part(m,1,1) linalg.set_diag(m,v) linalg.pinv(m)
linalg.adjoint(x) linalg.matrix_transpose(x) signal.dct(x) signal.idct(x) signal.frame(x,2,1)
signal.overlap_and_add(x,2) nn.relu6(x) nn.crelu(x) nn.embedding_lookup(m,n)
nn.depthwise_conv2d(i,k,[1,1,1,1],'SAME') nn.convolution(i,k,'SAME') nn.atrous_conv2d(i,k,2,'SAME')
nn.max_pool(i,2,2,'SAME') nn.space_to_depth(i,2) reverse(x,[0]) roll(x,1,0) repeat(x,2,0)
repeat(m,[1,2,1,1],0) gather(x,n) gather(x,n,axis=1) gather_nd(m,[[0,1]]) boolean_mask(x,n>0)
identity(x) clip_by_value(x,0.0,1.0) reduce_logsumexp(x) math.reduce_std(x)
math.reduce_variance(x,1) math.segment_mean(m,r) math.unsorted_segment_sum(m,r,2)
math.unsorted_segment_mean(m,r,2) math.unsorted_segment_max(m,r,2) cumsum(x) math.cumprod(x)
math.cumulative_logsumexp(x) lbeta(x) pow(2.0,x) multiply(2.0,x) floormod(x,0.5) igamma(0.5,x)
math.reciprocal_no_nan(x) sigmoid(x) log_sigmoid(x) acosh(x) asinh(x) acos(x) sinh(x) cosh(x)
lgamma(x) digamma(x) expm1(x) erfc(x) math.erfinv(x) math.ndtri(x) abs(x) tensordot(m,m,1)
math.bessel_i0(x) zeta(2.0,x) diag(v) dynamic_partition(m,r,2)[0]
stop_gradient(x)+x add(m,m)"""
CALLS += [f"grad(lambda: tf.{call})" for call in _DIFFERENTIABLE.split()]


def result_names(tf, call: str) -> list:
    """The names of a call's results: twice by default, and with a name within a scope."""
    texts = [call.replace(", NAME", "").replace("NAME", "")] * 2
    if "NAME" in call:
        texts.append(call.replace("NAME", 'name="given"'))
    with tf.Graph().as_default():
        known = {
            key: tf.placeholder(dtype, shape, name=key) for key, (dtype, shape) in TENSORS.items()
        }
        known |= {"tf": tf, "grad": lambda function: _gradients(tf, function, known)}
        found = [_names(tf, eval(text, known)) for text in texts[:2]]
        with tf.name_scope("outer"):
            found += [_names(tf, eval(text, known)) for text in texts[2:]]
    return found


def _gradients(tf, function, known):
    """Those of a function of the tensors that have one, by a tape."""
    sources = [known[key] for key in "xmivk"]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        made = function()
    return [each for each in tape.gradient(made, sources) if each is not None]


def _names(tf, made):
    if isinstance(made, (list, tuple)):
        return [_names(tf, each) for each in made]
    return getattr(made, "name", None)


def node_names(tf, build) -> list[str]:
    """The names of the nodes that a program makes, in their order, and what it returns."""
    with tf.Graph().as_default() as graph:
        returned = build()
        return [[each.name for each in graph.get_operations()], returned]


def programs(tf) -> dict:
    """Functions that build a graph, by name: each returns the names that a program would use."""
    found = {}

    def program(function):
        found[function.__name__] = function
        return function

    _models(tf, program)
    _training(tf, program)
    _scopes(tf, program)
    _networks(tf, program)
    v1_models.add(tf, program)
    return found


NEED_KERAS = ("dense_layers", "convolutional_layers", "normalization_and_dropout")


def _models(tf, program):
    def rows(size=4):
        return tf.placeholder("float32", [None, size], name="x")

    @program
    def operators():
        x = rows()
        made = [x + 1.0, 2.0 * x, -x, x / 3.0, x - x, x @ tf.ones([4, 2]), x[0], x[:, 1:3]]
        made += [x**2.0, x > 0.0, tf.identity(x, name="out"), tf.add(x, 1.0), 1.0 - x, x % 2.0]
        return [each.name for each in made]

    @program
    def reductions():
        x = rows()
        made = [tf.reduce_sum(x), tf.reduce_mean(x, 1), tf.reduce_max(x, axis=[0], name="rm")]
        made += [tf.argmax(x, 1), tf.reduce_all(x > 0.0), tf.norm(x), tf.constant(1.0)]
        return [each.name for each in made]

    @program
    def arrays():
        x = rows()
        made = [tf.concat([x, x], 0, name="cc"), tf.concat([x, x], 1), tf.stack([x, x])]
        made += [tf.unstack(x, axis=1)[1], *tf.split(x, 2, 1), *tf.split(x, [1, 3], 1)]
        made += [tf.reshape(x, [-1, 2]), tf.transpose(x), tf.transpose(x, [1, 0])]
        made += [tf.expand_dims(x, 1), tf.tile(x, [1, 2]), tf.pad(x, [[0, 0], [1, 1]])]
        made += [tf.zeros([3]), tf.ones([2, 2]), tf.zeros_like(x), tf.ones_like(x), tf.shape(x)]
        made += [tf.cast(x, tf.int32), tf.one_hot([1, 2], 3), tf.range(5), tf.gather(x, [0])]
        made += [tf.fill([2], 3.0), tf.slice(x, [0, 0], [1, 1]), tf.reverse(x, [0])]
        made += [tf.cumsum(x), tf.clip_by_value(x, 0.0, 1.0), tf.squared_difference(x, 1.0)]
        made += [tf.zeros([2000]), tf.random_normal([2]), tf.random_uniform([2], 1.0, 2.0)]
        return [each.name for each in made]

    @program
    def activations_and_losses():
        x, y = rows(), tf.placeholder("float32", [None, 4])
        n = tf.placeholder("int32", [None])
        made = [tf.nn.relu(x), tf.nn.softmax(x, name="sm"), tf.nn.sigmoid(x), tf.nn.l2_loss(x)]
        made += [tf.nn.dropout(x, rate=0.5), *tf.nn.moments(x, [0]), tf.nn.l2_normalize(x, 1)]
        made += [tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=x)]
        made += [tf.nn.sparse_softmax_cross_entropy_with_logits(labels=n, logits=x)]
        made += [tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x)]
        made += [tf.nn.embedding_lookup(tf.ones([3, 2]), n), tf.nn.top_k(x, 2)[0]]
        made += [tf.nn.bias_add(x, [1.0, 1.0, 1.0, 1.0]), tf.nn.in_top_k(x, n, 1)]
        return [each.name for each in made]

    @program
    def losses():
        x, y = rows(), tf.placeholder("float32", [None, 4], name="y")
        made = [tf.losses.mean_squared_error(y, x), tf.losses.softmax_cross_entropy(y, x)]
        made.append(tf.losses.get_total_loss())
        return [each.name for each in made] + [each.name for each in tf.losses.get_losses()]

    @program
    def a_convolutional_network():
        x = tf.placeholder("float32", [None, 8, 8, 3], name="x")
        k = tf.Variable(tf.truncated_normal([3, 3, 3, 4], stddev=0.1), name="k")
        b = tf.Variable(tf.constant(0.1, shape=[4]), name="b")
        h = tf.nn.relu(tf.nn.conv2d(x, k, [1, 1, 1, 1], "SAME") + b)
        h = tf.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        flat = tf.reshape(h, [-1, 64])
        w = tf.get_variable("w", [64, 10])
        out = tf.nn.softmax(tf.matmul(flat, w), name="prediction")
        return [k.name, b.name, w.name, h.name, flat.name, out.name, out.op.name]


def _training(tf, program):
    def regression():
        x = tf.placeholder("float32", [None, 4], name="x")
        y = tf.placeholder("float32", [None, 1], name="y")
        w = tf.Variable(tf.zeros([4, 1]), name="w")
        b = tf.Variable(0.0, name="b")
        return tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y)), w

    @program
    def gradient_descent():
        loss, w = regression()
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        init = tf.global_variables_initializer()
        return [loss.name, step.name, init.name, w.name, w.op.name, w.initializer.name]

    @program
    def gradients_of_an_optimizer():
        loss, _ = regression()
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        pairs = optimizer.compute_gradients(loss)
        step = optimizer.apply_gradients(pairs, name="train")
        return [grad.name for grad, _ in pairs] + [step.name]

    @program
    def momentum_and_clipping():
        loss, _ = regression()
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        pairs = [(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in optimizer.compute_gradients(loss)]
        step = optimizer.apply_gradients(pairs)
        slots = sorted(each.name for each in optimizer.variables())
        return [grad.name for grad, _ in pairs] + [step.name, *slots]

    @program
    def adam_with_a_global_step():
        loss, _ = regression()
        count = tf.train.get_or_create_global_step()
        optimizer = tf.train.AdamOptimizer(0.1)
        step = optimizer.minimize(loss, global_step=count)
        return [count.name, step.name, *sorted(v.name for v in optimizer.variables())]

    @program
    def gradients_in_scopes():
        x = tf.placeholder("float32", [None, 4], name="x")
        w = tf.constant([[1.0], [1.0], [1.0], [1.0]], name="w")
        with tf.name_scope("Model"):
            y = tf.matmul(x, w)
            z = tf.nn.sigmoid(y + 1.0)
        with tf.name_scope("SGD"):
            found = tf.gradients(z, [w, y, x])
        again = tf.gradients(z, w, name="again") + tf.gradients([z, y], w)
        return [each.name for each in found + again]

    @program
    def learning_rates():
        step = tf.Variable(0, trainable=False, name="step")
        made = [tf.train.exponential_decay(0.1, step, 10, 0.9), tf.train.cosine_decay(0.1, step, 9)]
        made.append(tf.train.polynomial_decay(0.1, step, 10, name="rate"))
        return [each.name for each in made]

    @program
    def summaries():
        loss, w = regression()
        with tf.name_scope("board"):
            made = [tf.summary.scalar("loss", loss), tf.summary.scalar("loss", loss)]
            made.append(tf.summary.histogram("w", w))
        made.append(tf.summary.merge_all())
        return [each.name for each in made]


def _scopes(tf, program):
    @program
    def name_scopes():
        names = []
        with tf.name_scope("a") as scope:
            names += [scope, tf.constant(1.0).name, tf.constant(1.0, name="c").name]
            with tf.name_scope("b"):
                names += [tf.constant(1.0).name, tf.zeros([2]).name]
        with tf.name_scope("a"):
            names.append(tf.constant(1.0).name)
        with tf.name_scope(scope):
            names.append(tf.constant(1.0).name)
        with tf.name_scope(None):
            names.append(tf.constant(1.0, name="top").name)
        return names

    @program
    def variable_scopes():
        made = []
        with tf.variable_scope("layer") as scope:
            made.append(tf.get_variable("w", [2, 2]))
            made.append(tf.matmul(tf.ones([1, 2]), made[0]))
        with tf.variable_scope(scope, reuse=True):
            made.append(tf.get_variable("w", [2, 2]))
            made.append(tf.constant(1.0))
        with tf.variable_scope("layer", reuse=tf.AUTO_REUSE):
            made.append(tf.get_variable("b", [2], initializer=tf.zeros_initializer()))
            made.append(tf.get_variable("c", initializer=1.0))
            made.append(tf.Variable(1.0, name="own"))
            made.append(tf.add(made[0], 1.0, name="sum"))
        return [each.name for each in made]

    @program
    def placeholders():
        made = [tf.placeholder("float32"), tf.placeholder("float32", [2], name="p")]
        made += [
            tf.placeholder_with_default(1.0, [], name="d"),
            tf.placeholder_with_default(1.0, []),
        ]
        return [each.name for each in made]

    @program
    def branches_and_loops():
        x = tf.placeholder("float32", [], name="x")
        y = tf.cond(x > 0.0, lambda: x + 1.0, lambda: x - 1.0)
        n = tf.while_loop(lambda i: i < 10, lambda i: i + 1, [0])
        both = tf.cond(x > 0.0, lambda: (x, y), lambda: (y, x), name="both")
        return [y.name, getattr(n, "name", None) or n[0].name, *[each.name for each in both]]

    @program
    def assignments():
        v = tf.Variable(1.0, name="v")
        made = [tf.assign(v, 2.0), tf.assign_add(v, 1.0), v.assign(3.0, name="set")]
        with tf.control_dependencies(made):
            made.append(tf.identity(v, name="after"))
        group = tf.group(*made, name="all")
        return [made[-1].name, group.name, tf.group(group).name, tf.no_op().name]

    @program
    def a_saver():
        tf.Variable(1.0, name="v")
        tf.Variable([1.0, 2.0], name="w")
        tf.train.Saver()
        return [tf.global_variables_initializer().name, tf.constant(1.0).name]


def _networks(tf, program):
    @program
    def dense_layers():
        x = tf.placeholder("float32", [None, 4], name="x")
        h = tf.layers.dense(x, 3, activation=tf.nn.relu)
        h = tf.layers.dense(h, 3, activation=tf.nn.relu)
        out = tf.layers.dense(h, 2, name="out")
        return [h.name, out.name, *[each.name for each in tf.trainable_variables()]]

    @program
    def convolutional_layers():
        x = tf.placeholder("float32", [None, 8, 8, 3], name="x")
        h = tf.layers.conv2d(x, 4, 3, activation=tf.nn.relu)
        h = tf.layers.max_pooling2d(h, 2, 2)
        f = tf.layers.flatten(h)
        return [h.name, f.name, *[each.name for each in tf.trainable_variables()]]

    @program
    def normalization_and_dropout():
        x = tf.placeholder("float32", [None, 4], name="x")
        h = tf.layers.batch_normalization(x, training=True)
        d = tf.layers.dropout(h, 0.5, training=True)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        return [h.name, d.name, len(updates), *[each.name for each in tf.global_variables()]]
