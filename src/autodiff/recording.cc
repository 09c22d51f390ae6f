#include "autodiff/recording.h"

#include <algorithm>
#include <utility>

#include <penstock/base/error.h>

#include "autodiff/push_forward.h"
#include "autodiff/tape_state.h"

namespace penstock::autodiff {

std::atomic<DeferFn> g_defer{nullptr};

namespace {

// Calls visit(tape) for every open tape of this thread; removes those closed by other threads.
template <typename Visit>
void for_each_tape(Visit visit) {
  for (TapeState* tape = t_innermost; tape != nullptr;) {
    TapeState* below = tape->below;
    if (tape->is_closed.load(std::memory_order_acquire)) {
      unlist_tape(tape);
    } else {
      visit(*tape);
    }
    tape = below;
  }
}

bool follows_any(TapeState& tape, auto&& inputs) {
  for (const Tensor& input : inputs) {
    if (is_differentiable(input.dtype()) && tape.knows(input.id())) return true;
  }
  return false;
}

// Notifies the accumulators among the tapes, outermost first: inner ones compute their tangents
// with calls that outer ones must see, with the tangents of this call.
void tell_accumulators(Record call) {
  SmallVector<TapeState*, 2> accumulators;
  for_each_tape([&](TapeState& tape) {
    if (tape.tangents != nullptr && follows_any(tape, call.inputs)) accumulators.push_back(&tape);
  });
  for (size_t i = accumulators.size(); i-- > 0;) push_forward(*accumulators[i], call);
}

}  // namespace

void record(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
            std::span<const Tensor> outputs) {
  bool accumulates = false;
  for_each_tape([&](TapeState& tape) {
    accumulates = accumulates || tape.tangents != nullptr;
    if (tape.options.watch_only || tape.tangents != nullptr) return;
    bool is_known = false;
    for (const Tensor* input : inputs) {
      is_known = is_known || (is_differentiable(input->dtype()) && tape.known.has(input->id()));
    }
    if (!is_known) return;
    Record call;
    call.op = &op;
    call.attrs = OwnedAttrs(attrs);
    const auto kept = [](const Tensor& tensor, uint32_t saves, size_t i) {
      return ((saves >> std::min<size_t>(i, 31)) & 1) != 0 ? tensor : tensor.without_data();
    };
    for (size_t i = 0; i < inputs.size(); ++i)
      call.inputs.push_back(kept(*inputs[i], op.saves.inputs, i));
    for (size_t i = 0; i < outputs.size(); ++i)
      call.outputs.push_back(kept(outputs[i], op.saves.outputs, i));
    tape.add(std::move(call));
  });
  if (__builtin_expect(!accumulates, 1)) return;
  Record call;
  call.op = &op;
  call.attrs = OwnedAttrs(attrs);
  for (const Tensor* input : inputs) call.inputs.push_back(*input);
  for (const Tensor& output : outputs) call.outputs.push_back(output);
  tell_accumulators(std::move(call));
}

void record_loss(const OpDef& op, std::span<const Tensor* const> inputs,
                 std::span<const Tensor> outputs) {
  // Ops that read only shapes, or return no differentiable numbers, lose nothing.
  if (op.traits.has(Trait::kShapeOnly) ||
      std::ranges::none_of(outputs, [](const Tensor& o) { return is_differentiable(o.dtype()); }))
    return;
  for_each_tape([&](TapeState& tape) {
    if (tape.tangents != nullptr) return;
    for (const Tensor* input : inputs) {
      if (is_differentiable(input->dtype()) && tape.known.has(input->id())) tape.lost_at = &op;
    }
  });
}

bool has_accumulator() {
  bool has = false;
  for_each_tape([&](TapeState& tape) { has = has || tape.tangents != nullptr; });
  return has;
}

void unrecord(std::span<const Tensor> outputs) noexcept {
  for_each_tape([&](TapeState& tape) {
    if (tape.records.empty() || tape.records.back().outputs.empty()) return;
    if (tape.records.back().outputs[0].id() == outputs[0].id()) tape.records.pop_back();
  });
}

bool knows_any(std::span<const Tensor* const> tensors) {
  bool known = false;
  for_each_tape([&](TapeState& tape) {
    for (const Tensor* tensor : tensors)
      known = known || (is_differentiable(tensor->dtype()) && tape.knows(tensor->id()));
  });
  return known;
}

bool knows(uint64_t variable) {
  bool known = false;
  for_each_tape([&](TapeState& tape) { known = known || tape.knows(variable); });
  return known;
}

bool may_record_gradients() {
  int tapes = 0;
  for_each_tape([&](TapeState& tape) {
    tapes += tape.options.persistent || tape.tangents != nullptr ? 2 : 1;
  });
  return tapes > 1;
}

void watch_variable(uint64_t id) {
  for_each_tape([&](TapeState& tape) {
    if (tape.options.watch_variables) tape.watch_variable(id);
  });
}

}  // namespace penstock::autodiff

namespace penstock {

PauseRecording::PauseRecording() : before_(std::exchange(autodiff::t_paused, true)) {}
PauseRecording::~PauseRecording() { autodiff::t_paused = before_; }

HideTapes::HideTapes() : hidden_(std::exchange(autodiff::t_innermost, nullptr)) {}
HideTapes::~HideTapes() {
  autodiff::TapeState** outermost = &autodiff::t_innermost;
  while (*outermost != nullptr) outermost = &(*outermost)->below;
  *outermost = hidden_;
}

bool HideTapes::knows(const Tensor& tensor) const {
  if (!is_differentiable(tensor.dtype())) return false;
  for (autodiff::TapeState* tape = hidden_; tape != nullptr; tape = tape->below) {
    if (tape->knows(tensor.id())) return true;
  }
  return false;
}

void record_custom(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                   Backward backward) {
  if (!autodiff::is_recording()) return;
  with_memory_errors("custom gradient", [&] {
    const auto shared = std::make_shared<const Backward>(std::move(backward));
    autodiff::for_each_tape([&](autodiff::TapeState& tape) {
      if (tape.options.watch_only || tape.tangents != nullptr) return;
      if (!autodiff::follows_any(tape, inputs)) return;
      autodiff::Record call;
      call.backward = shared;
      for (const Tensor& input : inputs) call.inputs.push_back(input.without_data());
      for (const Tensor& output : outputs) call.outputs.push_back(output.without_data());
      tape.add(std::move(call));
    });
    if (!autodiff::has_accumulator()) return;
    autodiff::Record call;
    call.backward = shared;
    for (const Tensor& input : inputs) call.inputs.push_back(input);
    for (const Tensor& output : outputs) call.outputs.push_back(output);
    autodiff::tell_accumulators(std::move(call));
  });
}

Tensors custom_gradient(const std::function<CustomResult(std::span<const Tensor>)>& forward,
                        std::span<const Tensor> inputs) {
  CustomResult result;
  {
    const PauseRecording pause;
    result = forward(inputs);
  }
  // Fresh ids: an output that is also an input must not be mistaken for it.
  for (Tensor& output : result.outputs) output = output.shared_as(output.shape());
  record_custom(inputs, result.outputs, std::move(result.backward));
  return std::move(result.outputs);
}

}  // namespace penstock
