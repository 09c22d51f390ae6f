// Gradients inside a function whose shapes are not all known: a node of its graph, which is worked
// out when the graph is called with known shapes (Interpreter).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "autodiff/tape_state.h"
#include "exec/trace/trace_state.h"

namespace penstock::exec {

// What stands for gradients in a trace whose shapes are not all known; none in another one.
std::optional<std::vector<Gradient>> defer_gradient(autodiff::TapeState& tape,
                                                    std::span<const Tensor> targets,
                                                    std::span<const Source> sources,
                                                    std::span<const Tensor> dys,
                                                    Unconnected unconnected);

// Gradients as a node: those of targets, with what arrives at them, at sources.
struct GradientRequest {
  std::vector<ValueId> targets, dys;
  struct At {
    ValueId value;
    DType rows = DType::kInvalid;  // of the indices, where the gradient is one of rows
  };
  std::vector<At> sources;
  std::vector<ValueId> way;  // an output of every node between
};
// The gradients, source by source.
std::vector<Gradient> add_gradient(TraceState& trace, const GradientRequest& request);

// Tells tapes that the outputs come from the inputs by way of a node whose gradient is deferred.
void record_as_unknown(std::span<const Tensor* const> used, std::span<const Tensor> made);

}  // namespace penstock::exec
