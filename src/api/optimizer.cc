#include <penstock/api/optimizer.h>

#include <cmath>
#include <mutex>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/ops/grad_helpers.h>

#include "exec/eager/variable_state.h"

namespace penstock {
namespace {

void check(std::span<const Gradient> gradients, std::span<const Variable> variables) {
  if (gradients.size() != variables.size()) {
    throw InvalidArgumentError(
        cat("[apply] got ", gradients.size(), " gradients for ", variables.size(), " variables"));
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    const Variable& variable = variables[i];
    if (gradients[i].dense_shape() != variable.shape()) {
      throw InvalidArgumentError(cat("[apply] variable '", variable.name(), "' has shape ",
                                     variable.shape(), ", but its gradient has ",
                                     gradients[i].dense_shape()));
    }
    if (gradients[i].values().dtype() != variable.dtype()) {
      throw TypeError(cat("[apply] variable '", variable.name(), "' is ", variable.dtype(),
                          ", but its gradient is ", gradients[i].values().dtype()));
    }
  }
}

template <size_t N>
Tensors list(std::array<Tensor, N> tensors) {
  return Tensors(std::make_move_iterator(tensors.begin()), std::make_move_iterator(tensors.end()));
}

}  // namespace

Optimizer::Optimizer(double learning_rate, std::vector<SlotSpec> slots)
    : learning_rate_(learning_rate), specs_(std::move(slots)) {}

std::vector<Variable> Optimizer::slots() const {
  std::vector<Variable> all;
  for (const auto& [id, slots] : slots_) all.insert(all.end(), slots.begin(), slots.end());
  return all;
}

std::vector<Variable>& Optimizer::slots_of(const Variable& variable) {
  const auto found = slots_.find(variable.id());
  if (found != slots_.end()) return found->second;
  std::vector<Variable> slots;
  for (const SlotSpec& spec : specs_) {
    const std::string name = cat(variable.name(), "/", spec.name);
    Tensor initial =
        fill(shape_tensor(variable.shape()), Tensor::scalar(variable.dtype(), spec.initial));
    slots.emplace_back(std::move(initial), Variable::Options{.name = name, .trainable = false});
  }
  return slots_[variable.id()] = std::move(slots);
}

void Optimizer::apply_one(const Gradient& gradient, const Variable& variable) {
  std::vector<Variable>& slots = slots_of(variable);
  // A slot must see the sum of a row's gradients once, not each gradient in turn.
  const bool adds_up = gradient.is_sparse() && !slots.empty();
  const Gradient step = adds_up ? gradient.with_unique_rows() : gradient;
  Variable::State& state = variable.state();
  SmallVector<std::unique_lock<std::mutex>, 4> locks;
  SmallVector<Tensor*, 3> values;
  locks.emplace_back(state.mutex);
  for (const Variable& slot : slots) {
    locks.emplace_back(slot.state().mutex);
    values.push_back(&slot.state().current());
  }
  Tensors results = update({state.current(), values, step});
  state.set(std::move(results[0]));
  for (size_t i = 0; i < slots.size(); ++i) slots[i].state().set(std::move(results[i + 1]));
}

void Optimizer::apply(std::span<const Gradient> gradients, std::span<const Variable> variables) {
  check(gradients, variables);
  const PauseRecording pause;
  with_memory_errors("apply", [&] {
    ++iterations_;
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].defined()) apply_one(gradients[i], variables[i]);
    }
  });
}

Sgd::Sgd(const Options& options)
    : Optimizer(options.learning_rate, options.momentum != 0 ? std::vector<SlotSpec>{{"momentum"}}
                                                             : std::vector<SlotSpec>{}),
      options_(options) {}

Tensors Sgd::update(const Update& u) {
  const Gradient& g = u.gradient;
  const Tensor rate = u.scalar(learning_rate());
  if (options_.momentum == 0) {
    if (!g.is_sparse()) return {apply_gradient_descent(std::move(u.variable), rate, g.values())};
    return {sparse_apply_gradient_descent(std::move(u.variable), rate, g.values(), g.indices())};
  }
  const Tensor momentum = u.scalar(options_.momentum);
  if (!g.is_sparse()) {
    return list(apply_momentum(std::move(u.variable), u.take(0), rate, g.values(), momentum,
                               options_.nesterov));
  }
  return list(sparse_apply_momentum(std::move(u.variable), u.take(0), rate, g.values(), g.indices(),
                                    momentum, options_.nesterov));
}

Adam::Adam(const Options& options)
    : Optimizer(options.learning_rate, {{"m"}, {"v"}}), options_(options) {}

Tensors Adam::update(const Update& u) {
  const Gradient& g = u.gradient;
  const auto step = static_cast<double>(iterations());
  const Tensor power1 = u.scalar(std::pow(options_.beta1, step));
  const Tensor power2 = u.scalar(std::pow(options_.beta2, step));
  const Tensor rate = u.scalar(learning_rate());
  const Tensor beta1 = u.scalar(options_.beta1);
  const Tensor beta2 = u.scalar(options_.beta2);
  const Tensor epsilon = u.scalar(options_.epsilon);
  if (!g.is_sparse()) {
    return list(apply_adam(std::move(u.variable), u.take(0), u.take(1), power1, power2, rate, beta1,
                           beta2, epsilon, g.values(), false, options_.weight_decay));
  }
  return list(sparse_apply_adam(std::move(u.variable), u.take(0), u.take(1), power1, power2, rate,
                                beta1, beta2, epsilon, g.values(), g.indices(), false,
                                options_.weight_decay));
}

Adagrad::Adagrad(const Options& options)
    : Optimizer(options.learning_rate, {{"accumulator", options.initial_accumulator_value}}),
      options_(options) {}

Tensors Adagrad::update(const Update& u) {
  const Gradient& g = u.gradient;
  const Tensor rate = u.scalar(learning_rate());
  const Tensor epsilon = u.scalar(options_.epsilon);
  if (!g.is_sparse()) {
    return list(apply_adagrad(std::move(u.variable), u.take(0), rate, epsilon, g.values()));
  }
  return list(sparse_apply_adagrad(std::move(u.variable), u.take(0), rate, epsilon, g.values(),
                                   g.indices()));
}

RmsProp::RmsProp(const Options& options)
    : Optimizer(options.learning_rate, {{"rms"}, {"momentum"}}), options_(options) {}

Tensors RmsProp::update(const Update& u) {
  const Gradient& g = u.gradient;
  const Tensor rate = u.scalar(learning_rate());
  const Tensor rho = u.scalar(options_.rho);
  const Tensor momentum = u.scalar(options_.momentum);
  const Tensor epsilon = u.scalar(options_.epsilon);
  if (!g.is_sparse()) {
    return list(apply_rms_prop(std::move(u.variable), u.take(0), u.take(1), rate, rho, momentum,
                               epsilon, g.values()));
  }
  return list(sparse_apply_rms_prop(std::move(u.variable), u.take(0), u.take(1), rate, rho,
                                    momentum, epsilon, g.values(), g.indices()));
}

Ftrl::Ftrl(const Options& options)
    : Optimizer(options.learning_rate,
                {{"accumulator", options.initial_accumulator_value}, {"linear"}}),
      options_(options) {}

Tensors Ftrl::update(const Update& u) {
  const Gradient& g = u.gradient;
  const Tensor rate = u.scalar(learning_rate());
  const Tensor l1 = u.scalar(options_.l1);
  const Tensor l2 = u.scalar(options_.l2);
  const Tensor shrinkage = u.scalar(options_.l2_shrinkage);
  const Tensor power = u.scalar(options_.learning_rate_power);
  if (!g.is_sparse()) {
    return list(apply_ftrl(std::move(u.variable), u.take(0), u.take(1), g.values(), rate, l1, l2,
                           shrinkage, power));
  }
  return list(sparse_apply_ftrl(std::move(u.variable), u.take(0), u.take(1), g.values(),
                                g.indices(), rate, l1, l2, shrinkage, power));
}

}  // namespace penstock
