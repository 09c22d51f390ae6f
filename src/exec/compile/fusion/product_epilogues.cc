#include "exec/compile/fusion/product_epilogues.h"

#include <algorithm>

namespace penstock::exec {
namespace {

using kernels::Activation;
using kernels::Formula;

// Null if the node is not an op.
const Formula* formula_of(const Node& node) {
  return node.op == nullptr ? nullptr : node.op->cpu.formula;
}

bool is_product(const Node& node) {
  const Formula* formula = formula_of(node);
  return formula != nullptr && formula->kind == Formula::Kind::kProduct;
}

// Small and thin products have no epilogue. Neither have half types, because their sums would be
// rounded later than without one.
bool takes_epilogue(const Graph& graph, const Node& node) {
  const DType dtype = graph.dtype(node.first_output);
  if (!is_product(node) || (dtype != DType::kFloat32 && dtype != DType::kFloat64)) return false;
  if (!node.op->cpu.formula->takes_epilogue(graph.attrs(node))) return false;
  SmallVector<View, 4> views;
  for (ValueId input : graph.inputs(node)) views.push_back(graph.view(input));
  InferContext infer(*node.op, views, graph.attrs(node));
  node.op->infer.value(infer);
  return infer.scratch_bytes() > 0;
}

// The other operand, if `node` adds one number per column to `value`; otherwise kNoIndex.
ValueId bias_of(const Graph& graph, const Node& node, ValueId value) {
  const Formula* formula = formula_of(node);
  if (formula == nullptr || formula->kind != Formula::Kind::kBinary ||
      formula->binary() != kernels::BinaryOp::kAdd)
    return kNoIndex;
  const std::span<const ValueId> inputs = graph.inputs(node);
  const ValueId bias = inputs[0] == value ? inputs[1] : inputs[0];
  const Shape &shape = graph.shape(value), &of_bias = graph.shape(bias);
  if (of_bias.rank() == 0 || graph.shape(node.first_output) != shape) return kNoIndex;
  const int64_t columns = shape[shape.rank() - 1];
  const bool is_row = of_bias[of_bias.rank() - 1] == columns && of_bias.num_elements() == columns;
  return is_row && shape.num_elements() > columns ? bias : kNoIndex;
}

Activation activation_of(const Node& node) {
  const Formula* formula = formula_of(node);
  if (formula == nullptr || formula->kind != Formula::Kind::kUnary) return Activation::kNone;
  if (formula->unary() == kernels::UnaryOp::kRelu) return Activation::kRelu;
  if (formula->unary() == kernels::UnaryOp::kRelu6) return Activation::kRelu6;
  return Activation::kNone;
}

// The number of uses of each value, and the position of the last.
class Users {
 public:
  Users(const Graph& graph, std::span<const NodeId> nodes)
      : graph_(graph), nodes_(nodes), uses_(graph.num_values()), last_(graph.num_values()) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (ValueId input : graph.inputs(graph.node(nodes[i]))) {
        ++uses_[static_cast<size_t>(input)];
        last_[static_cast<size_t>(input)] = i;
      }
    }
    for (ValueId output : graph.outputs()) uses_[static_cast<size_t>(output)] += 2;
    for (const Write& write : graph.writes()) uses_[static_cast<size_t>(write.value)] += 2;
  }

  // The positions of the product at `at` and of the ops that only continue it, as far as an
  // epilogue goes.
  std::vector<size_t> chain(size_t at) const {
    std::vector<size_t> positions{at};
    ValueId value = graph_.node(nodes_[at]).first_output;
    bool has_bias = false;
    while (uses_[static_cast<size_t>(value)] == 1) {
      const size_t next = last_[static_cast<size_t>(value)];
      const Node& node = graph_.node(nodes_[next]);
      const bool is_activation = activation_of(node) != Activation::kNone;
      if (!is_activation && (has_bias || bias_of(graph_, node, value) == kNoIndex)) break;
      positions.push_back(next);
      if (is_activation) break;
      has_bias = true;
      value = node.first_output;
    }
    return positions;
  }

 private:
  const Graph& graph_;
  std::span<const NodeId> nodes_;
  std::vector<int32_t> uses_;
  std::vector<size_t> last_;
};

}  // namespace

void group_epilogues(const Graph& graph, std::span<const NodeId> nodes,
                     std::vector<int32_t>& groups) {
  const Users users(graph, nodes);
  int32_t next = 0;
  for (int32_t group : groups) next = std::max(next, group + 1);
  for (size_t at = 0; at < nodes.size(); ++at) {
    if (!takes_epilogue(graph, graph.node(nodes[at]))) continue;
    const std::vector<size_t> chain = users.chain(at);
    if (chain.size() < 2) continue;
    for (size_t position : chain) groups[position] = next;
    ++next;
  }
  std::vector<int32_t> members(static_cast<size_t>(next));
  for (int32_t group : groups) {
    if (group != kNoIndex) ++members[static_cast<size_t>(group)];
  }
  for (int32_t& group : groups) {
    if (group != kNoIndex && members[static_cast<size_t>(group)] < 2) group = kNoIndex;
  }
}

ProductStep product_step(const Graph& graph, std::span<const NodeId> step) {
  ProductStep found;
  const Node& product = graph.node(step[0]);
  if (step.size() < 2 || !is_product(product)) return found;
  found.run = product.op->cpu.formula->product;
  ValueId value = product.first_output;
  for (NodeId id : step.subspan(1)) {
    const Node& node = graph.node(id);
    found.activation = activation_of(node);
    if (found.activation == Activation::kNone) found.bias = bias_of(graph, node, value);
    value = node.first_output;
  }
  return found;
}

}  // namespace penstock::exec
