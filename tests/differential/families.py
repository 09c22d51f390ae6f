"""The kinds of programs, and how each is put together from random calls."""

from __future__ import annotations

import random
import re

import mistakes
import nesting
import scripts
import sessions
from builder import Builder
from calls import KEEPING, TOPICS

MODES = ("eager", "function", "jit", "open", "first", "v1", "v1open")
CLOSED = ("eager", "function", "jit", "v1")
CONVERTED = ("eager", "function", "jit", "open", "first")
LABELS = re.compile(r"<([xyi])>")


def draw(rng) -> str:
    """A template, by topic."""
    topics = list(TOPICS)
    topic = rng.choices(topics, [TOPICS[t][0] for t in topics])[0]
    return rng.choice(TOPICS[topic][1])


def assemble(builder, body, results, before=(), state=(), is_converted=False, calls=1) -> str:
    inputs = builder.inputs
    rows = []
    for number in range(calls):
        given = [
            (dtype, list(shape), values if number == 0 else builder.data(dtype, shape))
            for dtype, shape, values in inputs.values()
        ]
        rows.append(f"    {given!r},")
    lines = ["CALLS = [", *rows, "]"]
    if is_converted:
        lines.append("AUTOGRAPH = True")
    lines += [*before, "", f"def f({', '.join(inputs)}):"]
    lines += [f"    {line}" for line in body]
    named = ", ".join(f"{name!r}: {name}" for name in results)
    lines.append(f"    return {{{named}}}")
    if state:
        lines += ["", f"STATE = {{{', '.join(f'{name!r}: {name}' for name in state)}}}"]
    return "\n".join(lines) + "\n"


def fill_up(builder, count, template=draw, keep_errors=0.1) -> None:
    """Adds statements; not all that are tried hold."""
    aim, tries = len(builder.results) + count, 0
    while len(builder.results) < aim and not builder.is_over and tries < 8 * count:
        tries += 1
        builder.call(template(builder.rng), keep_errors)


def calls(tf, rng):
    builder = Builder(tf, rng)
    fill_up(builder, rng.randint(1, 7))
    often = 2 if rng.random() < 0.15 else 1
    return assemble(builder, builder.lines, builder.results, calls=often), MODES


def keeping(builder, target, other, index) -> str:
    """An expression of the target's dtype (float32) and shape."""
    words = {"x": target, "y": other, "i": index}
    return LABELS.sub(lambda match: words[match[1]], builder.rng.choice(KEEPING))


def gradients(tf, rng):
    builder = Builder(tf, rng, most_inputs=4)
    while not any(v[0] in ("float32", "float64") for v in builder.inputs.values()):
        if builder.is_over:
            return calls(tf, rng)
        fill_up(builder, rng.randint(1, 4), keep_errors=0.03)
    sources = [n for n, v in builder.inputs.items() if v[0] in ("float32", "float64", "complex64")]
    floats = [n for n in builder.results if builder.values.get(n, "-")[0] in ("float32", "float64")]
    target = rng.choice(floats[-2:]) if floats else rng.choice(builder.results)
    kind = rng.random()
    watched = f"[{', '.join(sources)}]"
    is_persistent = kind > 0.8
    lines = [f"with tf.GradientTape({'persistent=True' if is_persistent else ''}) as tape:"]
    lines += [f"    tape.watch({watched})", *(f"    {line}" for line in builder.lines)]
    asked = watched if rng.random() < 0.7 else rng.choice(sources)
    more = rng.choice(["", "", ", unconnected_gradients='zero'"])
    results = [target, "g"]
    if kind < 0.25:  # of second order
        lines += [f"    g = tape.gradient({target}, {asked}{more})"]
        lines = ["with tf.GradientTape() as outer:", f"    outer.watch({watched})",
                 *(f"    {line}" for line in lines), f"h = outer.gradient(g, {watched})"]  # fmt: skip
        results.append("h")
    elif kind < 0.35 and len(builder.values.get(target, ("", ()))[1]) <= 2:
        lines += [f"g = tape.jacobian({target}, {rng.choice(sources)})"]
        return assemble(builder, lines, results), CLOSED  # as many gradients as elements
    else:
        lines += [f"g = tape.gradient({target}, {asked}{more})"]
        if is_persistent:
            lines += [f"h = tape.gradient({rng.choice(builder.results)}, {watched})"]
            results.append("h")
    return assemble(builder, lines, results), MODES


def loops(tf, rng):
    """Loops and branches, converted or by their functions."""
    builder = Builder(tf, rng, most_inputs=4)
    shape = builder.shape(2, 3)
    x = builder.make("float32", shape)
    del builder.values[x]
    y = builder.make("float32", shape)
    n = builder.make("int32", ())
    makers = [autograph_loop, autograph_while, autograph_if, while_loop, cond, switch, scan, mapped, folded,
              array_loop, vectorized]  # fmt: skip
    body, results, is_converted = [], [], False
    for number in range(rng.randint(1, 2)):
        maker = rng.choice(makers)
        name = f"r{number}"
        is_converted |= maker.__name__.startswith("autograph")
        body += maker(builder, name, x, y, n)
        results.append(name)
        if rng.random() < 0.5 and maker not in (scan, mapped, array_loop, vectorized, folded):
            x = name
    if rng.random() < 0.35:
        indented = [f"    {line}" for line in body]
        body = ["with tf.GradientTape() as tape:", "    tape.watch([a0])", *indented]
        body += [f"g = tape.gradient({results[-1]}, a0)"]
        results.append("g")
    elif rng.random() < 0.4:
        builder.names[results[-1]] = None
        body.append(f"t = {keeping(builder, results[0], y, n)}")
        results.append("t")
    modes = CONVERTED if is_converted else MODES
    often = 2 if rng.random() < 0.3 else 1
    return assemble(builder, body, results, is_converted=is_converted, calls=often), modes


def condition(builder, x, y, n):
    return builder.rng.choice([
        f"tf.reduce_sum({x}) > {builder.slot_num('')}", f"tf.reduce_any({x} > {y})", f"{n} > 1",
        f"tf.reduce_mean({x}) < tf.reduce_mean({y})", f"tf.equal({n} % 2, 0)",
        f"tf.shape({x})[0] > 2",
    ])  # fmt: skip


def autograph_loop(b, name, x, y, n):
    k = b.rng.random
    lines = [f"{name} = {x}", f"for i in tf.range({b.rng.choice([n, '3', 'tf.abs(' + n + ')'])}):"]
    if k() < 0.4:
        lines += [
            f"    if {condition(b, name, y, 'i')}:",
            f"        {b.rng.choice(['break', 'continue'])}",
        ]
    if k() < 0.4:
        lines += [f"    if {condition(b, name, y, 'i')}:", f"        {name} = {keeping(b, name, y, 'i')}",
                  "    else:", f"        {name} = {keeping(b, name, x, 'i')}"]  # fmt: skip
    return [*lines, f"    {name} = {keeping(b, name, y, 'i')}"]


def autograph_while(b, name, x, y, n):
    lines = [f"{name} = {x}", "i = tf.constant(0)", f"while i < {b.rng.choice([n, '4'])}:"]
    if b.rng.random() < 0.5:
        lines += [
            f"    if {condition(b, name, y, 'i')}:",
            f"        {name} = {keeping(b, name, y, 'i')}",
        ]
    else:
        lines += [f"    {name} = {keeping(b, name, y, 'i')}"]
    return [*lines, "    i += 1"]


def autograph_if(b, name, x, y, n):
    lines = [f"if {condition(b, x, y, n)}:", f"    {name} = {keeping(b, x, y, n)}"]
    if b.rng.random() < 0.3:
        lines += [f"elif {condition(b, y, x, n)}:", f"    {name} = {keeping(b, y, x, n)}"]
    return [*lines, "else:", f"    {name} = {keeping(b, y, x, n)}"]


def while_loop(b, name, x, y, n):
    more = b.rng.choice(["", "", f", maximum_iterations={b.rng.choice(['2', n])}"])
    test = b.rng.choice([f"i < {n}", "i < 3", "tf.reduce_sum(s) < 6.0"])
    step = keeping(b, "s", y, "i")
    return [f"_, {name} = tf.while_loop(lambda i, s: {test}, lambda i, s: (i + 1, {step}),"
            f" (tf.constant(0), {x}){more or ', maximum_iterations=5'})"]  # fmt: skip


def cond(b, name, x, y, n):
    return [f"{name} = tf.cond({condition(b, x, y, n)}, lambda: {keeping(b, x, y, n)},"
            f" lambda: {keeping(b, y, x, n)})"]  # fmt: skip


def switch(b, name, x, y, n):
    branches = ", ".join(f"lambda: {keeping(b, x, y, n)}" for _ in range(b.rng.randint(1, 3)))
    if b.rng.random() < 0.5:
        return [f"{name} = tf.switch_case({n}, [{branches}])"]
    return [f"{name} = tf.case([({condition(b, x, y, n)}, lambda: {keeping(b, x, y, n)})],"
            f" default=lambda: {keeping(b, y, x, n)})"]  # fmt: skip


def scan(b, name, x, y, n):
    more = b.rng.choice(["", f", initializer={y}[0]", ", reverse=True"])
    return [f"{name} = tf.scan(lambda s, e: {keeping(b, 's', 'e', '1')}, {x}{more})"]


def mapped(b, name, x, y, n):
    if b.rng.random() < 0.5:
        return [f"{name} = tf.map_fn(lambda e: {keeping(b, 'e', 'e', '1')}, {x})"]
    return [f"{name} = tf.map_fn(lambda e: (e[0] * e[1], tf.reduce_sum(e[0])), ({x}, {y}),"
            " fn_output_signature=(tf.float32, tf.float32))"]  # fmt: skip


def folded(b, name, x, y, n):
    which = b.rng.choice(["foldl", "foldr"])
    return [f"{name} = tf.{which}(lambda s, e: {keeping(b, 's', 'e', '1')}, {x})"]


def array_loop(b, name, x, y, n):
    return ["ta = tf.TensorArray(tf.float32, size=3)",
            f"_, ta = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t.write(i, {keeping(b, x, y, 'i')})),"
            " [tf.constant(0), ta])",
            f"{name} = ta.{b.rng.choice(['stack()', 'concat()', 'read(1)', 'gather([2, 0])'])}"]  # fmt: skip


def vectorized(b, name, x, y, n):
    step = keeping(b, "e", "e", "1")
    if "tf.roll" in step:  # TensorFlow rolls along another axis
        return mapped(b, name, x, y, n)
    return [f"{name} = tf.vectorized_map(lambda e: {step}, {x})"]


OPTIMIZERS = [
    "tf.optimizers.SGD(0.1)", "tf.optimizers.SGD(0.1, momentum=0.9)", "tf.optimizers.Adam(0.05)",
    "tf.optimizers.SGD(0.1, momentum=0.5, nesterov=True)", "tf.optimizers.RMSprop(0.02)",
    "tf.optimizers.Adagrad(0.1)", "tf.optimizers.Adadelta(1.0)", "tf.optimizers.Adamax(0.02)",
    "tf.optimizers.Ftrl(0.1)", "tf.optimizers.AdamW(0.01)",
]  # fmt: skip


def state(tf, rng):
    """Variables that calls change, by assignments and by optimizers."""
    builder = Builder(tf, rng, most_inputs=3)
    shape = builder.shape(1, 2)
    x = builder.make("float32", shape)
    before, variables, body, results = [], [], [], []
    for number in range(rng.randint(1, 3)):
        name = f"v{number}"
        dims = shape if number == 0 or rng.random() < 0.5 else builder.shape(0, 2)
        dims = tuple(max(size, 1) for size in dims)  # Keras fails for variables without elements
        values = builder.data("float32", dims)
        before.append(f"{name} = tf.Variable(tf.constant({values}, tf.float32, {list(dims)}))")
        variables.append((name, dims))
    names = [name for name, _ in variables]
    if rng.random() < 0.5:
        before.append(f"optimizer = {rng.choice(OPTIMIZERS)}")
        before.append(f"optimizer.build([{', '.join(names)}])")
        terms = " + ".join(f"tf.reduce_sum({keeping(builder, v, v, '1')})" for v in names)
        extra = keeping(builder, "v0", x, "1")
        body += ["with tf.GradientTape() as tape:", f"    loss = {terms} + tf.reduce_mean({extra})",
                 f"grads = tape.gradient(loss, [{', '.join(names)}])",
                 f"optimizer.apply_gradients(zip(grads, [{', '.join(names)}]))"]  # fmt: skip
        results.append("loss")
    for number in range(rng.randint(0 if results else 1, 3)):
        name, dims = rng.choice(variables)
        body += assignment(builder, name, dims, x, shape)
        if rng.random() < 0.6:
            body.append(f"r{number} = {keeping(builder, name, name, '1')}")
            results.append(f"r{number}")
    if not results:
        results.append(x)
    text = assemble(builder, body, results, before, names, calls=rng.randint(1, 3))
    return text, CONVERTED


def assignment(b, name, dims, x, shape):
    size = list(dims)
    value = x if dims == shape else f"tf.ones({size})"
    ways = [
        f"{name}.assign({keeping(b, name, name, '1')})", f"{name}.assign_add({value})",
        f"{name}.assign_sub({value} * 0.5)", f"{name}.assign({name} + {value})",
        f"{name}.assign_add(tf.ones({size}))",
    ]  # fmt: skip
    if dims and dims[0] > 0:
        ways += [f"{name}[0].assign({name}[-1])", f"{name}[:1].assign(tf.ones_like({name}[:1]) * 2.0)",
                 f"{name}.scatter_add(tf.IndexedSlices({name}[:1] * 0.5, [0]))",
                 f"{name}.scatter_nd_update([[0]], {name}[:1] + 1.0)"]  # fmt: skip
    line = b.rng.choice(ways)
    if b.rng.random() < 0.15:
        return [
            f"with tf.control_dependencies([{line}]):",
            f"    {name}.assign_add(tf.ones({size}))",
        ]
    if b.rng.random() < 0.15:
        return [
            f"tf.cond(tf.reduce_sum({x}) > 0.0, lambda: {line}, lambda: {name}.assign({name} * 0.5))"
        ]
    return [line]


def wrong(tf, rng):
    return mistakes.mistakes(tf, rng, draw, assemble), ("eager", "function", "v1")


FAMILIES = {
    "calls": (45, calls),
    "gradients": (15, gradients),
    "loops": (14, loops),
    "state": (10, state),
    "random": (5, scripts.random_numbers),
    "graphs": (8, scripts.graphs),
    "functions": (3, scripts.functions),
    "nesting": (8, nesting.nestings),
    "sessions": (6, sessions.graphs_of_flow),
    "mistakes": (0.01, wrong),  # for --only: a fifth of them end with another class of error
}


def make(tf, seed: int, index: int, only=()) -> dict:
    """The program number `index` of a seed."""
    rng = random.Random(f"{seed}:{index}")
    names = [name for name in FAMILIES if not only or name in only]
    family = rng.choices(names, [FAMILIES[name][0] for name in names])[0]
    text, modes = FAMILIES[family][1](tf, rng)
    return {"text": text, "modes": modes, "family": family, "name": f"{seed}:{index}"}
