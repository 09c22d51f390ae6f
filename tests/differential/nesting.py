"""Families of scripts in which functions meet: gradients of one's own, Python inside of graphs,
modules, functions in functions, and random numbers in loops and branches."""

from __future__ import annotations

from builder import Builder
from calls import lines
from scripts import drawn, program

FORMULAS = lines("""
    tf.tanh({x}) * {y}
    {x} * {y} + 1.0
    tf.sin({x}) - {y} * 0.5
    tf.nn.relu({x}) + tf.square({y})
    tf.exp(-tf.abs({x})) * {y}
    tf.where({x} > {y}, {x} * 2.0, {y})
    tf.reduce_sum({x}) * {y}
    tf.cumsum({x}) - {y}
    tf.maximum({x}, {y}) * {x}
    """)


def formula(rng, x="x", y="y") -> str:
    return rng.choice(FORMULAS).format(x=x, y=y)


def vector(builder, size) -> str:
    return f"tf.constant({builder.data('float32', (size,))}, tf.float32, [{size}])"


def indented(lines, depth=1):
    return [f"{'    ' * depth}{line}" for line in lines]


def decorated(rng) -> list[str]:
    """What stands above a function: it runs eagerly, or is traced."""
    return rng.choice([
        [], ["@tf.function"], ["@tf.function"],
        ["@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)] * 2)"],
    ])  # fmt: skip


def own_gradient(rng) -> list[str]:
    """A function `h` of x and y with a gradient of its own; v may be a variable."""
    upstream = rng.choice(["dy * 2.0, dy * x", "dy * tf.cos(x), dy", "None, dy * y", "(dy, -dy)",
                           "dy * x * y, tf.zeros_like(y)"])  # fmt: skip
    uses_variable = rng.random() < 0.3
    body = [f"z = {formula(rng)}" + (" * v" if uses_variable else "")]
    if uses_variable:
        body += ["def grad(dy, variables=None):",
                 f"    return ({upstream}), [tf.reduce_sum(dy * x)]"]  # fmt: skip
    else:
        body += ["def grad(dy):", f"    return {upstream}"]
    inner = ["@tf.custom_gradient", "def h(x, y):", *indented([*body, "return z, grad"])]
    return ["v = tf.Variable(1.5)", *inner]


def custom_gradients(rng, builder, size):
    yield from own_gradient(rng)
    yield from (*decorated(rng), "def f(x, y):", f"    a = {formula(rng)}",
                f"    b = h({rng.choice(['a, y', 'x, a', 'x, y', 'a * 2.0, y'])})",
                f"    return {formula(rng, 'b', 'x')}")  # fmt: skip
    yield from differentiated(rng, builder, size)


def differentiated(rng, builder, size):
    """The gradient of f at x and y; of second order at times, and of the variable v."""
    yield from (f"x = {vector(builder, size)}", f"y = {vector(builder, size)}")
    sources = rng.choice(["[x, y]", "[x, y, v]", "v", "x"])
    if rng.random() < 0.3:
        yield from ("with tf.GradientTape() as outer:", "    outer.watch([x, y])",
                    "    with tf.GradientTape() as tape:", "        tape.watch([x, y])",
                    "        z = f(x, y)", f"    g = tape.gradient(z, {sources})",
                    "out['h'] = outer.gradient(g, [x, y, v])")  # fmt: skip
    else:
        yield from ("with tf.GradientTape() as tape:", "    tape.watch([x, y])", "    z = f(x, y)",
                    f"g = tape.gradient(z, {sources})")  # fmt: skip
    yield from ("out['z'] = z", "out['g'] = g", "out['v'] = v")


def python_inside(rng, builder, size):
    """tf.py_function and tf.numpy_function in a function."""
    calls = lines("""
        tf.py_function(lambda a, b: a * b.numpy(), [x, y], tf.float32)
        tf.py_function(lambda a: tf.square(a) + v, [x], tf.float32)
        tf.py_function(func=lambda a, b: [a + 1.0, b], inp=[x, y], Tout=[tf.float32, tf.float32])[0]
        tf.numpy_function(lambda a, b: a + b, [x, y], tf.float32)
        tf.numpy_function(lambda a: np.cumsum(a), [x], tf.float32)
        tf.py_function(lambda: tf.constant([1.0]), [], tf.float32)
        tf.numpy_function(lambda a: a.astype(np.int32), [x], tf.int32)
        tf.numpy_function(lambda a: np.float32(a.sum()), [x], tf.float32)
        tf.py_function(lambda a: seen.append(len(a)), [x], [])
        """)
    yield from ("v = tf.Variable(1.5)", "seen = []")
    yield from (*decorated(rng), "def f(x, y):", f"    a = {rng.choice(calls)}")
    yield "    b = tf.reshape(a, [-1]) if isinstance(a, tf.Tensor) and a.dtype == tf.float32 else x"
    yield f"    b = tf.ensure_shape(b, [{rng.choice(['None', size, 1])}])"
    yield f"    return {formula(rng, 'b', 'y')}"
    yield from differentiated(rng, builder, size)
    yield "out['seen'] = seen"


def nested(rng, builder, size):
    """Functions in functions, with captured variables and tensors, and loops around them."""
    yield from ("v = tf.Variable(1.5)", f"w = tf.Variable({vector(builder, size)})")
    yield f"c = {vector(builder, size)}"
    yield from (*decorated(rng), "def inner(x, y):")
    if rng.random() < 0.6:
        yield f"    {rng.choice(['v.assign_add(0.5)', 'w.assign(w * 0.5 + x)', 'w.assign_sub(y)'])}"
    yield f"    return {formula(rng, 'x', rng.choice(['y', 'w', 'v', 'c']))}"
    yield from (*decorated(rng), "def f(x, y):")
    kind = rng.randrange(5)
    if kind == 0:
        yield f"    return inner({formula(rng)}, inner(x, y))"
    elif kind == 1:
        yield from ("    s = x", f"    for i in tf.range({rng.randint(0, 3)}):",
                    "        s = inner(s, y)", "    return s + v")  # fmt: skip
    elif kind == 2:
        yield from (f"    if tf.reduce_sum(x) > {rng.randint(-2, 2)}.0:", "        s = inner(x, y)",
                    "    else:", f"        s = {formula(rng, 'x', 'w')}", "    return s")  # fmt: skip
    elif kind == 3:
        yield from ("    with tf.GradientTape() as inside:", "        inside.watch(x)",
                    "        s = inner(x, y)", "    return inside.gradient(s, x) * v")  # fmt: skip
    else:
        yield "    return tf.map_fn(lambda e: tf.reduce_sum(inner(x * e, y)), y)"
    if rng.random() < 0.3:
        yield "f = tf.function(f)"
    yield from differentiated(rng, builder, size)
    for number in range(rng.randint(0, 2)):
        yield f"out['again{number}'] = {rng.choice(['f', 'inner'])}({rng.choice(['x, y', 'y, c', 'x, w'])})"
    yield "out['w'] = w"


def modules(rng, builder, size):
    """tf.Module: methods that are functions, variables, names."""
    first, second = rng.choice([("w", "b"), ("b", "w"), ("scale", "a")])
    yield from ("class Layer(tf.Module):", "    def __init__(self, size, name=None):",
                "        super().__init__(name=name)",
                f"        self.{first} = tf.Variable(tf.ones([size]) * 0.5, name={rng.choice(['None', repr('kernel')])})",
                f"        self.{second} = tf.Variable(tf.zeros([size]), trainable={rng.choice(['True', 'False'])})")  # fmt: skip
    scope = rng.choice([[], [], ["@tf.Module.with_name_scope"]])
    traced = rng.choice([[], ["@tf.function"]])
    yield from indented([*traced, *scope, "def __call__(self, x, training=False):"])
    if rng.random() < 0.5:
        yield from ("        if training:", f"            self.{second}.assign_add(x * 0.1)")
    yield f"        return {formula(rng, 'x', f'self.{first}')} + self.{second}"
    yield from ("class Model(tf.Module):", "    def __init__(self):",
                f"        super().__init__({rng.choice(['', repr('m'), 'name=None'])})",
                f"        self.layers = {rng.choice(['[Layer(SIZE), Layer(SIZE)]', '(Layer(SIZE), Layer(SIZE))', '{1: Layer(SIZE), 0: Layer(SIZE)}'])}".replace("SIZE", str(size)),
                f"        self.last = Layer({size}, name='last')",
                "        self.steps = tf.Variable(0, trainable=False)")  # fmt: skip
    yield from indented(
        [*rng.choice([[], ["@tf.function"]]), "def __call__(self, x, training=False):"]
    )
    yield from ("        self.steps.assign_add(1)",
                "        for layer in (self.layers.values() if isinstance(self.layers, dict) else self.layers):",
                "            x = layer(x, training)", "        return self.last(x, training=training)",
                "m = Model()")  # fmt: skip
    yield f"x = {vector(builder, size)}"
    for number in range(rng.randint(1, 2)):
        yield from ("with tf.GradientTape() as tape:",
                    f"    z = tf.reduce_sum(m(x, {rng.choice(['', 'True', 'training=True', 'training=False'])}))",
                    f"out['g{number}'] = tape.gradient(z, m.trainable_variables)",
                    f"out['z{number}'] = z")  # fmt: skip
    yield from ("out['all'] = [v for v in m.variables]",
                "out['shown'] = [(v.name, v.trainable) for v in m.variables]",
                "out['trainable'] = len(m.trainable_variables), len(m.non_trainable_variables)",
                "out['parts'] = [part.name for part in m.submodules]",
                "out['m'] = (m.name, m.name_scope.name, m.last.name)",
                "out['w'] = [tuple(v.shape) for v in tape.watched_variables()]")  # fmt: skip


def drawn_inside(rng, builder, size):
    """Random numbers in loops, branches and functions that are called from each other."""
    yield f"tf.random.set_seed({rng.randint(0, 50)})"
    one = [f"r = {drawn(rng)}", "s = s + tf.reduce_sum(tf.cast(r, tf.float32))"]
    kind = rng.randrange(6)
    body = ["s = tf.cast(n, tf.float32)"]
    if kind == 0:
        body += ["for i in tf.range(n):", *indented(one)]
    elif kind == 1:
        body += ["if n > 2:", *indented(one), "else:", f"    s = tf.reduce_sum(tf.random.normal([2], seed={rng.randint(0, 3)}))"]  # fmt: skip
    elif kind == 2:
        body += ["for i in tf.range(n):", "    if i % 2 == 0:", *indented(one, 2), "    s += tf.random.uniform([])"]  # fmt: skip
    elif kind == 3:
        body += ["i = 0", f"while s < {rng.randint(3, 20)}.0:", *indented(one), "    s += 1.0"]
    elif kind == 4:
        body += [f"_, s = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + tf.random.uniform([]{rng.choice(['', ', seed=3'])})), (0, s))"]  # fmt: skip
    else:
        body += [
            "s = s + tf.reduce_sum(tf.map_fn(lambda e: e * tf.random.normal([]), tf.ones([n])))"
        ]
    if rng.random() < 0.3:
        body += [f"s += tf.reduce_sum({'tf.random.normal([2])'})"]
    if kind >= 4 and rng.random() < 0.4:
        decorator = []
    else:
        decorator = rng.choice([["@tf.function"], ["@tf.function"],
                                ["@tf.function(input_signature=[tf.TensorSpec([], tf.int32)])"]])  # fmt: skip
    yield from (*decorator, "def f(n):", *indented([*body, "return s"]))
    if rng.random() < 0.3:
        yield from (
            "@tf.function",
            "def g(n):",
            "    return f(n) + f(n + 1) + tf.random.uniform([])",
        )
    else:
        yield "g = f"
    for number in range(rng.randint(1, 3)):
        yield f"out['c{number}'] = {rng.choice('fg')}(tf.constant({rng.randint(0, 4)}))"


def nestings(tf, rng):
    builder = Builder(tf, rng)
    makers = (custom_gradients, python_inside, nested, nested, modules, drawn_inside)
    size = rng.choice([1, 2, 2, 3, 3, 0]) if rng.random() < 0.2 else rng.choice([2, 3])
    return program(rng.choice(makers)(rng, builder, size))
