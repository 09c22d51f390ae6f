// Gradients inside a function whose shapes are not all known: a node of its graph, which a replay
// with known shapes works out (Replay::call_gradient).
#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/ops/sample.h>

#include "autodiff/tape_state.h"
#include "exec/trace_state.h"

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
    is_open = is_open || outer->worlds != nullptr;
  if (!is_open) return false;
  return std::ranges::any_of(tape.records, [](const autodiff::Record& record) {
    const Tensor& output = record.outputs[0];
    return output.is_symbolic() && output.graph() != t_trace->number;
  });
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

std::optional<std::vector<Gradient>> defer_gradient(autodiff::TapeState& tape,
                                                    std::span<const Tensor> targets,
                                                    std::span<const Source> sources,
                                                    std::span<const Tensor> dys,
                                                    Unconnected unconnected) {
  if (t_trace == nullptr || t_trace->is_world) return std::nullopt;
  TraceState& trace = *t_trace;
  if (is_of_outer_open_trace(tape)) {
    throw UnimplementedError(
        "[gradient] of what a function around this one has recorded, where its shapes are not all "
        "known");
  }
  if (trace.worlds == nullptr) return std::nullopt;
  const auto on_way = autodiff::records_from(tape, sources);
  // What the records lead to, source by source: one that leads nowhere has no gradient.
  autodiff::IdMap<bool> wanted;
  for (const Tensor& target : targets) {
    if (is_differentiable(target.dtype())) wanted.set(target.id(), true);
  }
  std::vector<ValueId> way;
  bool has_calls = false, has_values = false;  // of the trace; worked out while it was made
  std::vector<Tensor> used(targets.begin(), targets.end());
  used.insert(used.end(), dys.begin(), dys.end());
  for (size_t i = tape.records.size(); i-- > 0;) {
    const autodiff::Record& record = tape.records[i];
    bool leads = false;
    for (const Tensor& output : record.outputs) leads = leads || wanted.has(output.id());
    if (!on_way[i] || !leads) continue;
    if (record.op == nullptr) {
      throw UnimplementedError(
          "[gradient] a custom gradient inside a function needs shapes that are all known");
    }
    (record.outputs[0].is_symbolic() ? has_calls : has_values) = true;
    for (const Tensor& input : record.inputs) {
      if (is_differentiable(input.dtype())) wanted.set(input.id(), true);
      used.push_back(input);
    }
    if (record.outputs[0].is_symbolic()) way.push_back(trace.value_of(record.outputs[0]));
  }
  if (has_values && !has_calls) return std::nullopt;
  if (has_values) {
    throw UnimplementedError(
        "[gradient] of a constant of a function, by way of a tensor whose shape is not known");
  }
  GradientCall call;
  call.num_targets = static_cast<int32_t>(targets.size());
  call.has_dys = !dys.empty();
  std::vector<ValueId> inputs;
  for (const Tensor& target : targets) inputs.push_back(trace.value_of(target));
  for (const Tensor& dy : dys) inputs.push_back(trace.value_of(dy));
  std::vector<Gradient> found(sources.size());
  std::vector<size_t> made;  // the sources that have an output
  std::vector<OutputSpec> outputs;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Source& source = sources[i];
    const ValueId value = value_of(trace, tape, source);
    if (value == kNoIndex) continue;
    if (unconnected == Unconnected::kNone && (!wanted.has(source.id) || !tape.known.has(source.id)))
      continue;
    inputs.push_back(value);
    made.push_back(i);
    Shape shape = trace.graph.shape(value);
    const DType rows = shape.is_known() && shape.rank() > 0 && wanted.has(source.id)
                           ? rows_of(tape, source.id)
                           : DType::kInvalid;
    call.sources.push_back(rows == DType::kInvalid ? GradientCall::Form::kDense
                                                   : GradientCall::Form::kSparse);
    if (rows != DType::kInvalid) shape.set(0, kUnknownDim);
    outputs.push_back({source.dtype, shape});
    if (rows != DType::kInvalid) outputs.push_back({rows, Shape{kUnknownDim}});
  }
  if (made.empty()) return found;
  inputs.insert(inputs.end(), way.begin(), way.end());
  const size_t first_source = call.first_source();
  const std::vector<GradientCall::Form> forms = call.sources;
  const NodeId id = trace.graph.add_gradient(std::move(call), inputs, outputs, trace.here());
  trace.added(id);
  const Tensors symbols = trace.symbols(id);
  size_t next = 0;
  for (size_t k = 0; k < made.size(); ++k) {
    const Tensor& values = symbols[next++];
    if (forms[k] == GradientCall::Form::kDense) {
      trace.worlds->add_like(values.value(), inputs[first_source + k]);
      found[made[k]] = values;
      continue;
    }
    const Tensor& indices = symbols[next++];
    trace.add_open(values.value());
    trace.add_open(indices.value());
    found[made[k]] = Gradient::sparse(values, indices, sources[made[k]].shape);
  }
  std::vector<const Tensor*> pointers;
  for (const Tensor& tensor : used) pointers.push_back(&tensor);
  // Tapes further out see the gradients as made of everything that they are worked out with.
  record_as_unknown(pointers, symbols);
  return found;
}

}  // namespace penstock::exec
