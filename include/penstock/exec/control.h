// Control flow: branches and loops. Outside of functions they run at once; inside one they become
// part of it, decided whenever it runs.
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
  // How many states of earlier steps a gradient may keep; 0: about the square root of the number of
  // steps. The others are worked out again.
  int64_t checkpoints = 0;
  // Keep these in a file instead of memory.
  bool swap_memory = false;
};

using BranchFn = std::function<Tensors()>;
using ConditionFn = std::function<Tensor(std::span<const Tensor> state)>;
using BodyFn = std::function<Tensors(std::span<const Tensor> state)>;

// What the function gives that the bool scalar `pred` picks. Both give the same dtypes.
PEN_API Tensors cond(const Tensor& pred, const BranchFn& true_fn, const BranchFn& false_fn);
// The state after `body` has been called on it for as long as `condition` holds.
PEN_API Tensors while_loop(const ConditionFn& condition, const BodyFn& body,
                           std::span<const Tensor> state, const LoopOptions& options = {});

// For fronts that trace regions themselves: functions that a Trace of kind kRegion has made. Pre: a
// trace is open.
//
// A region in which the host has given a call a gradient of its own, which is not in its graph: who
// asks for a gradient by way of it is told so.
PEN_API void note_custom_gradients(const Function& region);
// The results of the region with the number `index`, an int32 scalar; of the last one where there
// is none. Regions have no inputs.
PEN_API Tensors add_branch(const Tensor& index, std::span<const Function> regions);
// Both regions have the state as inputs.
PEN_API Tensors add_loop(const Function& condition, const Function& body,
                         std::span<const Tensor> state, const LoopOptions& options = {});

}  // namespace penstock
