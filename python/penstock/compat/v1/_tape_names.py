"""TensorFlow's names for the gradients of a tape in a graph.

The gradients of a node are in the scope "gradient_tape", within the scope in which the node was
created: operators and some functions have their own scope.
"""

from __future__ import annotations

import re

from penstock import _core
from penstock._context.scope import default_graph, name_scope
from penstock._ops.create import zeros_like
from penstock._tensors.slices import values_of, with_values
from penstock.compat.v1._gradient_names import gradient_of, way_to

# Functions with their own scope, by the start of a node's name.
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
        "Abs",
        "LeakyRelu",
        "Relu6",
        "Sigmoid",
        "Cumsum",
        "Cumprod",
        "CumulativeLogsumexp",
        "MaxPool",
        "MaxPool2d",
        "max_pool",
        "depthwise",
        "embedding_lookup",
        "convolution",
        "conv2d_transpose",
        "clip_by_value",
        "div_no_nan",
        "reciprocal_no_nan",
        "cond",
        "indexed_case",
        "while",
    ]
)
# For ops that are several in TensorFlow, with gradients numbered together: the name next to the
# node, or with a "/" within it; "+" and "-" as in _gradient_names. After a "|" comes the one for
# open sizes.
_RULES = {
    line.split()[0]: line.split()[1:]
    for line in """
Acos mul
Acosh truediv
Adjoint /transpose
Asinh truediv
BatchNormalization mul_1/Mul mul_2/Mul + Reshape mul/Mul_1
CRelu +
CholeskySolve + triangular_solve_1/MatrixTriangularSolve|Reshape_3
ClipByValue /SelectV2_1
CumulativeLogsumexp /sub_2
Cumprod /div_no_nan
EmbeddingLookup /Reshape -
Erfcinv mul/Mul
Frame StridedSliceGrad
Gelu +
Lbeta +
LogSigmoid /Neg_1
Logdet mul_2
MatrixDiagPartV3 diag|set_diag
MatrixTranspose /transpose
MatrixTriangularSolve MatrixBandPart|Reshape triangular_solve/MatrixTriangularSolve|Reshape_1
Matvec MatMul/MatMul Reshape_1
OverlapAndAdd Slice_1
Pinv MatMul_5
ReciprocalNoNan /mul
ReduceLogsumexp /mul_1
ReduceStd +
ReduceVariance +
RFFT /mul_4|/Slice_1 -
SoftmaxCrossEntropyWithLogits Reshape_1 Reshape_2
Stft frame/StridedSliceGrad
Trace /diag|/set_diag
UnsortedSegmentMean SelectV2 -
""".strip().splitlines()
}
# Ops of two inputs that create only requested gradients, and the name of the second one if it is
# created first.
_SKIPPING = frozenset(["AddV2", "Add", "Sub", "Mul", "Pow"])
_FIRST = {"Mul_1": "Mul", "mul_3": "mul_1", "Reshape_1": "Reshape"}
# Functions that split a tensor: its gradient is reassembled for any use of the rows.
_NUMBERED = re.compile(r"(.*?)(?:_(\d+))?")
_OF_ROWS = re.compile(r"(.*/)?(map|scan|foldl|foldr)(_\d+)?(?=/)")


def run(find, targets, sources, dys, zeros) -> list:
    """The gradients from find(targets, sources, dys, zeros), under TensorFlow's names."""
    graph = default_graph()
    seeds = {}  # names of the targets' initial gradients
    if not dys:
        for target in targets:
            name = "ones" if target.shape.is_fully_defined() else "ones_like"
            # Its own node: a gradient that reaches a source unchanged is that node.
            taken = f"{graph.unique_name(name)}/"
            if isinstance(target, _core.SymbolicTensor):
                seeds[target._value] = taken
    builder, first = graph._builder, graph._builder.num_nodes()
    tensors = [
        tensor for tensor in (*targets, *sources) if isinstance(tensor, _core.SymbolicTensor)
    ]
    names = {}
    if len(tensors) == len(targets) + len(sources):
        names = dict(enumerate(_names(builder, targets, sources, seeds)))
    # The actual gradient nodes differ from TensorFlow's and must not reserve its names.
    with name_scope("gradient_tape/parts/"):
        gradients = find(targets, sources, dys, False)
    for k, (source, gradient) in enumerate(zip(sources, gradients, strict=True)):
        if gradient is None and zeros:
            gradients[k] = zeros_like(source)
        elif (
            gradient is not None
            and isinstance(values_of(gradient), _core.SymbolicTensor)
            and names.get(k)
        ):
            gradients[k] = with_values(
                gradient, _renamed(builder, values_of(gradient), first, names[k])
            )
    return gradients


def _renamed(builder, tensor, first, name):
    if name.endswith("/") and builder.name(builder.node_of(tensor)) == name[:-1]:
        return tensor  # also the gradient of another source
    if name.endswith("/"):
        return builder.named(tensor, first, name)
    with name_scope("gradient_tape/"):
        return builder.named(tensor, first, name)


def _names(builder, targets, sources, seeds) -> list:
    """The name of each source's gradient; None if it has none of its own."""
    nodes, on_way = way_to(builder, targets, sources)
    names = {target._value: [seeds.get(target._value)] for target in targets}
    for node in reversed(nodes):
        arriving = next(
            (names[output._value] for output in builder.outputs(node) if output._value in names),
            None,
        )
        if arriving is None:
            continue
        if len(arriving) > 1:
            arriving[:] = [_sum()]
        of_rows = _OF_ROWS.match(builder.name(node))
        wanted = _wanted(builder, node, on_way)
        taken = {} if of_rows else _taken([rule for _, rule in wanted])
        for tensor, rule in wanted:
            if tensor._value not in on_way or rule == "-":
                continue
            names_here = arriving if rule == "=" else [taken.get(rule)]
            names_here = [None, None] if rule == "+" else names_here
            known = names.setdefault(tensor._value, [])
            if of_rows:
                names_here = [f"{of_rows[0]}/TensorArrayUnstack/TensorListStack"]
            known.extend(name for name in names_here if not (of_rows and name in known))
    return [_of_all(names.get(source._value)) for source in sources]


def _wanted(builder, node, on_way) -> list:
    """(input, name) of every input of a node: what its gradient is called at the first time, or
    "=", "+" or "-" as in _gradient_names."""
    kind, name, inputs = builder.type(node), builder.name(node), builder.inputs(node)
    rules = _by_name(kind, name) or _RULES.get(kind)
    if kind in ("Conv1D", "Convolution") and name.endswith("/Squeeze"):
        # Each is derived from an image's gradient, if requested.
        rules = ["Reshape_1", "Reshape_2" if inputs[0]._value in on_way else "Reshape_1"]
    if kind == "GatherV2":  # of the values, and of the indices
        rules = ["Reshape", "Reshape_1"] if _axis_of(builder, name) == 0 else ["Reshape_2", "-"]
        if _scope_of(name) == f"{name}/":
            rules = [rule if rule == "-" else f"/{rule}" for rule in rules]
    if rules:
        is_open = not all(tensor.shape.is_fully_defined() for tensor in inputs)
        return [
            (tensor, rule if rule in "=+-" else _within(name, rule, is_open))
            for tensor, rule in zip(inputs, rules, strict=False)
        ]
    pairs = gradient_of(builder, node)
    if kind in _SKIPPING and _is_alone(inputs, on_way):
        pairs = [(inputs[1], _FIRST.get(pairs[1][1], pairs[1][1]))]
    scope = _scope_of(name)
    return [
        (tensor, rule if rule in "=+-" else _named(name, scope, rule)) for tensor, rule in pairs
    ]


def _taken(wanted) -> dict:
    """Reserves the wanted node names: those of a kind are numbered within their scope."""
    parts = {rule: _NUMBERED.fullmatch(rule) for rule in wanted if rule not in ("=", "+", "-")}
    counts = {}
    for match in parts.values():
        counts[match[1]] = max(counts.get(match[1], 0), int(match[2] or 0) + 1)
    with name_scope("gradient_tape/"):
        graph = default_graph()
        scopes = {
            base: [graph.unique_name(base) for _ in range(count)] for base, count in counts.items()
        }
    return {rule: f"{scopes[match[1]][int(match[2] or 0)]}/" for rule, match in parts.items()}


def _sum() -> str:
    return f"{default_graph().unique_name('AddN')}/"


def _is_alone(inputs, on_way) -> bool:
    """Whether the second of two inputs is the only one with a gradient, and only that is
    created."""
    first, second = (tensor.shape for tensor in inputs)
    is_equal = first.is_fully_defined() and second.is_fully_defined() and first == second
    return not is_equal and inputs[0]._value not in on_way


def _axis_of(builder, name) -> int:
    """The axis of a node: a constant input, as in TensorFlow."""
    node = builder.find(f"{name}/axis")
    value = builder.constant_value(builder.outputs(node)[0]) if node >= 0 else None
    return 0 if value is None else int(value)


def _by_name(kind, name):
    """The rules of an op that TensorFlow creates in several ways, by its node's name."""
    own = name.rpartition("/")[2]
    if kind == "Sort" and own in ("Neg_1", "TopKV2"):
        return ["Neg_1" if own == "Neg_1" else "Reshape_3"]
    if kind in ("Dct", "Idct") and (own == "Real" or own.startswith("strided_slice")):
        return ["rfft/Slice_1" if own == "Real" else "mul/Mul"]
    if kind == "Repeat":
        return ["../Reshape_2" if own == "GatherV2" else "Reshape_3"]
    if kind in ("AtrousConv2D", "Convolution"):
        if own == "BatchToSpaceND":
            return ["BatchToSpaceND", "Conv2DBackpropFilter"]
        return ["/Conv2DBackpropInput", "/Conv2DBackpropFilter"]
    if kind == "Tensordot" and own == "MatMul":
        return ["/MatMul", "/MatMul_1"]
    if kind == "Tensordot":
        return ["/transpose/transpose", "/transpose_1/transpose"]
    if name.endswith("separable_conv2d/depthwise"):
        return ["DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter"]
    return None


def _within(name, rule, is_open) -> str:
    """A rule of _RULES, for a node with open inputs or not."""
    closed, _, otherwise = rule.partition("|")
    own = otherwise if otherwise and is_open else closed
    if own.startswith("/"):
        return name + own
    outer = name.rpartition("/")[0]
    if own.startswith("../"):
        outer, own = outer.rpartition("/")[0], own[3:]
    return f"{outer}/{own}" if outer else own


def _of_all(names):
    if not names:
        return None
    return _sum() if len(names) > 1 else names[0]


def _scope_of(name) -> str:
    outer, slash, own = name.rpartition("/")
    base, _, number = own.rpartition("_")
    own = base if base and number.isdigit() else own
    return name + "/" if own in _SCOPED else outer + slash


def _named(name, scope, rule) -> str:
    """A rule of _gradient_names, in the form of a tape."""
    own = rule.partition("|")[0]
    if own.startswith("^"):
        scope, own = name.rpartition("/")[0] + "/", own[1:]
    elif own.startswith("/"):
        scope = name + "/"
    return scope + own.rpartition("/")[2]
