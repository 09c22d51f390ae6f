// Forward mode derived from reverse mode. A gradient is a linear function of the gradients at the
// outputs, the transposed Jacobian, so its own gradient along the tangents is the Jacobian times
// them. An elementwise op needs no second pass: its Jacobian is its own transpose.
#include "autodiff/push_forward.h"

#include <algorithm>
#include <utility>

#include <penstock/autodiff/forward.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/ops.h>

#include "autodiff/thread_tapes.h"

namespace penstock::autodiff {
namespace {

// From this size on, computing an unused gradient costs more than a trace.
constexpr int64_t kLargeBytes = 64 * 1024;

std::string_view name_of(const Record& call) {
  return call.op != nullptr ? std::string_view(call.op->name) : "custom gradient";
}

// Whether output element i depends only on element i of every input with a tangent.
bool is_diagonal(const Record& call, const Moving& moving) {
  if (call.op == nullptr || !call.op->traits.has(Trait::kElementwise) || call.outputs.size() != 1)
    return false;
  const Tensor& output = call.outputs[0];
  if (!kRealFloatTypes.has(output.dtype()) || !output.shape().is_known()) return false;
  for (size_t i : moving.inputs) {
    const Tensor& input = call.inputs[i];
    if (input.dtype() != output.dtype() || input.shape() != output.shape()) return false;
  }
  return true;
}

Tensor diagonal_tangent(const Record& call, const Moving& moving) {
  Gradient sum;
  for (size_t k = 0; k < moving.inputs.size(); ++k) {
    const size_t i = moving.inputs[k];
    const Gradient arriving(moving.tangents[k]);
    const uint64_t needed = i < 64 ? uint64_t{1} << i : 0;
    Gradients gradients = call.op->grad.value(GradContext(
        *call.op, call.inputs, call.outputs, call.attrs.view(), {&arriving, 1}, needed));
    if (!gradients[i].defined()) continue;
    if (sum.defined()) {
      sum.add(gradients[i]);
    } else {
      sum = std::move(gradients[i]);
    }
  }
  return sum.defined() ? sum.dense() : Tensor();
}

// A tape merges the gradients of an input that occurs twice.
Moving without_repetitions(const Record& call, const Moving& moving) {
  Moving once;
  for (size_t k = 0; k < moving.inputs.size(); ++k) {
    const uint64_t id = call.inputs[moving.inputs[k]].id();
    const auto is_same = [&](size_t i) { return call.inputs[i].id() == id; };
    if (std::ranges::any_of(once.inputs, is_same)) continue;
    once.inputs.push_back(moving.inputs[k]);
    once.tangents.push_back(moving.tangents[k]);
  }
  return once;
}

// Records the call on its own tape and returns the gradients.
std::vector<Gradient> gradients_of(const Record& call, const Moving& moving,
                                   std::span<const Tensor> targets, std::span<const Tensor> dys) {
  Tape tape({.watch_variables = false});
  std::vector<Source> sources;
  for (size_t i : moving.inputs) {
    tape.watch(call.inputs[i]);
    sources.emplace_back(call.inputs[i]);
  }
  tape.state().add(copy_of(call));
  return tape.gradient(targets, sources, dys);
}

bool is_large(const Record& call) {
  int64_t bytes = 0;
  const auto count = [&](const Tensor& tensor) {
    bytes += tensor.has_data() ? tensor.num_bytes() : 0;
  };
  std::ranges::for_each(call.inputs, count);
  std::ranges::for_each(call.outputs, count);
  return bytes >= kLargeBytes;
}

}  // namespace

// The values of the gradients at the outputs do not matter: the result is linear in them.
std::vector<Tensor> transposed_tangents(const Record& call, const Moving& moving) {
  std::vector<Tensor> outputs, dys, targets, arriving;
  std::vector<Source> sources;
  Tape transposing({.watch_variables = false});
  for (const Tensor& output : call.outputs) {
    if (!is_differentiable(output.dtype())) continue;
    const PauseRecording pause;
    outputs.push_back(output);
    dys.push_back(identity(output));
    transposing.watch(dys.back());
    sources.emplace_back(dys.back());
  }
  const std::vector<Gradient> gradients = gradients_of(call, moving, outputs, dys);
  for (size_t k = 0; k < gradients.size(); ++k) {
    if (!gradients[k].defined()) continue;
    targets.push_back(gradients[k].dense());
    arriving.push_back(moving.tangents[k]);
  }
  if (const OpDef* lost_at = transposing.state().lost_at) {
    throw UnimplementedError(cat("[", name_of(call), "] has no derivative in forward mode: its ",
                                 "gradient is made with ", lost_at->name.value,
                                 ", which has none itself"));
  }
  std::vector<Tensor> tangents(call.outputs.size());
  if (targets.empty()) return tangents;
  const std::vector<Gradient> derivatives = transposing.gradient(targets, sources, arriving);
  for (size_t k = 0, next = 0; k < call.outputs.size(); ++k) {
    if (!is_differentiable(call.outputs[k].dtype())) continue;
    const Gradient& tangent = derivatives[next++];
    if (tangent.defined()) tangents[k] = tangent.dense();
  }
  return tangents;
}

AroundAccumulator::AroundAccumulator(TapeState& accumulator)
    : accumulator_(accumulator),
      innermost_(std::exchange(t_innermost, accumulator.below)),
      was_paused_(std::exchange(t_paused, false)) {}

AroundAccumulator::~AroundAccumulator() {
  accumulator_.below = t_innermost;  // some may have been dropped meanwhile
  t_innermost = innermost_;
  t_paused = was_paused_;
}

void push_forward(TapeState& accumulator, const Record& call) {
  const AroundAccumulator around(accumulator);
  Moving moving;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (!is_differentiable(call.inputs[i].dtype())) continue;
    Tensor tangent = accumulator.tangents->find(call.inputs[i].id());
    if (!tangent.defined()) continue;
    moving.inputs.push_back(i);
    moving.tangents.push_back(std::move(tangent));
  }
  if (is_diagonal(call, moving)) {
    Tensor tangent = diagonal_tangent(call, moving);
    if (tangent.defined()) accumulator.tangents->set(call.outputs[0], std::move(tangent));
    return;
  }
  moving = without_repetitions(call, moving);
  std::vector<Tensor> tangents = call.op != nullptr && is_large(call)
                                     ? transposed_apart(call, moving)
                                     : transposed_tangents(call, moving);
  for (size_t k = 0; k < tangents.size(); ++k) {
    if (tangents[k].defined()) accumulator.tangents->set(call.outputs[k], std::move(tangents[k]));
  }
}

}  // namespace penstock::autodiff

namespace penstock {

ForwardAccumulator::ForwardAccumulator() {
  state_ = with_memory_errors("ForwardAccumulator", [&] {
    auto state = std::make_unique<autodiff::TapeState>();
    state->options.watch_variables = false;
    state->tangents = std::make_unique<autodiff::Tangents>();
    return state.release();
  });
}

ForwardAccumulator::~ForwardAccumulator() {
  if (state_->thread == std::this_thread::get_id()) {
    autodiff::unlist_tape(state_);
  } else {
    state_->is_closed.store(true, std::memory_order_release);
  }
  autodiff::release_tape(state_);
}

namespace {

// The sum with an existing tangent.
Tensor summed(const autodiff::Tangents& tangents, const Source& primal, const Tensor& tangent) {
  if (tangent.dtype() != primal.dtype || !fits(tangent.shape(), primal.shape)) {
    throw InvalidArgumentError(cat(
        "[ForwardAccumulator] a tangent of shape ", tangent.shape(), " and dtype ", tangent.dtype(),
        " does not fit a primal of shape ", primal.shape, " and dtype ", primal.dtype));
  }
  const Tensor before = tangents.find(primal.id);
  return before.defined() ? add(before, tangent) : tangent;
}

}  // namespace

void ForwardAccumulator::watch(const Tensor& primal, const Tensor& tangent) {
  state_->tangents->set(primal, summed(*state_->tangents, primal, tangent));
}

void ForwardAccumulator::watch(const Source& primal, const Tensor& tangent) {
  state_->tangents->set(primal.id, summed(*state_->tangents, primal, tangent));
}

void ForwardAccumulator::start() {
  if (state_->is_listed) return;
  state_->thread = std::this_thread::get_id();
  state_->is_closed.store(false, std::memory_order_release);
  autodiff::list_tape(state_);
}

void ForwardAccumulator::stop() {
  if (state_->thread == std::this_thread::get_id()) autodiff::unlist_tape(state_);
}

Tensor ForwardAccumulator::jvp(const Source& primal) const {
  return state_->tangents->find(primal.id);
}

}  // namespace penstock
