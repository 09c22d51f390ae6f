// LoopCall: an elementwise op on few elements, of which every operand has all or one: its loop
// called at once, where a kernel would first have to find out which one it is, over what.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "exec/compile/memory_layout.h"
#include "kernels/formula.h"

namespace penstock::exec {

struct LoopCall {
  kernels::Formula::Kind kind;
  kernels::AnyLoop loop;
  int64_t n;
  int strides[3];
  Place places[4];  // of the function's operands; that of the result is the last
};

// None for ops that need their kernel.
std::optional<LoopCall> find_loop_call(const Graph& graph, const Node& node,
                                       std::span<const Place> places);

void run_loop_call(const LoopCall& call, char* const* bases) noexcept;

}  // namespace penstock::exec
