"""Families of programs that run unchanged: random numbers, graphs with sessions, and functions."""

from __future__ import annotations

from builder import Builder
from calls import ELEMENTWISE, REDUCED, SHAPES, lines

SCRIPT = ("script",)


def program(statements) -> tuple[str, tuple[str, ...]]:
    return "\n".join(statements) + "\n", SCRIPT


DRAWS = lines("""
    tf.random.normal([2]{seed})
    tf.random.uniform([3]{seed})
    tf.random.normal([2, 2], 1.0, 2.0{seed})
    tf.random.uniform([4], 0, 100, tf.int32{seed})
    tf.random.truncated_normal([3]{seed})
    tf.random.shuffle(tf.range(6){seed})
    tf.nn.dropout(tf.ones([6]), 0.5{seed})
    tf.random.uniform([2], -1.0, 1.0, tf.float64{seed})
    tf.random.gamma([3], 2.0{seed})
    tf.random.categorical(tf.zeros([1, 4]), 5{seed})
    tf.random.poisson([4], 3.0{seed})
    tf.random.normal([3], dtype=tf.float64{seed})
    tf.random.normal([2], dtype=tf.float16{seed})
    """)
OF_GENERATORS = lines("""
    normal([3])
    uniform([2])
    uniform([3], 0, 9, tf.int32)
    make_seeds(2)
    truncated_normal([2])
    uniform_full_int([2], tf.int32)
    split(2)[0].normal([2])
    """)
STATELESS = lines("""
    tf.random.stateless_normal([3], {seed})
    tf.random.stateless_uniform([2, 2], {seed})
    tf.random.stateless_truncated_normal([4], {seed})
    tf.random.stateless_gamma([3], {seed}, 2.0)
    tf.random.stateless_poisson([3], {seed}, 2.0)
    tf.random.experimental.stateless_shuffle(tf.range(5), {seed})
    tf.random.stateless_categorical(tf.zeros([1, 3]), 4, {seed})
    tf.random.stateless_binomial([3], {seed}, 5.0, 0.5)
    tf.random.stateless_uniform([3], {seed}, 0, 50, tf.int64)
    tf.random.stateless_uniform([3], {seed}, None, None, tf.int32)
    """)


def drawn(rng) -> str:
    return rng.choice(DRAWS).format(seed=rng.choice(["", "", f", seed={rng.randint(0, 5)}"]))


def drawn_eagerly(rng):
    for number in range(rng.randint(1, 5)):
        call = drawn(rng)
        yield f"out['r{number}'] = {call}"
        if rng.random() < 0.3:
            yield f"out['again{number}'] = {call}"
        if rng.random() < 0.1:
            yield f"tf.random.set_seed({rng.randint(0, 9)})"


def drawn_in_functions(rng):
    count = rng.randint(1, 3)
    yield from ("@tf.function", "def f():", *(f"    r{i} = {drawn(rng)}" for i in range(count)))
    yield f"    return [{', '.join(f'r{i}' for i in range(count))}]"
    calls = ["f()"]
    if rng.random() < 0.4:
        yield from ("@tf.function", "def g():", f"    return [f(), {drawn(rng)}]")
        calls.append("g()")
    for number in range(rng.randint(1, 4)):
        yield f"out['c{number}'] = {rng.choice([*calls, drawn(rng)])}"


def drawn_in_graphs(rng):
    yield "with tf.Graph().as_default(), tf.compat.v1.Session() as session:"
    yield f"    tf.compat.v1.set_random_seed({rng.randint(0, 50)})"
    names = [f"r{i}" for i in range(rng.randint(1, 3))]
    yield from (f"    {name} = {drawn(rng)}" for name in names)
    for step in range(rng.randint(1, 4)):
        fetched = ", ".join(rng.sample(names, rng.randint(1, len(names))))
        yield f"    out['s{step}'] = session.run([{fetched}])"


def drawn_by_generators(rng):
    yield f"g = tf.random.Generator.from_seed({rng.randint(0, 99)})"
    for number in range(rng.randint(1, 4)):
        yield f"out['g{number}'] = g.{rng.choice(OF_GENERATORS)}"


def drawn_without_state(rng):
    for number in range(rng.randint(1, 3)):
        seed = [rng.randint(0, 9), rng.randint(0, 9)]
        yield f"out['s{number}'] = {rng.choice(STATELESS).format(seed=seed)}"


def random_numbers(tf, rng):
    seed = [f"tf.random.set_seed({rng.randint(0, 50)})"] if rng.random() < 0.8 else []
    ways = (drawn_eagerly, drawn_in_functions, drawn_in_graphs, drawn_by_generators)
    return program([*seed, *rng.choice((*ways, drawn_without_state))(rng)])


OPTIMIZERS = lines("""
    GradientDescentOptimizer(0.1)
    MomentumOptimizer(0.1, 0.9)
    AdamOptimizer(0.05)
    AdagradOptimizer(0.1)
    RMSPropOptimizer(0.05)
    """)


def named(rng, name) -> str:
    return f", name={name!r}" if rng.random() < 0.3 else ""


def layer(builder, width, hidden) -> list[str]:
    """A layer with its loss, perhaps in a scope."""
    rng, numbers = builder.rng, builder.data("float32", (width, hidden))
    activation = rng.choice(["tf.nn.relu", "tf.tanh", "tf.sigmoid", "tf.identity", "tf.nn.softmax"])
    aim = rng.choice(["0.5", "tf.ones_like(z)", "y"])
    first = f"tf.constant({numbers}, tf.float32, {[width, hidden]})"
    body = [
        f"w = v1.get_variable('w', initializer={first})",
        rng.choice([
            f"b = v1.get_variable('b', [{hidden}], initializer=v1.zeros_initializer())",
            f"b = v1.Variable(tf.zeros([{hidden}]){named(rng, 'b')})",
        ]),
        f"y = tf.matmul(x, w{named(rng, 'product')}) + b",
        f"z = {activation}(y{named(rng, 'out')})",
    ]  # fmt: skip
    scope = rng.choice([None, "variable_scope('layer')", "name_scope('net')"])
    if scope:
        body = [f"with v1.{scope}:", *(f"    {line}" for line in body)]
    return [*body, f"loss = tf.reduce_mean(tf.square(z - {aim}){named(rng, 'loss')})"]


def more_calls(builder, shape) -> tuple[list[str], list[str]]:
    """(statements, names of their results) made of the layer's output alone."""
    builder.names |= {"z": builder.tf.ones(shape)}
    builder.values["z"] = "float32", shape
    body, names = [], []
    for _ in range(builder.rng.randint(0, 3)):
        template = builder.rng.choice(builder.rng.choice([ELEMENTWISE, REDUCED, SHAPES]))
        is_kept = builder.call(template, 0.0)
        if builder.inputs:  # it takes another tensor than that
            builder.inputs.clear()
            builder.values = {"z": ("float32", shape)}
        elif is_kept:
            body.append(builder.lines[-1])
            names.append(builder.results[-1])
    return body, names


def shown(name) -> list[str]:
    """Statements that keep the static shapes and the names of tensors."""
    leaves = f"tf.nest.flatten({name})"
    shapes = f"[None if t.shape.rank is None else t.shape.as_list() for t in {leaves}]"
    return [f"out['{name} is'] = {shapes}", f"out['{name} name'] = [t.name for t in {leaves}]"]


def graphs(tf, rng):
    """A graph of TensorFlow 1: placeholders, variables, scopes, an optimizer, names and shapes."""
    builder = Builder(tf, rng, most_inputs=2)
    batch, width, hidden = rng.randint(1, 4), rng.randint(1, 3), rng.randint(1, 3)
    rows = rng.choice(["None", str(batch)])
    more, names = more_calls(builder, (batch, hidden))
    body = [f"x = v1.placeholder(tf.float32, [{rows}, {width}]{named(rng, 'x')})"]
    body += [*layer(builder, width, hidden), *more]
    names = ["y", "z", "loss", *names]
    train, fetched = [], list(names)
    kind = rng.random()
    if kind < 0.4:
        body.append(f"train = v1.train.{rng.choice(OPTIMIZERS)}.minimize(loss)")
        train = ["    session.run(train, feeds)"]
    elif kind < 0.7:
        body.append("grads = tf.gradients(loss, [w, b])")
        fetched.append("grads")
    for name in names:
        body += shown(name)
    values = builder.data("float32", (batch, width))
    body += ["with v1.Session() as session:",
             "    session.run(v1.global_variables_initializer())",
             f"    feeds = {{x: np.array({values}, np.float32).reshape({[batch, width]})}}"]  # fmt: skip
    for step in range(rng.randint(1, 2)):
        picked = ", ".join(rng.sample(fetched, rng.randint(1, len(fetched))))
        body += [*train, f"    out['run{step}'] = session.run([{picked}], feeds)"]
    body += ["    out['w'], out['b'] = session.run([w, b])",
             "out['variables'] = [v.name for v in v1.global_variables()]"]  # fmt: skip
    head = ["v1 = tf.compat.v1", "with tf.Graph().as_default():"]
    return program([*head, *(f"    {line}" for line in body)])


ARGUMENTS = lines("""
    1
    2.0
    True
    'a'
    tf.constant(1.0)
    tf.constant([1.0, 2.0])
    tf.constant([1, 2])
    np.array([1.0, 2.0], np.float32)
    (1.0, tf.constant(2.0))
    [tf.constant(1.0)]
    None
    {'k': tf.constant([3.0])}
    tf.constant([[1.0], [2.0]])
    tf.Variable([1.0, 2.0])
    """)
SIGNATURES = ["", "", "", "(reduce_retracing=True)",
              "(input_signature=[tf.TensorSpec([None], tf.float32)])",
              "(input_signature=[tf.TensorSpec([None, 2], tf.float32)])"]  # fmt: skip
BODIES = lines("""
    tf.nest.map_structure(lambda t: tf.cast(t, tf.float32) * 2.0, a)
    a
    (a, {'again': a})
    [a, None, 3]
    tf.convert_to_tensor(a) + 1
    tf.shape(a)
    {'x': a, 'y': (1.5, a)}
    """)


def functions(tf, rng):
    """Functions: when they are traced again, what they take and give back."""
    signature = rng.choice(SIGNATURES)
    more = (
        ""
        if "signature" in signature
        else rng.choice(["", ", b=2.0", ", b=None", ", *rest", ", **more"])
    )
    statements = ["traces = []", f"@tf.function{signature}", f"def f(a{more}):",
                  "    traces.append(1)", f"    return {rng.choice(BODIES)}"]  # fmt: skip
    for number in range(rng.randint(1, 5)):
        given = rng.choice(ARGUMENTS) + (rng.choice(["", "", ", b=3.0", ", 4.0"]) if more else "")
        statements += ["try:", f"    out['c{number}'] = f({given})", "except Exception as error:",
                       f"    out['e{number}'] = error", f"out['n{number}'] = len(traces)"]  # fmt: skip
    return program(statements)
