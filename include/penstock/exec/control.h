// Control flow: branches and loops. Outside functions they run immediately. Inside a function they
// become part of it and are decided at run time.
//
//   Tensor y = cond(x > 0, [&] { return Tensors{x}; }, [&] { return Tensors{-x}; })[0];
//   Tensors last = while_loop([&](auto s) { return s[0] < 10; },
//                             [&](auto s) { return Tensors{s[0] + 1, s[1] * 2}; }, {i, y});
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include <penstock/base/export.h>
#include <penstock/exec/function.h>

namespace penstock {

struct LoopOptions {
  // The number of loop states that a gradient may keep; 0: about the square root of the number of
  // steps. The others are recomputed.
  int64_t checkpoints = 0;
  // Keep these states in a file instead of memory.
  bool swap_memory = false;
};

using BranchFn = std::function<Tensors()>;
using ConditionFn = std::function<Tensor(std::span<const Tensor> state)>;
using BodyFn = std::function<Tensors(std::span<const Tensor> state)>;

// The results of the function that the bool scalar `pred` selects. Both return the same dtypes.
PEN_API Tensors cond(const Tensor& pred, const BranchFn& true_fn, const BranchFn& false_fn);
// The state after `body` has run for as long as `condition` holds.
PEN_API Tensors while_loop(const ConditionFn& condition, const BodyFn& body,
                           std::span<const Tensor> state, const LoopOptions& options = {});

// For front ends that trace regions themselves: functions made by a Trace of kind kRegion. Pre: a
// trace is open.
//
// Marks a region in which the host gave a call a custom gradient that is not part of its graph:
// taking a gradient through the region throws.
PEN_API void note_custom_gradients(const Function& region);
// The results of region number `index`, an int32 scalar; of the last region if the index is out of
// range. Regions have no inputs.
PEN_API Tensors add_branch(const Tensor& index, std::span<const Function> regions);
// Both regions take the state as inputs.
PEN_API Tensors add_loop(const Function& condition, const Function& body,
                         std::span<const Tensor> state, const LoopOptions& options = {});

}  // namespace penstock
