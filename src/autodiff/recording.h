// How dispatch tells the tapes of its thread.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include <penstock/autodiff/tape.h>
#include <penstock/ops/dispatch.h>

#include "autodiff/thread_tapes.h"

namespace penstock::autodiff {

// Tells every tape of this thread that knows one of the inputs.
void record(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
            std::span<const Tensor> outputs);
// Likewise for an op without a gradient: there they lose track.
void record_loss(const OpDef& op, std::span<const Tensor* const> inputs,
                 std::span<const Tensor> outputs);
// Takes the last call back where it was recorded: it failed after all.
void unrecord(std::span<const Tensor> outputs) noexcept;

// Whether a forward accumulator of this thread is among them: it needs inputs and outputs of calls
// alike, so nothing may be written over.
bool has_accumulator();

// Whether a tape of this thread follows one of the tensors.
bool knows_any(std::span<const Tensor* const> tensors);
// Likewise of a variable.
bool knows(uint64_t variable);

// Whether gradients may themselves be recorded: by a second tape, or by a persistent one.
bool may_record_gradients();

// Where gradients cannot be worked out yet, because shapes are not known: what stands for them.
// Set once, by who knows about traces; none when they can.
using DeferFn = std::optional<std::vector<Gradient>> (*)(TapeState& tape,
                                                         std::span<const Tensor> targets,
                                                         std::span<const Source> sources,
                                                         std::span<const Tensor> dys,
                                                         Unconnected unconnected);
extern std::atomic<DeferFn> g_defer;

// Makes this thread's tapes watch a trainable variable that is being read.
void watch_variable(uint64_t id);

}  // namespace penstock::autodiff
