// Optimisers: SGD, Adam(W), Adagrad, RMSprop and Ftrl. Each step is one fused pass over a variable
// and its slots, in place; a sparse gradient touches only its rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/exec/variable.h>
#include <penstock/ops/gradient.h>

namespace penstock {

class PEN_API Optimizer {
 public:
  virtual ~Optimizer() = default;

  // One step: gradients[i] belongs to variables[i]. Variables without a gradient do not change.
  // Throws InvalidArgumentError, before anything changes, when the counts or a shape do not match.
  void apply(std::span<const Gradient> gradients, std::span<const Variable> variables);

  // The number of steps done so far.
  int64_t iterations() const { return iterations_; }
  double learning_rate() const { return learning_rate_; }
  void set_learning_rate(double rate) { learning_rate_ = rate; }
  // Every slot of every variable, for saving.
  std::vector<Variable> slots() const;

 protected:
  struct SlotSpec {
    std::string_view name;
    double initial = 0;
  };
  Optimizer(double learning_rate, std::vector<SlotSpec> slots);

  // A locked variable and its slots during an update. Taking a value donates it to the op; the
  // results are put back in the same order.
  struct Update {
    Tensor& variable;
    std::span<Tensor*> slots;
    const Gradient& gradient;

    Tensor scalar(double value) const { return Tensor::scalar(variable.dtype(), value); }
    Tensor&& take(size_t slot) const { return std::move(*slots[slot]); }
  };
  // Computes the new values of the variable and its slots, in the order of the update op's outputs.
  virtual Tensors update(const Update& u) = 0;

 private:
  std::vector<Variable>& slots_of(const Variable& variable);
  void apply_one(const Gradient& gradient, const Variable& variable);

  double learning_rate_;
  int64_t iterations_ = 0;
  std::vector<SlotSpec> specs_;
  std::unordered_map<uint64_t, std::vector<Variable>> slots_;
};

class PEN_API Sgd : public Optimizer {
 public:
  struct Options {
    double learning_rate = 0.01;
    double momentum = 0;
    bool nesterov = false;
  };
  explicit Sgd(const Options& options);

 private:
  Tensors update(const Update& u) override;
  Options options_;
};

// With weight_decay it is AdamW: the decay is decoupled from the gradient.
class PEN_API Adam : public Optimizer {
 public:
  struct Options {
    double learning_rate = 0.001;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-7;
    double weight_decay = 0;
  };
  explicit Adam(const Options& options);

 private:
  Tensors update(const Update& u) override;
  Options options_;
};

class PEN_API Adagrad : public Optimizer {
 public:
  struct Options {
    double learning_rate = 0.001;
    double initial_accumulator_value = 0.1;
    double epsilon = 1e-7;
  };
  explicit Adagrad(const Options& options);

 private:
  Tensors update(const Update& u) override;
  Options options_;
};

class PEN_API RmsProp : public Optimizer {
 public:
  struct Options {
    double learning_rate = 0.001;
    double rho = 0.9;
    double momentum = 0;
    double epsilon = 1e-7;
  };
  explicit RmsProp(const Options& options);

 private:
  Tensors update(const Update& u) override;
  Options options_;
};

class PEN_API Ftrl : public Optimizer {
 public:
  struct Options {
    double learning_rate = 0.001;
    double learning_rate_power = -0.5;
    double initial_accumulator_value = 0.1;
    double l1 = 0;
    double l2 = 0;
    double l2_shrinkage = 0;
  };
  explicit Ftrl(const Options& options);

 private:
  Tensors update(const Update& u) override;
  Options options_;
};

}  // namespace penstock
