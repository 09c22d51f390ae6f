// Gradients inside a function with open shapes: a node of its graph, which is resolved when the
// graph is called with known shapes (Interpreter).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "autodiff/tape_state.h"
#include "exec/trace/trace_state.h"

namespace penstock::exec {

// Placeholders for gradients in a trace with open shapes; none in any other trace.
std::optional<std::vector<Gradient>> defer_gradient(autodiff::TapeState& tape,
                                                    std::span<const Tensor> targets,
                                                    std::span<const Source> sources,
                                                    std::span<const Tensor> dys,
                                                    Unconnected unconnected);

// The gradients of targets with respect to sources, as a node, with the gradients that arrive at
// the targets.
struct GradientRequest {
  std::vector<ValueId> targets, dys;
  struct At {
    ValueId value;
    DType rows = DType::kInvalid;  // of the indices, if the gradient is sparse
  };
  std::vector<At> sources;
  std::vector<ValueId> way;  // an output of every node in between
};
// The gradients, source by source.
std::vector<Gradient> add_gradient(TraceState& trace, const GradientRequest& request);

// Records on tapes that the outputs come from the inputs through a node with a deferred gradient.
void record_as_unknown(std::span<const Tensor* const> used, std::span<const Tensor> made);

}  // namespace penstock::exec
