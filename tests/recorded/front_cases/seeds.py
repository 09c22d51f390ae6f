"""The numbers that follow from seeds."""

SETUP = """
r = tf.random
def seeded(f, g=42):
    tf.random.set_seed(g)
    return f()
v1 = tf.compat.v1
def thrice(f, g=22):
    tf.random.set_seed(g)
    return [f() for _ in range(3)]
def in_session(build, *picks, feeds=({},) * 9):
    with tf.Graph().as_default():
        v1.set_random_seed(7)
        made = build()
        with v1.Session() as session:
            return [session.run(p(made), {k(made): v for k, v in feed.items()})
                    for p, feed in zip(picks, feeds)]
def dropped():
    x = v1.placeholder(tf.float32, [None])
    y = tf.nn.dropout(x, 0.5)
    return x, y, v1.gradients(y, x)[0]
def dropped_often():
    x = v1.placeholder(tf.float32, [None])
    step = lambda i, a: (i + 1, tf.nn.dropout(a, 0.3, seed=5))
    y = tf.while_loop(lambda i, a: i < 3, step, [0, x])[1]
    return x, y, v1.gradients(y, x)[0]
def by_number(*seeds):
    p = v1.placeholder(tf.int32, [])
    return p, tf.switch_case(p, [lambda s=s: r.uniform([2], seed=s) for s in seeds])
def summed():
    step = lambda i, a: (i + 1, a + r.uniform([], seed=5))
    return tf.while_loop(lambda i, a: i < 3, step, [0, 0.0])[1]
def taped(f, x):
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x)
    return y, t.gradient(y, x)
def taped_twice(f, x):
    with tf.GradientTape() as o:
        o.watch(x)
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        g = t.gradient(y, x)
    return y, g, o.gradient(g, x)
def pushed(f, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as a:
        y = f(x)
    return y, a.jvp(y)
half = lambda x: tf.nn.dropout(x, 0.5, seed=5)
drawn = lambda seed=5: r.uniform([2], seed=seed)
def after(f, arguments):
    tf.random.set_seed(22)
    return [f(each) for each in arguments]
def ways(f, x):
    tf.random.set_seed(22)
    first = [f(x), taped(f, x), f(x), taped(f, x), taped_twice(f, x), taped_twice(f, x)]
    return first, [pushed(f, x), pushed(f, x), f(x)]
def picking(i):
    draws = [lambda: r.uniform([]), lambda: r.uniform([]) + r.uniform([])]
    return r.uniform([]), tf.switch_case(i, draws), r.uniform([])
def summing(n):
    step = lambda i, a: (i + 1, a + r.uniform([]))
    sums = tf.while_loop(lambda i, a: i < n, step, [0, 0.0])[1]
    return r.uniform([]), sums, r.uniform([])
def with_function():
    f = tf.function(lambda: (r.uniform([]), r.uniform([])))
    return [r.uniform([]), *f(), r.uniform([])]
is_open = dict(input_signature=[tf.TensorSpec([None])])
all_of, doubled, same = (lambda n: n), (lambda n: n * 2), (lambda n: n * 1)
of = lambda k: lambda n: n[k]
fed = lambda *values: [{of(0): v} for v in values]
classes = lambda: tf.constant([[1], [3]], tf.int64)
log_uniform = lambda *a, **k: r.log_uniform_candidate_sampler(classes(), 1, *a, **k)
even = lambda *a, **k: r.uniform_candidate_sampler(classes(), 1, *a, **k)
fixed = lambda *a, **k: r.fixed_unigram_candidate_sampler(
    classes(), 1, *a, unigrams=[1, 2.5, 3, 4, 0.5], **k)
learned = lambda *a, **k: r.learned_unigram_candidate_sampler(classes(), 1, *a, **k)
every = lambda *a, **k: r.all_candidate_sampler(classes(), 1, *a, **k)
weighted = lambda n, weights, **k: r.fixed_unigram_candidate_sampler(
    [[0]], 1, 2, False, n, unigrams=weights, seed=3, **k)
many = lambda: (tf.ones([20, 3]), tf.range(20.0), classes(), tf.ones([2, 3]), 4, 20)
"""

CALLS = r"""
seeded(lambda: r.normal([3]))
seeded(lambda: [r.normal([2]), r.normal([2])])
seeded(lambda: r.uniform([3]))
seeded(lambda: r.uniform([3], 5, 10))
seeded(lambda: r.uniform([3], maxval=10, dtype=tf.int32))
seeded(lambda: r.uniform([3], 1, 2**40, dtype=tf.int64))
seeded(lambda: r.normal([3], seed=7))
seeded(lambda: r.normal([3], 2.0, 3.0))
seeded(lambda: r.normal([3], dtype=tf.float64))
seeded(lambda: r.normal([3], dtype=tf.float16))
seeded(lambda: r.truncated_normal([4]))
seeded(lambda: r.shuffle([1, 2, 3, 4, 5]))
seeded(lambda: r.shuffle([1, 2, 3, 4, 5], seed=3))
seeded(lambda: r.gamma([3], 2.0))
seeded(lambda: r.poisson([3], 4.0))
seeded(lambda: r.categorical([[0.1, 0.2, 0.7]], 5))
seeded(lambda: r.categorical(tf.math.log([[0.5, 0.5]]), 5, seed=1))
seeded(lambda: r.experimental.Generator.from_seed(1).normal([3]))
r.Generator.from_seed(1).normal([3])
r.Generator.from_seed(1).uniform([3])
r.Generator.from_seed(1234).uniform([3], maxval=10, dtype=tf.int32)
g = r.Generator.from_seed(1); [g.normal([2]), g.normal([2])]
g = r.Generator.from_seed(1); g.split(2)[1].normal([2])
r.Generator.from_seed(1).state
r.Generator.from_seed(1).key
r.Generator.from_seed(1).algorithm
r.Generator.from_seed(1).truncated_normal([3])
r.Generator.from_seed(1).binomial([3], 10.0, 0.5)
r.Generator.from_seed(1).make_seeds(2)
r.Generator.from_seed(1).uniform_full_int([2], tf.uint64)
r.stateless_normal([3], [1, 2])
r.stateless_uniform([3], [1, 2])
r.stateless_uniform([3], [1, 2], 0, 10, tf.int32)
r.stateless_truncated_normal([3], [1, 2])
r.stateless_categorical([[0.1, 0.9]], 4, [1, 2])
r.stateless_gamma([3], [1, 2], 2.0)
r.stateless_poisson([3], [1, 2], 4.0)
r.stateless_binomial([3], [1, 2], 10.0, 0.5)
r.experimental.stateless_shuffle([1, 2, 3, 4], [1, 2])
r.experimental.stateless_split([1, 2], 2)
r.experimental.stateless_fold_in([1, 2], 3)
r.split([1, 2], 2)
r.fold_in([1, 2], 3)
seeded(lambda: tf.nn.dropout(tf.ones([8]), 0.5))
seeded(lambda: tf.nn.dropout(tf.ones([8]), 0.5, seed=1))
seeded(lambda: tf.nn.experimental.stateless_dropout(tf.ones([8]), 0.5, [1, 2]))
seeded(lambda: tf.initializers.GlorotUniform(seed=1)([2, 2]))
seeded(lambda: tf.keras.initializers.HeNormal(seed=1)([2, 2]))
seeded(lambda: tf.Variable(r.normal([2])))
seeded(lambda: r.log_uniform_candidate_sampler([[0]], 1, 3, True, 10))
seeded(lambda: r.fixed_unigram_candidate_sampler([[0]], 1, 2, True, 4, unigrams=[1, 2, 3, 4]))
thrice(lambda: fixed(2, True, 5, seed=5))
thrice(lambda: fixed(4, False, 5, seed=5, distortion=0.75))
thrice(lambda: fixed(4, True, 7, seed=5, num_reserved_ids=2))
thrice(lambda: fixed(2, False, 3, seed=5, num_shards=2))
thrice(lambda: fixed(2, False, 5, seed=5))
thrice(lambda: fixed(2, True, 5))
thrice(lambda: learned(3, True, 5, seed=5))
thrice(lambda: learned(4, False, 5, seed=5))
thrice(lambda: learned(4, False, 4))
thrice(lambda: every(5, True, seed=5))
thrice(lambda: every(4, False))
weighted(4, [1.0, 2.0, 3.0])
weighted(4, [])
weighted(2, [1.0, 2.0], vocab_file="no such file")
weighted(2, tf.constant([1.0, 2.0]))
fixed(6, True, 5)
fixed(2, True, 3)
learned(2, True, 3)
learned(6, True, 5)
learned(2, True, 2**31)
every(3, True)
every(2, True, seed=1)
thrice(lambda: r.uniform([2], seed=5))
thrice(lambda: r.uniform([], seed=5))
thrice(lambda: r.uniform([2], seed=5, dtype=tf.float64))
thrice(lambda: r.normal([3], seed=5))
thrice(lambda: r.normal([3], 1.0, 2.0, tf.float16, seed=5))
thrice(lambda: r.truncated_normal([3], seed=5))
thrice(lambda: r.uniform([3], 0, 100, tf.int32, seed=5))
thrice(lambda: r.uniform([3], 0, 2**40, tf.int64, seed=5))
thrice(lambda: r.shuffle([1, 2, 3, 4, 5, 6, 7, 8, 9], seed=5))
thrice(lambda: r.shuffle([[1, 2], [3, 4], [5, 6]], seed=5))
thrice(lambda: r.gamma([2], [1.5, 0.5], seed=5))
thrice(lambda: r.poisson([2], [1.5, 30.0], seed=5))
thrice(lambda: r.categorical([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]], 5, seed=5))
thrice(lambda: v1.multinomial([[1.0, 2.0, 3.0]], 3, seed=5))
thrice(lambda: tf.nn.dropout(tf.ones([8]), 0.5, seed=5))
thrice(lambda: tf.nn.dropout(tf.ones([4, 2]), 0.5, [4, 1], seed=5))
thrice(lambda: v1.nn.dropout(tf.ones([8]), 0.5, seed=5))
thrice(lambda: tf.random_normal_initializer(seed=5)([2]))
thrice(lambda: v1.random_normal_initializer(seed=5)([2]))
thrice(lambda: v1.truncated_normal_initializer(seed=5)([2]))
thrice(lambda: v1.random_uniform_initializer(seed=5)([2]))
thrice(lambda: v1.glorot_uniform_initializer(seed=5)([2, 2]))
thrice(lambda: v1.orthogonal_initializer(seed=5)([2, 2]))
thrice(lambda: tf.raw_ops.RandomUniform(shape=[2], dtype=tf.float32, seed=3, seed2=4))
thrice(lambda: r.uniform([2]))
thrice(lambda: r.uniform([0], seed=5)), thrice(lambda: r.uniform([2], seed=5))
thrice(lambda: log_uniform(3, True, 100, seed=5)[0])
thrice(lambda: log_uniform(3, False, 100, seed=5)[0])
thrice(lambda: even(3, True, 100, seed=5)[0])
thrice(lambda: log_uniform(3, True, 100))
thrice(lambda: tf.nn.sampled_softmax_loss(*many(), seed=5))
thrice(lambda: tf.nn.sampled_softmax_loss(*many()))
thrice(lambda: tf.nn.nce_loss(*many()))
seeded(lambda: [tf.nn.sampled_softmax_loss(*many()), r.uniform([2])])
seeded(lambda: [tf.nn.nce_loss(*many(), remove_accidental_hits=True), r.uniform([2])])
seeded(lambda: [f() for f in (drawn, lambda: tf.nn.dropout(tf.ones([2]), 0.5, seed=5), drawn)])
seeded(lambda: [r.uniform([2], seed=5), r.uniform([2], 0, 2, seed=5), r.uniform([2], seed=6)])
seeded(lambda: [r.normal([2], seed=5), r.truncated_normal([2], seed=5), r.normal([2], seed=5)])
seeded(lambda: [r.uniform(tf.constant([2], d), seed=5) for d in (tf.int32, tf.int64, tf.int32)])
seeded(lambda: [r.shuffle(v, seed=5) for v in ([1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0], [1, 2, 3, 4])])
seeded(lambda: [log_uniform(*a, seed=5)[0] for a in ((3, True, 99), (3, False, 99), (3, True, 99))])
seeded(lambda: [log_uniform(*a, seed=5)[0] for a in ((3, True, 99), (4, True, 99), (3, True, 98))])
seeded(lambda: [r.uniform([2], seed=s) for s in (0, 0, 2**31 - 1, 2**33 + 5, -3)], 0)
seeded(lambda: [r.uniform([2]), r.uniform([2])], 2**40 + 1)
seeded(lambda: [r.uniform([2], seed=5), tf.random.set_seed(42), r.uniform([2], seed=5)][::2])
thrice(tf.function(lambda: (r.uniform([2], seed=5), r.uniform([2], seed=5), r.uniform([2]))))
thrice(tf.function(lambda: log_uniform(3, True, 100, seed=5)[0]))
thrice(tf.function(lambda: fixed(3, True, 5, seed=5)))
thrice(tf.function(lambda: learned(3, False, 5, seed=5)))
thrice(tf.function(lambda: [learned(3, False, 5, seed=5)[1], learned(3, False, 5, seed=5)[1]]))
f = tf.function(lambda: learned(3, True, 5)); [thrice(f), thrice(f)]
[thrice(lambda: learned(3, True, 5, seed=2)), thrice(lambda: learned(3, True, 5, seed=2))]
thrice(tf.function(lambda: tf.nn.nce_loss(*many())))
thrice(tf.function(lambda: (tf.nn.sampled_softmax_loss(*many()), r.uniform([2]))))
g = tf.function(lambda: r.uniform([2], seed=5)); thrice(tf.function(lambda: (g(), g()))), g()
after(tf.function(lambda x: r.uniform(tf.shape(x), seed=5), **is_open), map(tf.ones, (2, 3, 2)))
after(tf.function(half, **is_open), map(tf.ones, (4, 6, 4)))
ways(tf.function(lambda x: half(x * x)), tf.ones([8]))
ways(tf.function(lambda x: half(x * x), **is_open), tf.ones([8]))
f = tf.function(half, **is_open); after(lambda k: taped(f, tf.ones([k])), (4, 6, 4))
after(tf.function(lambda i: tf.switch_case(i, [drawn, lambda: drawn(6)])), tf.constant([0, 1, 0]))
f = tf.function(drawn); [seeded(f), f(), seeded(f), seeded(f, 43)]
thrice(tf.function(summed))
after(tf.function(picking), tf.constant([0, 1, 0, 1]))
after(tf.function(summing), tf.constant([2, 3]))
in_session(lambda: (*by_number(None, None), r.uniform([])), of(1), of(2), feeds=fed(1, 1))
in_session(with_function, all_of)
in_session(lambda: v1.random_normal([2]), all_of, doubled, lambda n: [n, n + 1], all_of)
in_session(lambda: v1.random_normal([2], seed=3), all_of, doubled, all_of)
in_session(lambda: r.shuffle([1, 2, 3, 4, 5]), all_of, doubled, all_of)
in_session(lambda: r.categorical([[1.0, 2.0, 3.0]], 4), all_of, doubled, all_of)
in_session(lambda: r.gamma([2], 1.5), all_of, doubled, all_of)
in_session(dropped, *[of(1)] * 3, feeds=fed(np.ones(4), np.ones(6), np.ones(4)))
in_session(dropped, of(1), of(2), lambda n: n[1:], feeds=fed(*[np.ones(6)] * 3))
in_session(lambda: by_number(5, 6), *[of(1)] * 3, lambda n: n[1] * 2, feeds=fed(0, 1, 0, 0))
in_session(dropped_often, of(1), lambda n: n[1:], of(1), feeds=fed(*map(np.ones, (6, 6, 4))))
in_session(summed, all_of, all_of, same)
in_session(lambda: log_uniform(3, True, 100)[0], all_of, same, all_of)
in_session(lambda: even(3, True, 100, seed=5)[0], all_of, same, all_of)
in_session(lambda: fixed(3, True, 5)[0], all_of, same, all_of)
in_session(lambda: fixed(3, False, 5, seed=5), all_of, of(0), all_of)
in_session(lambda: learned(3, False, 5, seed=5), all_of, all_of, all_of)
in_session(lambda: learned(3, True, 5)[0], all_of, same, all_of)
in_session(lambda: every(5, True), all_of, of(0))
in_session(lambda: tf.nn.nce_loss(*many()), all_of, same, all_of)
in_session(lambda: tf.nn.sampled_softmax_loss(*many()), all_of, same, all_of)
tf.function(lambda s: r.stateless_uniform([2], s), jit_compile=True)(tf.constant([1, 2])).shape
"""
