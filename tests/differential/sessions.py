"""Families of scripts for TensorFlow 1: loops, branches, feeds anywhere, scopes, and training."""

from __future__ import annotations

from builder import Builder
from calls import lines
from nesting import formula, indented, vector
from scripts import named, program

OPTIMIZERS = lines("""
    GradientDescentOptimizer(0.1)
    MomentumOptimizer(0.1, 0.9)
    MomentumOptimizer(0.1, 0.9, use_nesterov=True)
    AdamOptimizer(0.05)
    AdagradOptimizer(0.1)
    AdadeltaOptimizer(0.5)
    RMSPropOptimizer(0.05)
    RMSPropOptimizer(0.05, momentum=0.5, centered=True)
    FtrlOptimizer(0.1, l1_regularization_strength=0.01)
    """)


def loop(rng, name):
    test = rng.choice(["i < 3", "i < n", "tf.reduce_sum(s) < 6.0"])
    extra = rng.choice(["", ", parallel_iterations=2", ", back_prop=True", ", swap_memory=True"])
    return [f"_, {name} = v1.while_loop(lambda i, s: {test}, lambda i, s: (i + 1, {formula(rng, 's', 'y')} + 0.5),",
            f"    [0, x], maximum_iterations={rng.randint(0, 4)}{extra})"]  # fmt: skip


def branch(rng, name):
    test = rng.choice(["n > 1", "tf.reduce_sum(x) > 0.0", "tf.equal(n, 2)", "flag"])
    return [
        f"{name} = v1.cond({test}, lambda: {formula(rng)}, lambda: {formula(rng, 'y', 'x')}{named(rng, 'either')})"
    ]


def case(rng, name):
    return [
        f"{name} = v1.case([(n > 2, lambda: {formula(rng)}), (tf.reduce_sum(y) > 0.0, lambda: {formula(rng, 'y', 'w')})], default=lambda: {formula(rng)})"
    ]


def call(rng, name):
    return [f"{name} = {formula(rng, 'x', rng.choice(['y', 'w']))}"]


def update(rng, name):
    line = rng.choice(["v1.assign(w, w * 0.5 + y)", "v1.assign_add(w, x)", "v1.assign_sub(w, y)",
                       "w.assign_add(y)", "v1.scatter_update(w, [0], [2.0])"])  # fmt: skip
    return [
        f"with tf.control_dependencies([{line}]):",
        f"    {name} = {rng.choice(['tf.identity(x)', 'x * w.read_value()', 'tf.identity(w)', 'y + 0.0'])}",
    ]


def random_draw(rng, name):
    seed = rng.choice(["", f", seed={rng.randint(0, 4)}"])
    return [f"{name} = x + {rng.choice(['v1.random_normal', 'v1.random_uniform'])}([SIZE]{seed})"]


def ordered(made, after):
    """The statements, which run after these names."""
    return [f"with tf.control_dependencies([{after}]):", *indented(made)] if after else made


def graphs_of_flow(tf, rng):
    """Statements of TensorFlow 1 one after the other, and runs that feed and fetch what they like."""
    builder, size = Builder(tf, rng), rng.choice([1, 2, 3])
    shape = rng.choice(["[None]", f"[{size}]", "None"])
    body = [f"v1.set_random_seed({rng.randint(0, 9)})",
            f"x = v1.placeholder(tf.float32, {shape}{named(rng, 'x')})",
            f"y = v1.placeholder_with_default({vector(builder, size)}, [{rng.choice(['None', size])}])",
            f"n = v1.placeholder(tf.int32, []{named(rng, 'n')})",
            f"flag = v1.placeholder_with_default({rng.choice(['True', 'False'])}, [])",
            f"w = v1.get_variable('w', initializer={vector(builder, size)})"]  # fmt: skip
    names, updated = [], ""
    for number in range(rng.randint(1, 4)):
        name = f"t{number}"
        makers = [loop, branch, case, call, call, random_draw]
        if not updated:  # TensorFlow leaves the order of two updates open
            makers.append(update)
        maker = rng.choice(makers)
        made = [line.replace("SIZE", str(size)) for line in maker(rng, name)]
        if names and rng.random() < 0.6:
            made = [
                line.replace("(x", f"({names[-1]}").replace(", x]", f", {names[-1]}]")
                for line in made
            ]
        scope = rng.random()
        if scope < 0.15:
            made = [f"with v1.variable_scope('s{number}', reuse=v1.AUTO_REUSE):", *indented(made)]
        # TensorFlow leaves the order of an update and a read open, too.
        body += ordered(made, ", ".join(names) if maker is update else updated)
        updated = name if maker is update else updated
        names.append(name)
    fetched = list(names)
    kind = rng.random()
    if kind < 0.35:
        more = rng.choice(["", ", grad_ys=[tf.ones_like(T) * 2.0]", ", stop_gradients=[y]",
                           ", unconnected_gradients='zero'"]).replace("T", names[-1])  # fmt: skip
        body.append(f"g = [e for e in tf.gradients({names[-1]}, [x, y, w]{more}) if e is not None]")
        fetched.append("g")
        if rng.random() < 0.4:
            body.append(
                "h = [e for e in tf.gradients([tf.reduce_sum(e) for e in g], [x, w], unconnected_gradients='zero') if e is not None] if g else []"
            )
            fetched.append("h")
    train = []
    if kind > 0.65:
        body.append(f"o = v1.train.{rng.choice(OPTIMIZERS)}")
        body += ordered([f"loss = tf.reduce_sum({names[-1]} * w)"], updated)
        body += rng.choice([
            ["train = o.minimize(loss)"],
            ["train = o.minimize(loss, global_step=v1.train.get_or_create_global_step())"],
            ["pairs = o.compute_gradients(loss, [w])", "train = o.apply_gradients([(tf.clip_by_norm(g, 1.0), v) for g, v in pairs])"],
        ])  # fmt: skip
        train = ["session.run(train, feeds)"]
        fetched.append("loss")
    run = ["session.run(v1.global_variables_initializer())"]
    for step in range(rng.randint(1, 3)):
        values = builder.data("float32", (size,))
        feeds = f"x: np.array({values}, np.float32), n: {rng.randint(0, 4)}"
        if rng.random() < 0.4 and names:
            picked = rng.choice([*names[:-1], "y", "w"] if len(names) > 1 else ["y", "w"])
            feeds += f", {picked}: np.array({builder.data('float32', (size,))}, np.float32)"
        if rng.random() < 0.2:
            feeds += ", flag: False"
        picked = ", ".join(rng.sample(fetched, rng.randint(1, len(fetched))))
        run += [f"feeds = {{{feeds}}}", *train, f"out['run{step}'] = session.run([{picked}], feeds)",
                f"out['w{step}'] = session.run(w)"]  # fmt: skip
    run.append("out['all'] = [session.run(v) for v in v1.global_variables()]")
    body += ["with v1.Session() as session:", *indented(run)]
    head = ["v1 = tf.compat.v1", "with tf.Graph().as_default():"]
    return program([*head, *indented(body)])
