"""What TensorFlow calls the gradients of a tape in a graph.

Those of a node are in the scope "gradient_tape", and in it in the one that the node was made in:
operators and some functions have a scope of their own.
"""

from __future__ import annotations

import re

from penstock import _core
from penstock._functions.basic import zeros_like
from penstock._scope import default_graph, name_scope, take_name
from penstock.compat.v1._gradient_names import gradient_of, way_to

# What has a scope of its own, by the beginning of a node's name.
_SCOPED = frozenset(
    [
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "matmul",
        "strided_slice",
        "transpose",
        "MatMul",
        "Cast",
        "Pow",
        "Add",
        "LeakyRelu",
        "clip_by_value",
        "cond",
        "indexed_case",
        "while",
    ]
)
# Functions that take a tensor apart: its gradient is put together again, whatever is made of rows.
_OF_ROWS = re.compile(r"(.*/)?(map|scan|foldl|foldr)(_\d+)?(?=/)")


def run(find, targets, sources, dys, zeros) -> list:
    """The gradients that find(targets, sources, dys, zeros) gives, under TensorFlow's names."""
    graph = default_graph()
    if not dys:
        for target in targets:
            if not any(target is source for source in sources):  # else it is the result
                take_name("ones" if target.shape.is_fully_defined() else "ones_like")
    builder, first = graph._builder, graph._builder.num_nodes()
    tensors = [each for each in (*targets, *sources) if isinstance(each, _core.SymbolicTensor)]
    names = {}
    if len(tensors) == len(targets) + len(sources):
        names = dict(enumerate(_names(builder, targets, sources)))
    # The nodes that the gradients are made of here are others, and take none of their names.
    with name_scope("gradient_tape/parts/"):
        found = find(targets, sources, dys, False)
    for k, (source, made) in enumerate(zip(sources, found, strict=True)):
        if made is None and zeros:
            found[k] = zeros_like(source)
        elif isinstance(made, _core.SymbolicTensor) and names.get(k):
            found[k] = _renamed(builder, made, first, names[k])
    return found


def _renamed(builder, made, first, name):
    if name in ("ones", "ones_like", "AddN"):
        return builder.named(made, first, name)
    with name_scope("gradient_tape/"):
        return builder.named(made, first, name)


def _names(builder, targets, sources) -> list:
    """What the gradient of each source is called; None where it has no name of its own."""
    nodes, on_way = way_to(builder, targets, sources)
    found = {
        target._value: ["ones" if target.shape.is_fully_defined() else "ones_like"]
        for target in targets
    }
    for node in reversed(nodes):
        arriving = next(
            (found[each._value] for each in builder.outputs(node) if each._value in found), None
        )
        if arriving is None:
            continue
        if len(arriving) > 1:
            arriving[:] = ["AddN"]
        scope = _scope_of(builder.name(node))
        for tensor, rule in gradient_of(builder, node):
            if tensor._value not in on_way or rule == "-":
                continue
            made = arriving if rule == "=" else [_named(builder.name(node), scope, rule)]
            made = [*made, *made] if rule == "+" else made
            known = found.setdefault(tensor._value, [])
            of_rows = _OF_ROWS.match(builder.name(node))
            if of_rows:
                made = [f"{of_rows[0]}/TensorArrayUnstack/TensorListStack"]
            known.extend(each for each in made if not (of_rows and each in known))
    return [_of_all(found.get(each._value)) for each in sources]


def _of_all(names):
    if not names:
        return None
    return "AddN" if len(names) > 1 else names[0]


def _scope_of(name) -> str:
    outer, slash, own = name.rpartition("/")
    base, _, number = own.rpartition("_")
    own = base if base and number.isdigit() else own
    return name + "/" if own in _SCOPED else outer + slash


def _named(name, scope, rule) -> str:
    """A rule of _gradient_names, as a tape has it."""
    own = rule.partition("|")[0]
    if own.startswith("^"):
        scope, own = name.rpartition("/")[0] + "/", own[1:]
    elif own.startswith("/"):
        scope = name + "/"
    return scope + own.rpartition("/")[2]
