#include "exec/trace/known_elements.h"

#include <algorithm>
#include <unordered_map>

#include <penstock/autodiff/tape.h>
#include <penstock/base/error.h>
#include <penstock/exec/trace.h>
#include <penstock/ops/dispatch.h>

#include "exec/op_call.h"
#include "exec/trace/shape_probes.h"

namespace penstock::exec {
namespace {

constexpr int64_t kMostElements = 32;
constexpr int kMostNodes = 64;

bool is_index(DType dtype) { return dtype == DType::kInt32 || dtype == DType::kInt64; }

bool is_small(DType dtype, const Shape& shape) {
  return is_index(dtype) && shape.is_known() && shape.num_elements() <= kMostElements;
}

SomeInts elements_of(const Tensor& tensor) {
  SomeInts elements;
  for (int64_t k = 0; k < tensor.num_elements(); ++k) {
    elements.emplace_back(tensor.dtype() == DType::kInt32
                              ? static_cast<const int32_t*>(tensor.raw())[k]
                              : static_cast<const int64_t*>(tensor.raw())[k]);
  }
  return elements;
}

// The elements, with a substitute for the unknown ones.
Tensor filled(const SomeInts& elements, DType dtype, const Shape& shape) {
  IntVector values;
  for (const auto& element : elements) values.push_back(element.value_or(1));
  return int_tensor(values, dtype, shape);
}

// 1 for each unknown element.
Tensor marked(const SomeInts& elements, DType dtype, const Shape& shape) {
  IntVector marks;
  for (const auto& element : elements) marks.push_back(element ? 0 : 1);
  return int_tensor(marks, dtype, shape);
}

class Walk {
 public:
  std::optional<SomeInts> of(TraceState& trace, const Tensor& tensor) {
    if (!is_small(tensor.dtype(), tensor.shape())) return std::nullopt;
    if (!tensor.is_symbolic()) return tensor.has_data() ? some(elements_of(tensor)) : std::nullopt;
    for (TraceState* owner = &trace; owner != nullptr; owner = owner->outer) {
      if (owner->number == tensor.graph()) return of_value(*owner, tensor.value());
    }
    return std::nullopt;
  }

 private:
  static std::optional<SomeInts> some(SomeInts elements) { return elements; }

  std::optional<SomeInts> of_value(TraceState& trace, ValueId value) {
    const Graph& graph = trace.graph;
    if (!is_small(graph.dtype(value), graph.shape(value))) return std::nullopt;
    if (const Tensor* constant = graph.constant_of(value)) return elements_of(*constant);
    std::optional<SomeInts> found;
    if (++nodes_ <= kMostNodes) {
      const Node& node = graph.node(graph.node_of(value));
      if (node.kind == NodeKind::kOp) found = of_call(trace, node, value);
      if (node.kind == NodeKind::kInput) found = of_input(trace, value);
    }
    if (!found) {
      found.emplace();
      for (int64_t k = 0; k < graph.shape(value).num_elements(); ++k)
        found->emplace_back(std::nullopt);
    }
    return found;
  }

  // A region's input may be a tensor of the enclosing trace.
  std::optional<SomeInts> of_input(TraceState& trace, ValueId value) {
    for (const TraceState::Capture& capture : trace.captures) {
      if (capture.inner.value() == value && trace.outer != nullptr)
        return of(*trace.outer, capture.outer);
    }
    return std::nullopt;
  }

  std::optional<SomeInts> of_call(TraceState& trace, const Node& node, ValueId value) {
    const OpDef& op = *node.op;
    if (op.traits.has(Trait::kShapeOnly)) return of_shape(trace, node, value);
    if (op.traits.has(Trait::kStateful)) return std::nullopt;
    const bool moves = op.traits.has(Trait::kMoves);
    const bool takes_some = moves || op.traits.has(Trait::kElementwise);
    const Graph& graph = trace.graph;
    std::vector<Tensor> values, marks;
    std::vector<SomeInts> operands;
    const std::span<const ValueId> inputs = graph.inputs(node);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const DType dtype = graph.dtype(inputs[i]);
      const Shape& shape = graph.shape(inputs[i]);
      if (!is_small(dtype, shape)) return std::nullopt;
      std::optional<SomeInts> elements = of_value(trace, inputs[i]);
      if (!elements) return std::nullopt;
      if ((op.input(i).host || !takes_some) && !are_known(*elements)) return std::nullopt;
      values.push_back(filled(*elements, dtype, shape));
      marks.push_back(op.input(i).host ? values.back() : marked(*elements, dtype, shape));
      operands.push_back(std::move(*elements));
    }
    const auto output = static_cast<size_t>(value - node.first_output);
    const std::optional<Tensor> result = call(op, values, graph.attrs(node), output);
    if (!result || !is_index(result->dtype())) return std::nullopt;
    SomeInts elements = elements_of(*result);
    if (!takes_some) return elements;
    if (moves) {
      const std::optional<Tensor> moved = call(op, marks, graph.attrs(node), output);
      if (!moved) return std::nullopt;
      const SomeInts unknown = elements_of(*moved);
      for (size_t k = 0; k < elements.size(); ++k) {
        if (*unknown[k] != 0) elements[k].reset();
      }
      return elements;
    }
    for (const SomeInts& operand : operands) {
      if (operand.size() != 1 && operand.size() != elements.size()) return std::nullopt;
      for (size_t k = 0; k < elements.size(); ++k) {
        if (!operand[operand.size() == 1 ? 0 : k]) elements[k].reset();
      }
    }
    return elements;
  }

  // The result of an op that reads only shapes: their dimensions, or a number computed from all of
  // them.
  std::optional<SomeInts> of_shape(TraceState& trace, const Node& node, ValueId value) {
    const Graph& graph = trace.graph;
    const Shape& shape = graph.shape(graph.inputs(node)[0]);
    const Shape& own = graph.shape(value);
    if (node.num_inputs != 1 || node.num_outputs != 1 || !shape.has_rank()) return std::nullopt;
    // Runs twice, with other sizes for the unknown dimensions: each element is one of them, or
    // grows with all of them.
    std::vector<SomeInts> trials;
    for (int64_t size : {3, 5}) {
      Shape sized = shape;
      for (int i = 0; i < sized.rank(); ++i) {
        if (sized[i] == kUnknownDim) sized.set(i, size);
      }
      const Tensor input = Tensor::symbol(trace.number, graph.inputs(node)[0],
                                          graph.dtype(graph.inputs(node)[0]), sized);
      const Tensor* pointer = &input;
      const std::optional<Tensors> outputs =
          ShapeProbes::try_call(*node.op, {&pointer, 1}, {&sized, 1}, graph.attrs(node));
      if (!outputs || (*outputs)[0].is_symbolic() || (*outputs)[0].shape() != own)
        return std::nullopt;
      trials.push_back(elements_of((*outputs)[0]));
    }
    for (size_t k = 0; k < trials[0].size(); ++k) {
      if (trials[0][k] != trials[1][k]) trials[0][k].reset();
    }
    return trials[0];
  }

  static std::optional<Tensor> call(const OpDef& op, std::span<const Tensor> inputs, Attrs attrs,
                                    size_t output) {
    const LeaveTraces leave;
    const PauseRecording pause;
    try {
      Tensors outputs = dispatch(op, pointers_to(inputs), attrs);
      if (output >= outputs.size()) return std::nullopt;
      return outputs[output];
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  int nodes_ = 0;
};

}  // namespace

std::optional<SomeInts> known_elements(TraceState& trace, const Tensor& tensor) {
  return Walk().of(trace, tensor);
}

}  // namespace penstock::exec
