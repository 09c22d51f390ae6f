// How dispatch notifies the tapes of its thread.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include <penstock/autodiff/tape.h>
#include <penstock/ops/dispatch.h>

#include "autodiff/thread_tapes.h"

namespace penstock::autodiff {

// Records the call on every tape of this thread that follows one of the inputs.
void record(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
            std::span<const Tensor> outputs);
// The same for an op without a gradient: tapes stop following there.
void record_loss(const OpDef& op, std::span<const Tensor* const> inputs,
                 std::span<const Tensor> outputs);
// Removes the last call from the tapes: it failed after it was recorded.
void unrecord(std::span<const Tensor> outputs) noexcept;

// Whether this thread has a forward accumulator: it needs the inputs and outputs of a call, so
// nothing may be overwritten.
bool has_accumulator();

// Whether a tape of this thread follows one of the tensors.
bool knows_any(std::span<const Tensor* const> tensors);
// The same for a variable.
bool knows(uint64_t variable);

// Whether gradients may themselves be recorded: by a second tape, or by a persistent one.
bool may_record_gradients();

// Returns placeholders for gradients that cannot be computed yet because shapes are unknown; none
// if they can be. Set once, by the layer that knows about traces.
using DeferFn = std::optional<std::vector<Gradient>> (*)(TapeState& tape,
                                                         std::span<const Tensor> targets,
                                                         std::span<const Source> sources,
                                                         std::span<const Tensor> dys,
                                                         Unconnected unconnected);
extern std::atomic<DeferFn> g_defer;

// Makes this thread's tapes watch a trainable variable that is being read.
void watch_variable(uint64_t id);

}  // namespace penstock::autodiff
