#include "graph/passes/rewriter.h"

#include <penstock/base/error.h>

#include "graph/control.h"
#include "graph/graph.h"
#include "graph/passes/dead_code.h"
#include "ops/op_defs.h"

namespace penstock {

Rewriter::Rewriter(const Graph& from, const Options& options)
    : from_(from), options_(options), map_(from.num_values(), kNoIndex) {}

Graph Rewriter::run() {
  for (const Node& node : from_.nodes()) {
    if (node.kind == NodeKind::kOp) {
      copy_op(node);
    } else if (node.kind == NodeKind::kControl) {
      copy_control(node);
    } else if (node.kind == NodeKind::kAssign) {
      copy_assign(node);
    } else {
      map_[static_cast<size_t>(node.first_output)] = copy_leaf(node);
    }
  }
  SmallVector<ValueId, 8> outputs;
  for (ValueId output : from_.outputs()) outputs.push_back(map(output));
  SmallVector<Write, 8> writes;
  for (const Write& write : from_.writes()) writes.push_back({write.slot, map(write.value)});
  to_.set_outputs(outputs);
  to_.set_writes(writes);
  return std::move(to_);
}

// A constant stays if planning reads its data or if it is an output.
bool Rewriter::may_be_filled(ValueId constant) const {
  for (const Node& node : from_.nodes()) {
    if (node.kind != NodeKind::kOp) continue;
    const std::span<const ValueId> inputs = from_.inputs(node);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == constant && node.op->input(i).host) return false;
    }
  }
  for (ValueId output : from_.outputs()) {
    if (output == constant) return false;
  }
  for (const Write& write : from_.writes()) {
    if (write.value == constant) return false;
  }
  return true;
}

ValueId Rewriter::copy_leaf(const Node& node) {
  const ValueId value = node.first_output;
  if (node.kind == NodeKind::kInput) return to_.add_input(from_.dtype(value), from_.shape(value));
  if (node.kind == NodeKind::kRead)
    return to_.add_read(node.index, from_.dtype(value), from_.shape(value));
  const Tensor& tensor = from_.constant(node.index);
  const bool is_shared =
      options_.shares_constants && (!options_.only_own_constants || tensor.buffer().is_unique());
  if (!is_shared) return to_.add_constant(tensor);
  if (tensor.num_bytes() > kSmallConstant && is_repeated(tensor) && may_be_filled(value))
    return fill(tensor.shape(), first_element(tensor), kNoIndex);
  return constants_.add(to_, tensor);
}

void Rewriter::copy_op(const Node& node) {
  SmallVector<ValueId, 4> inputs;
  for (ValueId input : from_.inputs(node)) inputs.push_back(map(input));
  if (from_.state(node) != nullptr) return map_outputs(node, to_.add_copy(from_, node, inputs));
  const Values outputs =
      call(*node.op, inputs, from_.attrs(node), to_.add_location(from_.location(node)));
  for (size_t k = 0; k < outputs.size(); ++k)
    map_[static_cast<size_t>(node.first_output) + k] = outputs[k];
}

void Rewriter::copy_control(const Node& node) {
  SmallVector<ValueId, 4> inputs;
  for (ValueId input : from_.inputs(node)) inputs.push_back(map(input));
  const NodeId id = to_.add_copy(from_, node, inputs);
  if (options_.depth > 0) {
    Options inside = options_;
    --inside.depth;
    auto rewritten = std::make_shared<Control>(*from_.control(node));
    for (auto& region : rewritten->regions)
      region = std::make_shared<const Graph>(drop_dead_code(Rewriter(*region, inside).run()));
    to_.set_control(id, std::move(rewritten));
  }
  map_outputs(node, id);
}

// Assign nodes exist for gradients: a graph that only runs uses the value itself.
void Rewriter::copy_assign(const Node& node) {
  const ValueId value = map(from_.inputs(node)[0]);
  const bool only_runs = !options_.only_own_constants;
  map_[static_cast<size_t>(node.first_output)] =
      only_runs ? value : to_.node(to_.add_copy(from_, node, {&value, 1})).first_output;
}

void Rewriter::map_outputs(const Node& node, NodeId id) {
  for (ValueId k = 0; k < node.num_outputs; ++k)
    map_[static_cast<size_t>(node.first_output + k)] = to_.node(id).first_output + k;
}

ValueId Rewriter::constant(const Tensor& tensor) {
  return options_.shares_constants ? constants_.add(to_, tensor) : to_.add_constant(tensor);
}

ValueId Rewriter::fill(const Shape& shape, const Tensor& value, int32_t location) {
  const auto rank = static_cast<int64_t>(shape.rank());
  const ValueId inputs[] = {constant(Tensor::from<int64_t>(shape.dims(), Shape{rank})),
                            constant(value)};
  return call(fill_op, inputs, {}, location)[0];
}

Values Rewriter::call(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs,
                      int32_t location) {
  SmallVector<View, 4> views;
  for (ValueId input : inputs) views.push_back(to_.view(input));
  InferContext infer(op, views, attrs);
  op.infer.value(infer);
  const Call candidate{op, inputs, attrs, infer.outputs(), infer.scratch_bytes(), location};
  for (const Step step : options_.steps) {
    if (std::optional<Values> instead = step(*this, candidate)) return std::move(*instead);
  }
  return emit(candidate);
}

Values Rewriter::emit(const Call& call) {
  NodeId id = options_.merges_calls ? calls_.find(to_, call) : kNoIndex;
  if (id == kNoIndex) {
    id = to_.add_op(call.op, call.inputs, call.attrs, call.outputs, call.location);
    if (options_.merges_calls) calls_.add(to_, id);
  }
  const Node& node = to_.node(id);
  Values values;
  for (ValueId k = 0; k < node.num_outputs; ++k) values.push_back(node.first_output + k);
  return values;
}

}  // namespace penstock
