// For tests: kernels run with the instruction set that is chosen here, not with this machine's
// best.
#pragma once

#include <span>
#include <string_view>

namespace penstock::kernels {

// The names of the instruction sets that kernels are compiled for and this machine has, best first:
// "AVX2", "SSE2".
std::span<const std::string_view> usable_targets();

// Kernels run with one of them until the next choice. None may be running.
void choose_target(std::string_view name);
void choose_best_target();

}  // namespace penstock::kernels
