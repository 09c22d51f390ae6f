// Regions: control nodes of a graph, added to a trace, replayed, and called one by one.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "graph/control.h"

namespace penstock::exec {

struct StateMap;
struct TraceState;

// Adds a control node to the trace; tapes record it.
Tensors add_control(TraceState& trace, const std::shared_ptr<const Control>& control,
                    std::span<const Tensor> inputs);

// A control node called with these inputs: inside a trace it becomes part of that, worked out for
// their shapes; otherwise it runs, region by region, and tapes record what these do.
// `loops` are the numbers that loops have got in this replay, `states` what random ops draw by
// instead of the regions' own states.
using LoopNumbers = std::unordered_map<uint64_t, uint64_t>;
Tensors call_control(const std::shared_ptr<const Control>& control,
                     std::span<const Tensor* const> inputs, LoopNumbers& loops, StateMap* states);

// Tells tapes how gradients go back through a control node whose shapes are all known.
void record_control(const std::shared_ptr<const Control>& control, std::span<const Tensor> inputs,
                    std::span<const Tensor> outputs);

// The outputs of a region, its nodes called one by one.
std::vector<Tensor> replay_region(const Graph& region, std::span<const Tensor> inputs,
                                  StateMap* states = nullptr);

// The shapes that two regions' outputs have in common: what differs is not known.
Shape common_shape(const Shape& a, const Shape& b);

}  // namespace penstock::exec
