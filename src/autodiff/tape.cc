#include <penstock/autodiff/tape.h>

#include <algorithm>
#include <new>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/core/fits.h>
#include <penstock/ops.h>
#include <penstock/ops/grad_helpers.h>

#include "autodiff/backward.h"
#include "autodiff/recording.h"
#include "autodiff/tape_state.h"

namespace penstock {

using autodiff::TapeState;

Tape::Tape() : Tape(Options()) {}

Tape::Tape(Options options) {
  state_ = new (std::nothrow) TapeState;
  if (state_ == nullptr) throw ResourceExhaustedError("no memory is left for a tape");
  state_->options = options;
  autodiff::list_tape(state_);
}

Tape::~Tape() {
  if (state_->thread == std::this_thread::get_id()) {
    autodiff::unlist_tape(state_);
  } else {
    state_->is_closed.store(true, std::memory_order_release);
  }
  autodiff::release_tape(state_);
}

void Tape::watch(const Source& source) {
  if (!is_differentiable(source.dtype)) {
    throw TypeError(
        cat("a tape cannot watch a tensor of dtype ", source.dtype, ": it has no gradients"));
  }
  if (source.is_variable) return state_->watch_variable(source.id);
  state_->known.set(source.id, true);
}

void Tape::reset() {
  autodiff::Records().swap(state_->records);
  state_->known.clear();
  state_->variables = {};
  state_->is_used = false;
}

void Tape::stop() {
  if (state_->thread == std::this_thread::get_id()) autodiff::unlist_tape(state_);
}

void Tape::resume() {
  if (state_->thread != std::this_thread::get_id()) return;
  state_->is_closed.store(false, std::memory_order_release);
  if (!state_->is_listed) autodiff::list_tape(state_);
}

void Tape::set_persistent(bool persistent) { state_->options.persistent = persistent; }

std::vector<uint64_t> Tape::watched_variables() const {
  std::vector<uint64_t> ids(state_->variables.begin(), state_->variables.end());
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

size_t Tape::num_records() const { return state_->records.size(); }

namespace {

void check_targets(std::span<const Tensor> targets, std::span<const Tensor> dys) {
  for (const Tensor& target : targets) {
    if (!target.defined()) throw InvalidArgumentError("[gradient] a target is not a tensor");
  }
  if (dys.empty()) return;
  if (dys.size() != targets.size()) {
    throw InvalidArgumentError(
        cat("[gradient] got ", dys.size(), " output gradients for ", targets.size(), " targets"));
  }
  for (size_t i = 0; i < dys.size(); ++i) {
    if (fits(dys[i].shape(), targets[i].shape()) && dys[i].dtype() == targets[i].dtype()) continue;
    throw InvalidArgumentError(cat(
        "[gradient] the output gradient of shape ", dys[i].shape(), " and dtype ", dys[i].dtype(),
        " does not fit a target of shape ", targets[i].shape(), " and dtype ", targets[i].dtype()));
  }
}

}  // namespace

std::vector<Gradient> Tape::gradient(std::span<const Tensor> targets,
                                     std::span<const Source> sources, std::span<const Tensor> dys,
                                     Unconnected unconnected) {
  check_targets(targets, dys);
  if (!state_->options.persistent) {
    if (state_->is_used) {
      throw FailedPreconditionError(
          "a tape that is not persistent can be asked for gradients only once; make it with "
          ".persistent = true");
    }
    stop();
    state_->is_used = true;
  }
  std::vector<Gradient> gradients = with_memory_errors("gradient", [&] {
    if (const autodiff::DeferFn defer = autodiff::g_defer.load(std::memory_order_relaxed)) {
      if (auto later = defer(*state_, targets, sources, dys, unconnected)) return std::move(*later);
    }
    return autodiff::run_backward(*state_, targets, sources, dys);
  });
  if (!state_->options.persistent) {
    autodiff::Records().swap(state_->records);
    state_->known.clear();
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined() && unconnected == Unconnected::kZero) {
      gradients[i] = zeros(sources[i].dtype, sources[i].shape);
    }
  }
  return gradients;
}

Tensor Tape::jacobian(const Tensor& target, const Source& source) {
  check_targets({&target, 1}, {});
  Shape shape = target.shape();
  for (int64_t dim : source.shape) shape.append(dim);
  const int64_t count = target.num_elements();
  if (count == 0) return zeros(source.dtype, shape);
  const Tensor on = ones(target.dtype(), {});
  const Tensor off = zeros(target.dtype(), {});
  return with_memory_errors("jacobian", [&] {
    std::vector<Tensor> rows;
    for (int64_t i = 0; i < count; ++i) {
      const Tensor picked = one_hot(Tensor(i), Tensor(static_cast<int32_t>(count)), on, off);
      const Tensor dy = reshape(picked, shape_tensor(target));
      rows.push_back(gradient({&target, 1}, {&source, 1}, {&dy, 1}, Unconnected::kZero)[0]);
    }
    return reshape(stack(rows), shape_tensor(shape));
  });
}

}  // namespace penstock
