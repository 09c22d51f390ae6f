// Reverse mode: gradients from a tape's records, the last record first.
#pragma once

#include <span>
#include <vector>

#include "autodiff/tape_state.h"

namespace penstock::autodiff {

// One flag per record: whether it depends on the sources.
std::vector<bool, Counted<bool>> records_from(TapeState& tape, std::span<const Source> sources);
std::vector<Gradient> run_backward(TapeState& tape, std::span<const Tensor> targets,
                                   std::span<const Source> sources, std::span<const Tensor> dys);

}  // namespace penstock::autodiff
