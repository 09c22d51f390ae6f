// Every rule is exact to the bit (except that NaNs may differ): x * 1 is x, but x + 0 is not,
// because -0 + 0 is 0. Rules use traits and fields of an OpDef.
#include "graph/passes/rules.h"

#include <algorithm>
#include <cstring>

#include "ops/op_defs.h"

namespace penstock {
namespace {

using Result = std::optional<Values>;

// The call that makes a value; null if there is none, or if it has several outputs.
const Node* maker(const Graph& graph, ValueId value) {
  const Node& node = graph.node(graph.node_of(value));
  return node.kind == NodeKind::kOp && node.num_outputs == 1 ? &node : nullptr;
}

// The input that the only output aliases in full; kNoIndex if there is none.
ValueId shared_whole(const Graph& graph, std::span<const ValueId> inputs,
                     std::span<const OutputSpec> outputs) {
  if (outputs.size() != 1 || outputs[0].shares_input < 0) return kNoIndex;
  const ValueId source = inputs[static_cast<size_t>(outputs[0].shares_input)];
  const bool is_whole = outputs[0].share_offset == 0 && outputs[0].dtype == graph.dtype(source) &&
                        outputs[0].shape.num_elements() == graph.shape(source).num_elements();
  return is_whole ? source : kNoIndex;
}

ValueId shared_whole(const Graph& graph, const Node& node) {
  SmallVector<View, 4> views;
  for (ValueId input : graph.inputs(node)) views.push_back(graph.view(input));
  InferContext infer(*node.op, views, graph.attrs(node));
  node.op->infer.value(infer);
  return shared_whole(graph, graph.inputs(node), infer.outputs());
}

Values reshaped(Rewriter& rewriter, ValueId value, const Shape& shape, int32_t location) {
  if (rewriter.graph().shape(value) == shape) return {value};
  const ValueId dims = rewriter.constant(
      Tensor::from<int64_t>(shape.dims(), Shape{static_cast<int64_t>(shape.rank())}));
  return rewriter.call(reshape_op, {{value, dims}}, {}, location);
}

// Identity, StopGradient, a cast to the same dtype, a reshape to the same shape, an identity
// permutation and a full slice become the input. Of two reshapes only the second stays.
Result share(Rewriter& rewriter, const Call& call) {
  const Graph& graph = rewriter.graph();
  const ValueId source = shared_whole(graph, call.inputs, call.outputs);
  if (source == kNoIndex) return std::nullopt;
  if (graph.shape(source) == call.outputs[0].shape) return Values{source};
  const Node* before = maker(graph, source);
  if (before == nullptr) return std::nullopt;
  const ValueId first = shared_whole(graph, *before);
  if (first == kNoIndex) return std::nullopt;
  return reshaped(rewriter, first, call.outputs[0].shape, call.location);
}

// The value that an operand is known to repeat, as a scalar or a smaller tensor.
std::optional<ValueId> repeated_by(Rewriter& rewriter, ValueId operand) {
  const Graph& graph = rewriter.graph();
  if (const Tensor* constant = graph.constant_of(operand)) {
    if (!is_repeated(*constant)) return std::nullopt;
    return rewriter.constant(first_element(*constant));
  }
  const Node* node = maker(graph, operand);
  const int input = node == nullptr ? -1 : node->op->repeated_input;
  if (input < 0) return std::nullopt;
  return graph.inputs(*node)[static_cast<size_t>(input)];
}

// True if all elements of `value` are known to be `expected`, bit for bit.
bool is_everywhere(const Graph& graph, ValueId value, double expected) {
  const Node* node = maker(graph, value);
  const int input = node == nullptr ? -1 : node->op->repeated_input;
  if (input >= 0) value = graph.inputs(*node)[static_cast<size_t>(input)];
  const Tensor* constant = graph.constant_of(value);
  if (constant == nullptr || constant->num_elements() == 0) return false;
  if (constant->num_elements() > 1 && !is_repeated(*constant)) return false;
  const Tensor wanted = Tensor::scalar(constant->dtype(), expected);
  return std::memcmp(constant->raw(), wanted.raw(), dtype_size(constant->dtype())) == 0;
}

Result drop_neutral(Rewriter& rewriter, const Call& call) {
  const Graph& graph = rewriter.graph();
  if (call.op.neutral.dtypes.empty() || call.inputs.size() != 2) return std::nullopt;
  const size_t sides = call.op.traits.has(Trait::kCommutative) ? 2 : 1;
  for (size_t side = 0; side < sides; ++side) {
    const ValueId x = call.inputs[side];
    const ValueId other = call.inputs[1 - side];
    if (call.op.neutral.dtypes.has(graph.dtype(x)) && graph.shape(x) == call.outputs[0].shape &&
        is_everywhere(graph, other, call.op.neutral.value))
      return Values{x};
  }
  return std::nullopt;
}

// -(-x) is x; |(|x|)| is |x|.
Result drop_repetition(Rewriter& rewriter, const Call& call) {
  const bool undoes = call.op.traits.has(Trait::kInvolution);
  if (!undoes && !call.op.traits.has(Trait::kIdempotent)) return std::nullopt;
  const Graph& graph = rewriter.graph();
  const Node* before = maker(graph, call.inputs[0]);
  if (before == nullptr || before->op != &call.op) return std::nullopt;
  const std::span<const ValueId> inputs = graph.inputs(*before);
  if (!std::ranges::equal(inputs.subspan(1), call.inputs.subspan(1)) ||
      !std::ranges::equal(graph.attrs(*before), call.attrs))
    return std::nullopt;
  return Values{undoes ? inputs[0] : call.inputs[0]};
}

// The bits of integers that a real dtype holds exactly.
int whole_bits(DType dtype) {
  if (dtype == DType::kBool) return 1;
  if (kIntTypes.has(dtype))
    return static_cast<int>(8 * dtype_size(dtype)) - kSignedTypes.has(dtype);
  if (dtype == DType::kBFloat16) return 8;
  return dtype == DType::kFloat16 ? 11 : dtype == DType::kFloat32 ? 24 : 53;
}

bool loses_nothing(DType from, DType to) {
  if (kComplexTypes.has(from) || kComplexTypes.has(to)) return false;
  if (kRealFloatTypes.has(from))
    return to == DType::kFloat64 || (to == DType::kFloat32 && kHalfTypes.has(from));
  if (kSignedTypes.has(from) && kUnsignedTypes.has(to)) return false;
  return to != DType::kBool && whole_bits(from) <= whole_bits(to);
}

// Merges two casts if the first loses nothing and the direct one rounds or wraps like the second.
Result cast_once(Rewriter& rewriter, const Call& call) {
  const Graph& graph = rewriter.graph();
  if (!call.op.traits.has(Trait::kConverts)) return std::nullopt;
  const Node* before = maker(graph, call.inputs[0]);
  if (before == nullptr || before->op != &call.op) return std::nullopt;
  const ValueId x = graph.inputs(*before)[0];
  const DType from = graph.dtype(x);
  const DType through = graph.dtype(call.inputs[0]);
  const DType to = call.outputs[0].dtype;
  constexpr DTypeSet kWhole = kIntTypes | DType::kBool;
  const bool is_direct = to == from || to == DType::kBool || to == DType::kFloat32 ||
                         to == DType::kFloat64 || (kWhole.has(through) && kWhole.has(to));
  if (!loses_nothing(from, through) || !is_direct) return std::nullopt;
  return rewriter.call(call.op, {{x}}, call.attrs, call.location);
}

int64_t source_axis(std::span<const int64_t> perm, int rank, int64_t i) {
  if (!is_given(perm)) return rank - 1 - i;
  const int64_t axis = perm[static_cast<size_t>(i)];
  return axis < 0 ? axis + rank : axis;
}

Result transpose_once(Rewriter& rewriter, const Call& call) {
  const Graph& graph = rewriter.graph();
  if (!call.op.traits.has(Trait::kPermutes)) return std::nullopt;
  const Node* before = maker(graph, call.inputs[0]);
  if (before == nullptr || before->op != &call.op) return std::nullopt;
  const ValueId x = graph.inputs(*before)[0];
  const int rank = graph.shape(x).rank();
  IntVector perm;
  for (int i = 0; i < rank; ++i) {
    perm.push_back(source_axis(graph.attrs(*before)[0].as_ints(), rank,
                               source_axis(call.attrs[0].as_ints(), rank, i)));
  }
  const Attr attr{std::span<const int64_t>(perm)};
  return rewriter.call(call.op, {{x}}, {&attr, 1}, call.location);
}

// ZerosLike and OnesLike need only the shape of their input.
Result fill_likes(Rewriter& rewriter, const Call& call) {
  if (!call.op.everywhere || call.outputs[0].dtype == DType::kString) return std::nullopt;
  const Tensor value = Tensor::scalar(call.outputs[0].dtype, *call.op.everywhere);
  return Values{rewriter.fill(call.outputs[0].shape, value, call.location)};
}

// Calls a simpler op with the same result, about which more is known.
Result call_the_same(Rewriter& rewriter, const Call& call) {
  const OpDef* same = call.op.same_as == nullptr ? nullptr : call.op.same_as(call.attrs);
  if (same == nullptr) return std::nullopt;
  return rewriter.call(*same, call.inputs, {}, call.location);
}

// True if the call with these inputs has outputs of the same dtypes and shapes.
bool gives_the_same(const Graph& graph, const Call& call, std::span<const ValueId> inputs) {
  SmallVector<View, 4> views;
  for (ValueId input : inputs) views.push_back(graph.view(input));
  InferContext infer(call.op, views, call.attrs);
  try {
    call.op.infer.value(infer);
  } catch (const InvalidArgumentError&) {
    return false;  // the op requires equal shapes
  }
  return std::ranges::equal(infer.outputs(), call.outputs, [](const auto& a, const auto& b) {
    return a.dtype == b.dtype && a.shape == b.shape;
  });
}

// Elementwise ops broadcast operands themselves, so a repeated operand need not exist.
Result broadcast_operands(Rewriter& rewriter, const Call& call) {
  if (!call.op.traits.has(Trait::kElementwise) || call.inputs.size() < 2) return std::nullopt;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (call.op.input(i).host) continue;
    const std::optional<ValueId> value = repeated_by(rewriter, call.inputs[i]);
    if (!value || *value == call.inputs[i]) continue;
    SmallVector<ValueId, 4> inputs(call.inputs);
    inputs[i] = *value;
    if (gives_the_same(rewriter.graph(), call, inputs))
      return rewriter.call(call.op, inputs, call.attrs, call.location);
  }
  return std::nullopt;
}

// Whether an operand is repeated only along leading axes, or is one number.
bool is_suffix(const Shape& operand, const Shape& shape) {
  int first = 0;
  while (first < operand.rank() && operand[first] == 1) ++first;
  const int rank = operand.rank() - first;
  if (operand.rank() > shape.rank()) return false;
  for (int i = 1; i <= rank; ++i) {
    if (operand[operand.rank() - i] != shape[shape.rank() - i]) return false;
  }
  return true;
}

// Moves a reshape of operands behind an elementwise op, so that it does not separate ops that can
// be fused.
Result reshape_late(Rewriter& rewriter, const Call& call) {
  if (!call.op.traits.has(Trait::kElementwise) || call.outputs.size() != 1) return std::nullopt;
  const Graph& graph = rewriter.graph();
  const Shape& shape = call.outputs[0].shape;
  SmallVector<ValueId, 4> inputs(call.inputs);
  const Shape* before = nullptr;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (call.op.input(i).host) return std::nullopt;
    if (graph.shape(inputs[i]) != shape) continue;
    const Node* node = maker(graph, inputs[i]);
    const ValueId source = node == nullptr ? kNoIndex : shared_whole(graph, *node);
    if (source == kNoIndex || (before != nullptr && graph.shape(source) != *before))
      return std::nullopt;
    before = &graph.shape(source);
    inputs[i] = source;
  }
  if (before == nullptr || *before == shape) return std::nullopt;
  for (ValueId input : call.inputs) {
    const Shape& operand = graph.shape(input);
    if (operand != shape && (!is_suffix(operand, shape) || !is_suffix(operand, *before)))
      return std::nullopt;
  }
  const Values outputs = rewriter.call(call.op, inputs, call.attrs, call.location);
  return reshaped(rewriter, outputs[0], shape, call.location);
}

constexpr Rewriter::Step kRules[] = {
    share,      drop_neutral,  drop_repetition,    cast_once,    transpose_once,
    fill_likes, call_the_same, broadcast_operands, reshape_late,
};

}  // namespace

std::optional<Values> rules_step(Rewriter& rewriter, const Call& call) {
  for (const Rewriter::Step rule : kRules) {
    if (std::optional<Values> result = rule(rewriter, call)) return result;
  }
  return std::nullopt;
}

Graph apply_rules(const Graph& graph) { return rewrite(graph, rules_step); }

}  // namespace penstock
