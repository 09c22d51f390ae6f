"""Families of programs that run as they are: random numbers, graphs with sessions, and functions."""

from __future__ import annotations

from builder import Builder
from calls import ELEMENTWISE, REDUCED, SHAPES

DRAWS = [
    "tf.random.normal([2]{seed})", "tf.random.uniform([3]{seed})", "tf.random.normal([2, 2], 1.0, 2.0{seed})",
    "tf.random.uniform([4], 0, 100, tf.int32{seed})", "tf.random.truncated_normal([3]{seed})",
    "tf.random.shuffle(tf.range(6){seed})", "tf.nn.dropout(tf.ones([6]), 0.5{seed})",
    "tf.random.uniform([2], -1.0, 1.0, tf.float64{seed})", "tf.random.gamma([3], 2.0{seed})",
    "tf.random.categorical(tf.zeros([1, 4]), 5{seed})", "tf.random.poisson([4], 3.0{seed})",
    "tf.random.normal([3], dtype=tf.float64{seed})", "tf.random.normal([2], dtype=tf.float16{seed})",
]  # fmt: skip


def drawn(rng) -> str:
    return rng.choice(DRAWS).format(seed=rng.choice(["", "", f", seed={rng.randint(0, 5)}"]))


def random_numbers(tf, rng):
    lines, count = [], 0
    if rng.random() < 0.8:
        lines.append(f"tf.random.set_seed({rng.randint(0, 50)})")
    kind = rng.choice(["eager", "function", "graph", "generator", "stateless"])
    if kind == "eager":
        for count in range(rng.randint(1, 5)):
            call = drawn(rng)
            lines.append(f"out['r{count}'] = {call}")
            if rng.random() < 0.3:
                lines.append(f"out['again{count}'] = {call}")
            if rng.random() < 0.1:
                lines.append(f"tf.random.set_seed({rng.randint(0, 9)})")
    elif kind == "function":
        body = [f"r{i} = {drawn(rng)}" for i in range(rng.randint(1, 3))]
        lines += ["@tf.function", "def f():", *(f"    {each}" for each in body)]
        lines += [f"    return [{', '.join(f'r{i}' for i in range(len(body)))}]"]
        if rng.random() < 0.4:
            lines += ["@tf.function", "def g():", f"    return [f(), {drawn(rng)}]"]
        names = ["f"] + (["g"] if "def g():" in lines else [])
        for count in range(rng.randint(1, 4)):
            lines.append(
                f"out['c{count}'] = {rng.choice([*(n + '()' for n in names), drawn(rng)])}"
            )
    elif kind == "graph":
        lines = ["with tf.Graph().as_default(), tf.compat.v1.Session() as session:"]
        if rng.random() < 0.7:
            lines.append(f"    tf.compat.v1.set_random_seed({rng.randint(0, 50)})")
        count = rng.randint(1, 3)
        lines += [f"    r{i} = {drawn(rng)}" for i in range(count)]
        names = [f"r{i}" for i in range(count)]
        for step in range(rng.randint(1, 4)):
            fetched = ", ".join(rng.sample(names, rng.randint(1, count)))
            lines.append(f"    out['s{step}'] = session.run([{fetched}])")
    elif kind == "generator":
        lines.append(f"g = tf.random.Generator.from_seed({rng.randint(0, 99)})")
        for count in range(rng.randint(1, 4)):
            call = rng.choice(["normal([3])", "uniform([2])", "uniform([3], 0, 9, tf.int32)", "make_seeds(2)",
                               "truncated_normal([2])", "uniform_full_int([2], tf.int32)", "split(2)[0].normal([2])"])  # fmt: skip
            lines.append(f"out['g{count}'] = g.{call}")
    else:
        for count in range(rng.randint(1, 3)):
            seed = [rng.randint(0, 9), rng.randint(0, 9)]
            call = rng.choice(["normal([3], {})", "uniform([2, 2], {})", "truncated_normal([4], {})",
                               "gamma([3], {}, 2.0)", "poisson([3], {}, 2.0)", "shuffle(tf.range(5), {})",
                               "categorical(tf.zeros([1, 3]), 4, {})", "binomial([3], {}, 5.0, 0.5)",
                               "uniform([3], {}, 0, 50, tf.int64)", "uniform([3], {}, None, None, tf.int32)"])  # fmt: skip
            name = "random.experimental.stateless_shuffle" if call.startswith("shuffle") else None
            lines.append(f"out['s{count}'] = tf.{name or 'random.stateless_' + call.split('(')[0]}"
                         f"({call.split('(', 1)[1].format(seed)}")  # fmt: skip
    return "\n".join(lines) + "\n", ("script",)


OPTIMIZERS = ["GradientDescentOptimizer(0.1)", "MomentumOptimizer(0.1, 0.9)", "AdamOptimizer(0.05)",
              "AdagradOptimizer(0.1)", "RMSPropOptimizer(0.05)"]  # fmt: skip


def graphs(tf, rng):
    """A graph of TensorFlow 1: placeholders, variables, scopes, an optimizer, names and shapes."""
    builder = Builder(tf, rng, most_inputs=2)
    batch, width, hidden = rng.randint(1, 4), rng.randint(1, 3), rng.randint(1, 3)
    body = [
        f"x = v1.placeholder(tf.float32, [{rng.choice(['None', str(batch)])}, {width}]{named(rng, 'x')})"
    ]
    values = builder.data("float32", (batch, width))
    feed = f"np.array({values}, np.float32).reshape({[batch, width]})"
    scope = rng.choice([None, "layer", "net"])
    indent = ""
    if scope:
        which = rng.choice(["variable_scope", "name_scope"])
        body.append(f"with v1.{which}({scope!r}):")
        indent = "    "
    weights = builder.data("float32", (width, hidden))
    body += [
        f"{indent}w = v1.get_variable('w', initializer=tf.constant({weights}, tf.float32, {[width, hidden]}))",
        f"{indent}b = {rng.choice(['v1.get_variable', 'v1.Variable'])}({{}})".format(
            f"'b', [{hidden}], initializer=v1.zeros_initializer()" if False else ""
        ),
    ]
    body[-1] = rng.choice([
        f"{indent}b = v1.get_variable('b', [{hidden}], initializer=v1.zeros_initializer())",
        f"{indent}b = v1.Variable(tf.zeros([{hidden}]){named(rng, 'b')})",
    ])  # fmt: skip
    activation = rng.choice(["tf.nn.relu", "tf.tanh", "tf.sigmoid", "tf.identity", "tf.nn.softmax"])
    body += [f"{indent}y = tf.matmul(x, w{named(rng, 'product')}) + b",
             f"{indent}z = {activation}(y{named(rng, 'out')})",
             f"loss = tf.reduce_mean(tf.square(z - {rng.choice(['0.5', 'tf.ones_like(z)', 'y'])}){named(rng, 'loss')})"]  # fmt: skip
    shown = ["y", "z", "loss"]
    builder.names |= {"z": tf.ones([batch, hidden])}
    builder.values["z"] = "float32", (batch, hidden)
    for _ in range(rng.randint(0, 3)):
        template = rng.choice([ELEMENTWISE, REDUCED, SHAPES][rng.randint(0, 2)])
        if builder.call(template, 0.0) and not builder.inputs:
            body.append(builder.lines[-1])
            shown.append(builder.results[-1])
        elif builder.inputs:
            builder.inputs.clear()
            builder.values = {"z": ("float32", (batch, hidden))}
    gradient = rng.random()
    fetched = list(shown)
    if gradient < 0.4:
        body.append(f"train = v1.train.{rng.choice(OPTIMIZERS)}.minimize(loss)")
    elif gradient < 0.7:
        body.append("grads = tf.gradients(loss, [w, b])")
        fetched.append("grads")
    lines = [
        "v1 = tf.compat.v1",
        "with tf.Graph().as_default():",
        *(f"    {each}" for each in body),
    ]
    for name in shown:
        lines.append(f"    out['{name} is'] = [t.shape.as_list() for t in tf.nest.flatten({name})]"
                     f" if all(t.shape.rank is not None for t in tf.nest.flatten({name})) else None")  # fmt: skip
        lines.append(f"    out['{name} name'] = [t.name for t in tf.nest.flatten({name})]")
    lines += ["    with v1.Session() as session:",
              "        session.run(v1.global_variables_initializer())",
              f"        feeds = {{x: {feed}}}"]  # fmt: skip
    for step in range(rng.randint(1, 2)):
        if gradient < 0.4:
            lines.append("        session.run(train, feeds)")
        picked = rng.sample(fetched, rng.randint(1, len(fetched)))
        lines.append(f"        out['run{step}'] = session.run([{', '.join(picked)}], feeds)")
    lines.append("        out['w'], out['b'] = session.run([w, b])")
    lines.append("    out['variables'] = [v.name for v in v1.global_variables()]")
    return "\n".join(lines) + "\n", ("script",)


def named(rng, name):
    return f", name={name!r}" if rng.random() < 0.3 else ""


ARGUMENTS = ["1", "2.0", "True", "'a'", "tf.constant(1.0)", "tf.constant([1.0, 2.0])", "tf.constant([1, 2])",
             "np.array([1.0, 2.0], np.float32)", "(1.0, tf.constant(2.0))", "[tf.constant(1.0)]", "None",
             "{'k': tf.constant([3.0])}", "tf.constant([[1.0], [2.0]])", "tf.Variable([1.0, 2.0])"]  # fmt: skip


def functions(tf, rng):
    """Functions: when they are traced again, what they take and give back."""
    lines = ["traces = []"]
    signature = rng.choice(["", "", "", "(reduce_retracing=True)",
                            "(input_signature=[tf.TensorSpec([None], tf.float32)])",
                            "(input_signature=[tf.TensorSpec([None, 2], tf.float32)])"])  # fmt: skip
    default = (
        rng.choice(["", ", b=2.0", ", b=None", ", *rest", ", **more"])
        if "signature" not in signature
        else ""
    )
    body = rng.choice(["tf.nest.map_structure(lambda t: tf.cast(t, tf.float32) * 2.0, a)", "a", "(a, {'again': a})",
                       "[a, None, 3]", "tf.convert_to_tensor(a) + 1", "tf.shape(a)", "{'x': a, 'y': (1.5, a)}"])  # fmt: skip
    lines += [
        f"@tf.function{signature}",
        f"def f(a{default}):",
        "    traces.append(1)",
        f"    return {body}",
    ]
    for count in range(rng.randint(1, 5)):
        given = rng.choice(ARGUMENTS)
        more = (
            rng.choice(["", "", ", b=3.0", ", 4.0"])
            if default.startswith((", b", ", *r", ", **"))
            else ""
        )
        lines += ["try:", f"    out['c{count}'] = f({given}{more})", "except Exception as error:",
                  f"    out['e{count}'] = error", f"out['n{count}'] = len(traces)"]  # fmt: skip
    return "\n".join(lines) + "\n", ("script",)
