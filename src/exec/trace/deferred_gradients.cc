#include "exec/trace/deferred_gradients.h"

#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/ops.h>
#include <penstock/ops/sample.h>

#include "autodiff/backward.h"
#include "exec/op_call.h"
#include "graph/control.h"
#include "graph/graph.h"

namespace penstock::exec {
namespace {

// A source as a value of the trace; kNoIndex if nothing on the tape used it.
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

// Whether the gradient of input `i` of a call is sparse: the rows that it gathers.
bool takes_rows(const autodiff::Record& record, size_t i) {
  return i == 0 && record.op->takes_rows != nullptr && record.op->takes_rows(record.attrs.view());
}

// The dtype of the row indices, if only rows of a source are used; kInvalid otherwise.
DType rows_of(const autodiff::TapeState& tape, uint64_t source) {
  autodiff::IdMap<bool> same;  // aliases of the source
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

// Whether the tape has recorded calls of an enclosing trace with open shapes.
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

// Whether a record without an op belongs to a branch or loop of the trace: an interpreter meets the
// node again and computes its gradient then. (A trace can turn out to be open later.)
bool is_control(TraceState& trace, const autodiff::Record& record) {
  const Tensor& output = record.outputs[0];
  if (!output.is_symbolic() || output.graph() != trace.number) return false;
  const Node& node = trace.graph.node(trace.graph.node_of(trace.value_of(output)));
  return node.kind == NodeKind::kControl && !trace.graph.control(node)->has_custom_gradients;
}

Gradients worked_out_later(const GradContext&) { return {}; }
std::vector<Sample> no_samples() { return {}; }

// A placeholder that tapes record for something resolved later. It is never called.
const OpDef kUnknownOp = {.name = "Unknown",
                          .doc = "Whatever it is that made the outputs of the inputs.",
                          .infer = composed,
                          .grad = worked_out_later,
                          .samples = no_samples};

}  // namespace

void record_as_unknown(std::span<const Tensor* const> used, std::span<const Tensor> outputs) {
  if (autodiff::is_recording()) autodiff::record(kUnknownOp, used, {}, outputs);
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
  std::vector<Gradient> gradients;
  size_t next = 0;
  for (const GradientRequest::At& source : request.sources) {
    const Tensor& values = symbols[next++];
    if (source.rows == DType::kInvalid) {
      if (trace.open_shapes != nullptr) trace.open_shapes->add_like(values.value(), source.value);
      gradients.emplace_back(values);
      continue;
    }
    const Tensor& indices = symbols[next++];
    trace.add_open(values.value());
    trace.add_open(indices.value());
    gradients.push_back(Gradient::sparse(values, indices, trace.graph.shape(source.value)));
  }
  return gradients;
}

namespace {

// The path from targets to sources.
struct Way {
  autodiff::IdMap<bool> wanted;  // the ids that the records lead to
  std::vector<size_t> records;   // from last to first
  std::vector<size_t> customs;   // those among them with custom gradients
};

// A path ends at custom gradients, unless all are requested.
Way way_to(TraceState& trace, autodiff::TapeState& tape, std::span<const Tensor> targets,
           std::span<const Source> sources, bool ends_at_customs) {
  Way way;
  const auto on_way = autodiff::records_from(tape, sources);
  for (const Tensor& target : targets) {
    if (is_differentiable(target.dtype())) way.wanted.set(target.id(), true);
  }
  for (size_t i = tape.records.size(); i-- > 0;) {
    const autodiff::Record& record = tape.records[i];
    bool leads = false;
    for (const Tensor& output : record.outputs) leads = leads || way.wanted.has(output.id());
    if (!on_way[i] || !leads) continue;
    if (record.op == nullptr && !is_control(trace, record)) {
      way.customs.push_back(i);
      if (ends_at_customs) continue;
    }
    way.records.push_back(i);
    for (const Tensor& input : record.inputs) {
      if (is_differentiable(input.dtype())) way.wanted.set(input.id(), true);
    }
  }
  return way;
}

// The gradients along paths without custom gradients; nullopt if everything on them has a value.
std::optional<std::vector<Gradient>> defer_plain(TraceState& trace, autodiff::TapeState& tape,
                                                 std::span<const Tensor> targets,
                                                 std::span<const Source> sources,
                                                 std::span<const Tensor> dys,
                                                 Unconnected unconnected) {
  // A source that the records do not lead to has no gradient.
  Way way = way_to(trace, tape, targets, sources, true);
  bool has_calls = false, has_values = false;  // of the trace; already computed
  std::vector<Tensor> used(targets.begin(), targets.end());
  used.insert(used.end(), dys.begin(), dys.end());
  GradientRequest request;
  for (const size_t i : way.records) {
    const autodiff::Record& record = tape.records[i];
    (record.outputs[0].is_symbolic() ? has_calls : has_values) = true;
    used.insert(used.end(), record.inputs.begin(), record.inputs.end());
    if (record.outputs[0].is_symbolic()) request.way.push_back(trace.value_of(record.outputs[0]));
  }
  if (has_values && !has_calls) return std::nullopt;
  if (has_values) {
    throw UnimplementedError(
        "[gradient] of a constant of a function, by way of a tensor whose shape is not known");
  }
  for (const Tensor& target : targets) request.targets.push_back(trace.value_of(target));
  for (const Tensor& dy : dys) request.dys.push_back(trace.value_of(dy));
  std::vector<size_t> connected;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Source& source = sources[i];
    const ValueId value = value_of(trace, tape, source);
    if (value == kNoIndex) continue;
    if (unconnected == Unconnected::kNone &&
        (!way.wanted.has(source.id) || !tape.known.has(source.id)))
      continue;
    connected.push_back(i);
    const Shape& shape = trace.graph.shape(value);
    const bool may_be_rows = shape.is_known() && shape.rank() > 0 && way.wanted.has(source.id);
    request.sources.push_back({value, may_be_rows ? rows_of(tape, source.id) : DType::kInvalid});
  }
  std::vector<Gradient> results(sources.size());
  const std::vector<Gradient> gradients = add_gradient(trace, request);
  SmallVector<Tensor, 4> symbols;
  for (size_t k = 0; k < gradients.size(); ++k) {
    results[connected[k]] = gradients[k];
    symbols.push_back(gradients[k].values());
    if (gradients[k].is_sparse()) symbols.push_back(gradients[k].indices());
  }
  if (gradients.empty()) return results;
  // Outer tapes see the gradients as computed from everything they depend on.
  record_as_unknown(pointers_to(used), symbols);
  return results;
}

// An op call, because the shape may be unknown.
Tensor zeros_of(const Tensor& x) { return zeros_like(x); }

// Gradients through custom gradients: plain paths lead to their results, and continue from the
// gradients that they return, the last one first.
class CustomWays {
 public:
  CustomWays(TraceState& trace, autodiff::TapeState& tape, std::span<const Source> sources,
             std::span<const size_t> customs)
      : trace_(trace), tape_(tape), num_sources_(sources.size()) {
    for (const size_t i : customs) {
      const autodiff::Record& record = tape.records[i];
      if (!trace.keeps_all || record.backward == nullptr || is_of_region(record)) {
        throw UnimplementedError(
            "[gradient] a custom gradient inside a function needs shapes that are all known");
      }
      customs_.push_back(copy_of(record));
    }
    ends_.assign(sources.begin(), sources.end());
    for (const autodiff::Record& custom : customs_)
      ends_.insert(ends_.end(), custom.outputs.begin(), custom.outputs.end());
    sums_.resize(ends_.size());
  }

  std::vector<Gradient> run(std::span<const Tensor> targets, std::span<const Tensor> dys,
                            Unconnected unconnected) {
    arrive(targets, dys);
    size_t next = num_sources_;
    for (const autodiff::Record& custom : customs_) {
      const std::span<const Gradient> here(sums_.data() + next, custom.outputs.size());
      next += custom.outputs.size();
      if (std::ranges::any_of(here, [](const Gradient& dy) { return dy.defined(); }))
        pass(custom, here);
    }
    for (size_t i = 0; unconnected == Unconnected::kZero && i < num_sources_; ++i) {
      if (!sums_[i].defined()) sums_[i] = zeros_at(ends_[i]);
    }
    sums_.resize(num_sources_);
    return std::move(sums_);
  }

 private:
  bool is_of_region(const autodiff::Record& record) {
    const Tensor& output = record.outputs[0];
    if (!output.is_symbolic() || output.graph() != trace_.number) return true;
    const Node& node = trace_.graph.node(trace_.graph.node_of(trace_.value_of(output)));
    return node.kind == NodeKind::kControl;
  }

  void arrive(std::span<const Tensor> targets, std::span<const Tensor> dys) {
    const auto found = defer_plain(trace_, tape_, targets, ends_, dys, Unconnected::kNone);
    for (size_t i = 0; found && i < ends_.size(); ++i) {
      const Gradient& part = (*found)[i];
      if (!part.defined()) continue;
      if (sums_[i].defined()) {
        sums_[i].add(part);
      } else {
        sums_[i] = part;
      }
    }
  }

  void pass(const autodiff::Record& custom, std::span<const Gradient> dys) {
    std::vector<Tensor> dense;
    for (size_t i = 0; i < dys.size(); ++i)
      dense.push_back(dys[i].defined() ? dys[i].dense() : zeros_of(custom.outputs[i]));
    const std::vector<Gradient> input_gradients = (*custom.backward)(dense);
    std::vector<Tensor> inputs, gradients;
    for (size_t i = 0; i < input_gradients.size() && i < custom.inputs.size(); ++i) {
      const Tensor& input = custom.inputs[i];
      if (!input_gradients[i].defined() || !tape_.known.has(input.id())) continue;
      inputs.push_back(input);
      gradients.push_back(input_gradients[i].dense());
    }
    if (!inputs.empty()) arrive(inputs, gradients);
  }

  Gradient zeros_at(const Source& source) {
    const ValueId value = value_of(trace_, tape_, source);
    return value == kNoIndex ? Gradient() : Gradient(zeros_of(trace_.symbol(value)));
  }

  TraceState& trace_;
  autodiff::TapeState& tape_;
  const size_t num_sources_;
  std::vector<autodiff::Record> customs_;
  std::vector<Source> ends_;  // the sources, then the results of the custom gradients
  std::vector<Gradient> sums_;
};

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
  const Way whole = way_to(trace, tape, targets, sources, false);
  if (whole.customs.empty()) return defer_plain(trace, tape, targets, sources, dys, unconnected);
  return CustomWays(trace, tape, sources, whole.customs).run(targets, dys, unconnected);
}

}  // namespace penstock::exec
