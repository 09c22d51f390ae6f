"""TensorFlow's names for the gradients that it adds to a graph.

A gradient is named after the node that it passes through; `_RULES` has the name for every input of
an op. "Mul_1" is "node_grad/Mul_1", "/Neg" is "node/Neg", "^/Mul" is "Mul" next to the node, "=" is
the arriving gradient, "+" a sum of several, and "-" none. After a "|" comes the name at which the
gradients of a node wait for each other, if that is not one of the node's own.
"""

from __future__ import annotations

_RULES = {
    line.split()[0]: line.split()[1:]
    for line in """
Abs mul
Acos Neg
Acosh RealDiv
Asin mul
Asinh RealDiv
Atan mul
Atanh mul
AvgPool AvgPoolGrad
BatchToSpaceND SpaceToBatchND - -
BatchMatMulV2 MatMul MatMul_1
BatchMatMulV3 MatMul MatMul_1
BatchNormalization ^/mul_1_grad/Mul ^/mul_2_grad/Mul + ^/sub_grad/Reshape ^/mul_grad/Mul_1
BesselI0 mul
BesselI0e mul_1
BesselI1 mul
BesselI1e mul_1
BesselJ0 mul
BesselJ1 mul
BesselK0 mul
BesselK0e mul
BesselK1 mul
BesselY0 mul
BesselY1 mul
Betainc - - Reshape
BiasAdd = BiasAddGrad
BroadcastTo Reshape -
Cast Cast
Cholesky mul_1
ClipByValue /Minimum_grad/SelectV2|/Minimum_grad/tuple/control_dependency
Conv1D ^/ExpandDims_grad/Reshape ^/ExpandDims_1_grad/Reshape
Conv2D Conv2DBackpropInput Conv2DBackpropFilter
Conv2DTranspose Conv2D Conv2DBackpropFilter -
Conv3D Conv3DBackpropInputV2 Conv3DBackpropFilterV2
Cos mul
Cosh mul
Cumsum Cumsum
Dawsn mul_2
DepthToSpace SpaceToDepth
DepthwiseConv2dNative DepthwiseConv2dNativeBackpropInput DepthwiseConv2dNativeBackpropFilter
Diag DiagPart
DiagPart Diag
Digamma mul
Dropout ^/Mul_grad/Mul|^/Mul_grad/tuple/control_dependency
DynamicPartition Reshape_1 -
Einsum Einsum Einsum_1
Elu EluGrad
Erf mul_1
Erfc mul_1
Erfinv mul_1
EuclideanNorm truediv_1
Exp mul
ExpandDims Reshape
Expint truediv
Expm1 mul
FresnelCos mul_1
FresnelSin mul_1
FakeQuantWithMinMaxArgs FakeQuantWithMinMaxArgsGradient
FusedBatchNormV3 FusedBatchNormGradV3 FusedBatchNormGradV3 FusedBatchNormGradV3 - -
GatherNd ScatterNd -
GatherV2 Reshape -
Identity =
Igamma Reshape Reshape_1
L2Loss mul
L2Normalize +
LRN LRNGrad
LeakyRelu LeakyReluGrad
Lgamma mul
Log mul
Log1p mul
LogSigmoid /Neg_grad/Neg
LogSoftmax sub
LogSoftmaxV2 sub
MatMul MatMul MatMul_1
MatrixBandPart MatrixBandPart - -
MatrixDeterminant mul_1
MatrixDiagV3 diag_part - - - -
MatrixInverse Neg
MatrixSetDiagV3 set_diag diag_part -
MatrixSolve Neg MatrixSolve
Max mul
MaxPool MaxPoolGrad
MaxPoolWithArgmax MaxPoolGradWithArgmax
Mean truediv
Min mul
Moments +
Ndtri mul_1
Neg Neg
Norm +
PadV2 Slice_1 - -
Polygamma - Reshape
Prod Reshape_4
Qr add_2
Reciprocal ReciprocalGrad
Relu ReluGrad
Relu6 Relu6Grad
Reshape Reshape -
ReverseSequence ReverseSequence -
ReverseV2 ReverseV2 -
Roll Roll - -
Rsqrt RsqrtGrad
SegmentMax SelectV2 -
SegmentMean GatherV2 -
SegmentMin SelectV2 -
SegmentSum GatherV2 -
SpaceToBatchND BatchToSpaceND - -
SpaceToDepth DepthToSpace
SelectV2 - SelectV2 SelectV2_1
SelfAdjointEigV2 set_diag_1
Selu SeluGrad
Sigmoid SigmoidGrad
SigmoidCrossEntropyWithLogits + +
Sign zeros_like
Sin mul
Sinh mul
Slice Pad - -
Softmax mul_1
SoftmaxCrossEntropyWithLogits ^/Reshape_grad/Reshape ^/Reshape_1_grad/Reshape
SoftmaxV2 mul_1
Softplus mul
Softsign SoftsignGrad
SparseSoftmaxCrossEntropyWithLogits mul -
Spence mul
Split concat
SplitV concat - -
Sqrt SqrtGrad
Square Mul_1
Squeeze Reshape
StopGradient -
StridedSlice StridedSliceGrad - - -
Svd MatMul_5
Tan mul
Tanh TanhGrad
Tensordot /transpose_grad/transpose /MatMul_grad/MatMul_1
Tile Sum -
TopKV2 Reshape_3 -
Transpose transpose
Unpack stack
UnsortedSegmentMax SelectV2_2 - -
UnsortedSegmentMin SelectV2_2 - -
UnsortedSegmentProd mul - -
UnsortedSegmentSum SelectV2 - -
Xdivy Reshape Reshape_1
Xlog1py Reshape Reshape_1
Xlogy Reshape Reshape_1
ZeroFraction -
Zeta - Reshape
""".strip().splitlines()
}
# For broadcasting ops: the name before the sum over the broadcast dimensions.
_BROADCAST = {
    "AddV2": ("=", "="),
    "Add": ("=", "="),
    "Sub": ("=", "Neg"),
    "Mul": ("Mul", "Mul_1"),
    "RealDiv": ("RealDiv", "mul"),
    "DivNoNan": ("div_no_nan", "mul"),
    "Maximum": ("SelectV2", "SelectV2_1"),
    "Minimum": ("SelectV2", "SelectV2_1"),
    "SquaredDifference": ("mul_1", "Neg"),
    "Pow": ("mul_1", "mul_3"),
    "FloorMod": ("=", "mul"),
}


class _Gradient:
    """One gradient, possibly shared by several tensors."""

    def __init__(self, name):
        self.name = name


class _Naming:
    """The gradients of a graph's values, from the last node to the first."""

    def __init__(self, builder, is_gated):
        self._builder, self._is_gated = builder, is_gated
        self._found = {}  # value: the gradients that arrive at it
        self._num_sums = 0

    def add(self, value, gradient):
        self._found.setdefault(value, []).append(gradient)

    def at(self, value):
        """The gradient of a value, or None."""
        gradient = self._found.get(value)
        if not gradient:
            return None
        if len(gradient) > 1:
            gradient[:] = [self._sum()]
        return gradient[0]

    def _sum(self):
        self._num_sums += 1
        return _Gradient(f"AddN_{self._num_sums - 1}" if self._num_sums > 1 else "AddN")

    def go_through(self, node, on_way):
        """From the outputs of a node to its inputs."""
        builder = self._builder
        outputs = [self.at(output._value) for output in builder.outputs(node)]
        arriving = next((output for output in outputs if output is not None), None)
        if arriving is None:
            return
        pairs = gradient_of(builder, node)
        self._count, name = 0, builder.name(node)
        is_several = sum(rule != "-" for _, rule in pairs) > 1
        for tensor, rule in pairs:
            gradient = self._named(name, rule, arriving, is_several)
            if gradient is not None and tensor._value in on_way:
                self.add(tensor._value, gradient)
                if rule == "+":  # there is another one
                    self.add(tensor._value, gradient)

    def _named(self, name, rule, arriving, is_several):
        if rule == "-":
            return None
        own, _, gated = rule.partition("|")
        if self._is_gated and (gated or (is_several and own[0] not in "/^+")):
            self._count += 1
            number = f"_{self._count - 1}" if self._count > 1 else ""
            own = gated or f"tuple/control_dependency{number}"
        if own == "=":
            return arriving
        if own.startswith("^"):
            return _Gradient(name.rpartition("/")[0] + own[1:])
        return _Gradient(name + own if own.startswith("/") else f"{name}_grad/{own}")


def _rules_of(kind, inputs, outputs) -> list[str]:
    if kind in ("branch", "while"):
        return _control_rules(inputs, 3 if kind == "while" else 0)
    if kind in _BROADCAST:
        return _broadcast_rules(_BROADCAST[kind], *(tensor.shape for tensor in inputs))
    if kind == "Sum":
        is_tiled = inputs[0].shape.is_fully_defined() or outputs[0].shape.rank == 0
        return ["Tile" if is_tiled else "BroadcastTo"]
    if kind == "ReduceLogsumexp":
        is_known = inputs[0].shape.is_fully_defined()
        return ["/Exp_grad/mul" if is_known else "/Sub_grad/Reshape"]
    if kind in ("AddN", "AccumulateN"):
        return ["="] * len(inputs)
    if kind == "ConcatV2":
        if len(inputs) == 1:
            return ["="]
        return ["Slice", *(f"Slice_{i}" for i in range(1, len(inputs)))]
    return _RULES.get(kind) or [f"{kind}Grad" + (f"_{i}" if i else "") for i in range(len(inputs))]


def _control_rules(inputs, first) -> list[str]:
    """Inputs with a gradient are numbered, each tensor once."""
    rules, seen = [], set()
    for tensor in inputs:
        is_one = tensor.dtype.is_floating or tensor.dtype.is_complex
        if not is_one or tensor._value in seen:
            rules.append("-")
            continue
        number = first + len(seen)
        seen.add(tensor._value)
        rules.append(f"Identity_{number}" if number else "Identity")
    return rules


def _broadcast_rules(names, x, y) -> list[str]:
    """A broadcast input is summed and reshaped; so is one that might be broadcast."""
    reduced = _reduced(x, y)
    rules = [
        name if not is_reduced else "Reshape"
        for name, is_reduced in zip(names, reduced, strict=True)
    ]
    return ["Reshape", "Reshape_1"] if rules == ["Reshape", "Reshape"] else rules


def _reduced(x, y) -> tuple[bool, bool]:
    if x.rank is None or y.rank is None:
        return True, True
    rank = max(x.rank, y.rank)
    left = [1] * (rank - x.rank) + x.as_list()
    right = [1] * (rank - y.rank) + y.as_list()
    is_reduced = [False, False]
    for a, b in zip(left, right, strict=True):
        if (a == 1) != (b == 1):
            is_reduced[0 if a == 1 else 1] = True
        elif None in (a, b):
            return True, True
    return is_reduced[0] or x.rank < y.rank, is_reduced[1] or y.rank < x.rank


def gradient_of(builder, node) -> list:
    """(input, rule) of every input of a node."""
    inputs = builder.inputs(node)
    rules = _rules_of(builder.type(node), inputs, builder.outputs(node))
    return list(zip(inputs, rules, strict=False))


def way_to(builder, ys, xs, stops=()):
    """(the nodes that lead from `xs` to `ys`, all values that depend on `xs`). No path goes through
    the nodes of `stops`."""
    ends = {builder.node_of(stop) for stop in stops}
    first = min((builder.node_of(x) for x in xs), default=0)
    last = max((builder.node_of(y) for y in ys), default=-1)
    on_way, nodes = {x._value for x in xs}, []
    for node in range(first, last + 1):
        if node in ends or builder.type(node) == "StopGradient":
            continue
        if any(tensor._value in on_way for tensor in builder.inputs(node)):
            nodes.append(node)
            on_way.update(output._value for output in builder.outputs(node))
    return nodes, on_way


def gradient_names(builder, ys, xs, stops, is_gated) -> list:
    """What stands for the gradient of each of `xs`, with its `name`: one for the same gradient."""
    nodes, on_way = way_to(builder, ys, xs, stops)
    naming = _Naming(builder, is_gated)
    for i, y in enumerate(ys):
        naming.add(y._value, _Gradient(f"grad_ys_{i}"))
    for node in reversed(nodes):
        naming.go_through(node, on_way)
    return [naming.at(x._value) for x in xs]
