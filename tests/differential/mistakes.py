"""A family of calls with something wrong in them: which class of error they end with."""

from __future__ import annotations

import ast

from builder import Builder

WRONG = [
    "None", "'a'", "-1", "7", "1.5", "[1, 2]", "[1, 'a']", "[[1], [2, 3]]", "tf.zeros([0])", "tf.zeros([2, 3, 1])",
    "tf.constant(1)", "tf.constant([1.5, 2.5])", "tf.constant('a')", "2**40", "[None]", "{}", "()", "True",
    "tf.constant([1, 2], tf.int64)", "tf.constant([True, False])", "object()", "tf.float32", "tf.TensorShape([2])",
    "np.array([1, 2], np.uint8)", "[2, None]", "[-1, -1]", "-7", "float('nan')", "1j", "b'x'", "tf.Variable([1.0, 2.0])",
]  # fmt: skip


def spoil(rng, text: str) -> str | None:
    """The statement with one of its call's arguments replaced, left out, or one too many."""
    tree = ast.parse(text)
    calls = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and ast.unparse(n.func).startswith("tf.")
    ]
    if not calls:
        return None
    call = calls[0]
    kind = rng.random()
    wrong = ast.parse(rng.choice(WRONG), mode="eval").body
    if kind < 0.08 and call.args:
        call.args.pop(rng.randrange(len(call.args)))
    elif kind < 0.12:
        call.keywords.append(ast.keyword("nothing", wrong))
    elif call.keywords and rng.random() < 0.5:
        rng.choice(call.keywords).value = wrong
    elif call.args:
        call.args[rng.randrange(len(call.args))] = wrong
    else:
        return None
    return ast.unparse(ast.fix_missing_locations(tree))


def mistakes(tf, rng, draw, assemble):
    builder = Builder(tf, rng)
    for _ in range(40):
        before = dict(builder.inputs), dict(builder.values)
        text = spoil(rng, f"t = {builder.fill(draw(rng))}")
        if text is not None:
            break
        builder.inputs, builder.values = before
    return assemble(builder, [text or "t = tf.add(None, 1)"], ["t"])
