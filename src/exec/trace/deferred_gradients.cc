#include "exec/trace/deferred_gradients.h"

#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/ops/sample.h>

#include "exec/op_call.h"
#include "graph/control.h"

namespace penstock::exec {
namespace {

// A source as a value of the trace; kNoIndex when nothing on the tape has used it.
ValueId value_of(TraceState& trace, const autodiff::TapeState& tape, const Source& source) {
  if (source.graph == trace.number) return source.value;
  if (source.is_variable) return trace.read_of(source.id);
  for (const autodiff::Record& record : tape.records) {
    for (const Tensor& input : record.inputs) {
      if (input.id() == source.id) return trace.value_of(input);
    }
  }
  return kNoIndex;
}

// Whether input `i` of a call gets the gradients of few rows: those that it takes.
bool takes_rows(const autodiff::Record& record, size_t i) {
  const std::string_view name = record.op->name;
  if (i != 0 || (name != "GatherV2" && name != "EmbeddingLookup")) return false;
  if (name == "EmbeddingLookup") return true;
  const Attrs attrs = record.attrs.view();
  return std::ranges::all_of(attrs, [](const Attr& axis) { return axis.as_int() == 0; });
}

// The dtype of the rows' indices, when nothing but rows of a source is used; kInvalid otherwise.
DType rows_of(const autodiff::TapeState& tape, uint64_t source) {
  autodiff::IdMap<bool> same;  // what the source is handed on as
  same.set(source, true);
  DType indices = DType::kInvalid;
  for (const autodiff::Record& record : tape.records) {
    for (size_t i = 0; i < record.inputs.size(); ++i) {
      if (!same.has(record.inputs[i].id())) continue;
      if (record.op == nullptr) return DType::kInvalid;
      if (record.op->traits.has(Trait::kSparseGrad)) {
        for (const Tensor& output : record.outputs) same.set(output.id(), true);
        continue;
      }
      const DType found = takes_rows(record, i) ? record.inputs[1].dtype() : DType::kInvalid;
      if (found == DType::kInvalid || (indices != DType::kInvalid && indices != found))
        return DType::kInvalid;
      indices = found;
    }
  }
  return indices;
}

// Whether the tape has recorded calls of a trace around this one that has open shapes.
bool is_of_outer_open_trace(const autodiff::TapeState& tape) {
  bool is_open = false;
  for (const TraceState* outer = t_trace; outer != nullptr; outer = outer->outer)
    is_open = is_open || outer->open_shapes != nullptr;
  if (!is_open) return false;
  return std::ranges::any_of(tape.records, [](const autodiff::Record& record) {
    const Tensor& output = record.outputs[0];
    return output.is_symbolic() && output.graph() != t_trace->number;
  });
}

// Whether a record without an op is that of a branch or a loop of the trace: an interpreter meets
// the node again, and works out its gradient then. (A trace can turn out to be open after it.)
bool is_control(TraceState& trace, const autodiff::Record& record) {
  const Tensor& output = record.outputs[0];
  if (!output.is_symbolic() || output.graph() != trace.number) return false;
  const Node& node = trace.graph.node(trace.graph.node_of(trace.value_of(output)));
  return node.kind == NodeKind::kControl && !trace.graph.control(node)->has_custom_gradients;
}

Gradients worked_out_later(const GradContext&) { return {}; }
std::vector<Sample> no_samples() { return {}; }

// What tapes record in the place of something that is worked out later. It is never called.
const OpDef kUnknownOp = {.name = "Unknown",
                          .doc = "Whatever it is that made the outputs of the inputs.",
                          .infer = composed,
                          .grad = worked_out_later,
                          .samples = no_samples};

}  // namespace

void record_as_unknown(std::span<const Tensor* const> used, std::span<const Tensor> made) {
  if (autodiff::is_recording()) autodiff::record(kUnknownOp, used, {}, made);
}

std::vector<Gradient> add_gradient(TraceState& trace, const GradientRequest& request) {
  if (request.sources.empty()) return {};
  GradientCall call;
  call.num_targets = static_cast<int32_t>(request.targets.size());
  call.has_dys = !request.dys.empty();
  std::vector<ValueId> inputs = request.targets;
  inputs.insert(inputs.end(), request.dys.begin(), request.dys.end());
  std::vector<OutputSpec> outputs;
  for (const GradientRequest::At& source : request.sources) {
    const bool is_rows = source.rows != DType::kInvalid;
    inputs.push_back(source.value);
    call.sources.push_back(is_rows ? GradientCall::Form::kSparse : GradientCall::Form::kDense);
    Shape shape = trace.graph.shape(source.value);
    if (is_rows) shape.set(0, kUnknownDim);
    outputs.push_back({trace.graph.dtype(source.value), shape});
    if (is_rows) outputs.push_back({source.rows, Shape{kUnknownDim}});
  }
  inputs.insert(inputs.end(), request.way.begin(), request.way.end());
  const NodeId id = trace.graph.add_gradient(std::move(call), inputs, outputs, trace.here());
  trace.added(id);
  const Tensors symbols = trace.symbols(id);
  std::vector<Gradient> made;
  size_t next = 0;
  for (const GradientRequest::At& source : request.sources) {
    const Tensor& values = symbols[next++];
    if (source.rows == DType::kInvalid) {
      if (trace.open_shapes != nullptr) trace.open_shapes->add_like(values.value(), source.value);
      made.emplace_back(values);
      continue;
    }
    const Tensor& indices = symbols[next++];
    trace.add_open(values.value());
    trace.add_open(indices.value());
    made.push_back(Gradient::sparse(values, indices, trace.graph.shape(source.value)));
  }
  return made;
}

namespace {

// What lies between sources and targets on a tape.
struct Between {
  autodiff::IdMap<bool> wanted;  // tensors that lead to a target
  std::vector<ValueId> way;      // an output of every call
  std::vector<Tensor> used;      // all that the gradients are worked out with
  bool has_calls = false;        // of the trace
  bool has_values = false;       // that were worked out while it was made
};

Between find_between(TraceState& trace, autodiff::TapeState& tape, std::span<const Tensor> targets,
                     std::span<const Source> sources, std::span<const Tensor> dys) {
  const auto on_way = autodiff::records_from(tape, sources);
  Between found;
  for (const Tensor& target : targets) {
    if (is_differentiable(target.dtype())) found.wanted.set(target.id(), true);
  }
  found.used.assign(targets.begin(), targets.end());
  found.used.insert(found.used.end(), dys.begin(), dys.end());
  for (size_t i = tape.records.size(); i-- > 0;) {
    const autodiff::Record& record = tape.records[i];
    bool leads = false;
    for (const Tensor& output : record.outputs) leads = leads || found.wanted.has(output.id());
    if (!on_way[i] || !leads) continue;
    if (record.op == nullptr && !is_control(trace, record)) {
      throw UnimplementedError(
          "[gradient] a custom gradient inside a function needs shapes that are all known");
    }
    const bool is_call = record.outputs[0].is_symbolic();
    (is_call ? found.has_calls : found.has_values) = true;
    for (const Tensor& input : record.inputs) {
      if (is_differentiable(input.dtype())) found.wanted.set(input.id(), true);
      found.used.push_back(input);
    }
    if (is_call) found.way.push_back(trace.value_of(record.outputs[0]));
  }
  return found;
}

}  // namespace

std::optional<std::vector<Gradient>> defer_gradient(autodiff::TapeState& tape,
                                                    std::span<const Tensor> targets,
                                                    std::span<const Source> sources,
                                                    std::span<const Tensor> dys,
                                                    Unconnected unconnected) {
  if (t_trace == nullptr || t_trace->is_probe) return std::nullopt;
  TraceState& trace = *t_trace;
  if (is_of_outer_open_trace(tape)) {
    throw UnimplementedError(
        "[gradient] of what a function around this one has recorded, where its shapes are not all "
        "known");
  }
  if (trace.open_shapes == nullptr) return std::nullopt;
  Between between = find_between(trace, tape, targets, sources, dys);
  if (between.has_values && !between.has_calls) return std::nullopt;
  if (between.has_values) {
    throw UnimplementedError(
        "[gradient] of a constant of a function, by way of a tensor whose shape is not known");
  }
  GradientRequest request;
  request.way = std::move(between.way);
  for (const Tensor& target : targets) request.targets.push_back(trace.value_of(target));
  for (const Tensor& dy : dys) request.dys.push_back(trace.value_of(dy));
  // A source that leads nowhere has no gradient.
  std::vector<size_t> connected;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Source& source = sources[i];
    const bool leads = between.wanted.has(source.id);
    const ValueId value = value_of(trace, tape, source);
    if (value == kNoIndex) continue;
    if (unconnected == Unconnected::kNone && (!leads || !tape.known.has(source.id))) continue;
    connected.push_back(i);
    const Shape& shape = trace.graph.shape(value);
    const bool may_be_rows = shape.is_known() && shape.rank() > 0 && leads;
    request.sources.push_back({value, may_be_rows ? rows_of(tape, source.id) : DType::kInvalid});
  }
  std::vector<Gradient> found(sources.size());
  const std::vector<Gradient> made = add_gradient(trace, request);
  SmallVector<Tensor, 4> symbols;
  for (size_t k = 0; k < made.size(); ++k) {
    found[connected[k]] = made[k];
    symbols.push_back(made[k].values());
    if (made[k].is_sparse()) symbols.push_back(made[k].indices());
  }
  if (made.empty()) return found;
  // Tapes further out see the gradients as made of everything that they are worked out with.
  record_as_unknown(pointers_to(between.used), symbols);
  return found;
}

}  // namespace penstock::exec
