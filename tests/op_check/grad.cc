// grad: gradients of first and second order against central finite differences.
//
// The function differentiated is L = sum over outputs of Re(conj(w) * y) with random weights w; for
// complex tensors TensorFlow's gradient is then dL/dRe + i dL/dIm. The second order is the same of
// the first gradient: a tape over a tape. What a tape kept without data is without data here too,
// so that an op whose `saves` lists too little fails.
#include <cmath>
#include <cstdio>

#include <penstock/base/error.h>

#include "derivatives.h"

namespace penstock::op_check {
namespace {

constexpr int64_t kMaxChecked = 48;  // elements of one input; more are picked at random

Tensor changed_at(const Tensor& tensor, int64_t i, complex128 delta) {
  Tensor copy = Tensor::empty(tensor.dtype(), tensor.shape(), Tag::kConstant);
  const auto size = static_cast<int64_t>(dtype_size(tensor.dtype()));
  std::copy_n(static_cast<const char*>(tensor.raw()), tensor.num_bytes(),
              static_cast<char*>(copy.raw()));
  const complex128 value = value_at(tensor, i) + delta;
  put_number(tensor.dtype(), static_cast<char*>(copy.raw()) + i * size, value.real(), value.imag());
  return copy;
}

// A function of the inputs whose weighted sum is differentiated, once analytically and once not.
struct Function {
  virtual ~Function() = default;
  virtual std::vector<Tensor> values(const std::vector<Tensor>& inputs) const = 0;
};

struct Forward : Function {
  explicit Forward(const Call& c) : call(c) {}
  std::vector<Tensor> values(const std::vector<Tensor>& inputs) const override {
    return differentiable(run_hermitian(call, inputs));
  }
  const Call& call;
};

// The gradients of the first order; of those only that depend on the inputs at all.
struct FirstGradient : Function {
  FirstGradient(const Call& c, std::vector<Tensor> w) : call(c), weights(std::move(w)) {}
  std::vector<Tensor> values(const std::vector<Tensor>& inputs) const override {
    Tape tape;
    const std::vector<Source> sources = sources_of(call, inputs);
    for (const Source& source : sources) tape.watch(source);
    const std::vector<Tensor> outputs = differentiable(run_hermitian(call, inputs));
    std::vector<Tensor> found;
    for (const Gradient& gradient : tape.gradient(outputs, sources, weights)) {
      if (gradient.defined()) found.push_back(gradient.dense());
    }
    return found;
  }
  const Call& call;
  std::vector<Tensor> weights;
};

struct Tolerance {
  double step, relative;
};

// By the least exact dtype that takes part; 0 when none is exact enough for differences.
Tolerance tolerance_for(const Call& call, std::span<const Tensor> values) {
  Tolerance tolerance{1e-5, 2e-5};
  const auto consider = [&](const Tensor& tensor) {
    if (kHalfTypes.has(tensor.dtype())) tolerance = {0, 0};
    if ((tensor.dtype() == DType::kFloat32 || tensor.dtype() == DType::kComplex64) &&
        tolerance.step != 0)
      tolerance = {1e-2, 5e-2};
  };
  for (const Tensor& input : call.inputs) consider(input);
  for (const Tensor& value : values) consider(value);
  return tolerance;
}

struct Outcome {
  std::string problem;           // empty: as it should be
  bool is_disconnected = false;  // no gradient at all where differences say there is one
  std::vector<Tensor> weights;
};

class Comparison {
 public:
  Comparison(const Call& call, const Function& function, Random& random)
      : call_(call), function_(function), random_(random) {}

  Outcome run() {
    Outcome outcome;
    std::vector<Gradient> gradients = analytic(outcome);
    const Tolerance tolerance = tolerance_for(call_, values_);
    if (tolerance.step == 0 || values_.empty()) return outcome;
    bool any = false;
    for (const Gradient& gradient : gradients) any = any || gradient.defined();
    size_t k = 0;
    for (size_t i = 0; i < call_.inputs.size() && outcome.problem.empty(); ++i) {
      if (!is_differentiable(call_.inputs[i].dtype()) || call_.op.def->input(i).host) continue;
      const Gradient& gradient = gradients[k++];
      const Tensor dense = gradient.defined() ? gradient.dense() : Tensor();
      outcome.problem = compare(i, dense, outcome.weights, tolerance);
    }
    outcome.is_disconnected = !any && !outcome.problem.empty();
    return outcome;
  }

 private:
  std::vector<Gradient> analytic(Outcome& outcome) {
    Tape tape;
    const std::vector<Source> sources = sources_of(call_, call_.inputs);
    for (const Source& source : sources) tape.watch(source);
    values_ = function_.values(call_.inputs);
    outcome.weights = random_like(values_, random_);
    return tape.gradient(values_, sources, outcome.weights);
  }

  std::string compare(size_t i, const Tensor& gradient, std::span<const Tensor> weights,
                      Tolerance tolerance) {
    const Tensor& input = call_.inputs[i];
    if (gradient.defined() &&
        (gradient.dtype() != input.dtype() || !(gradient.shape() == input.shape()))) {
      return cat("the gradient of input ", i, " is ", describe(gradient), " for ", describe(input));
    }
    const int64_t count = input.num_elements();
    for (int64_t n = 0; n < std::min(count, kMaxChecked); ++n) {
      const int64_t at = count <= kMaxChecked ? n : random_.below(count);
      const complex128 found = gradient.defined() ? value_at(gradient, at) : 0;
      const complex128 expected = difference(i, at, weights, tolerance.step);
      // Not finite: the function does not exist on both sides, and has no derivative to compare.
      if (!std::isfinite(std::abs(expected))) continue;
      const double scale = std::max(1.0, std::abs(expected));
      if (std::abs(found - expected) <= tolerance.relative * scale) continue;
      return cat("input ", i, " at ", at, ": the gradient is ", text(found),
                 gradient.defined() ? "" : " (none)", ", finite differences say ", text(expected));
    }
    return "";
  }

  complex128 difference(size_t i, int64_t at, std::span<const Tensor> weights, double unit) {
    const double step = unit * std::max(1.0, std::abs(value_at(call_.inputs[i], at)));
    const auto along = [&](complex128 direction) {
      const auto loss = [&](double h) {
        std::vector<Tensor> inputs = call_.inputs;
        inputs[i] = changed_at(inputs[i], at, direction * h);
        return weighted_sum(function_.values(inputs), weights);
      };
      return (loss(step) - loss(-step)) / (2 * step);
    };
    const double real = along(1);
    return {real, kComplexTypes.has(call_.inputs[i].dtype()) ? along({0, 1}) : 0};
  }

  static std::string text(complex128 value) {
    char out[64];
    std::snprintf(out, sizeof out, value.imag() == 0 ? "%.8g" : "%.8g%+.8gi", value.real(),
                  value.imag());
    return out;
  }

  const Call& call_;
  const Function& function_;
  Random& random_;
  std::vector<Tensor> values_;
};

struct Totals {
  int samples = 0;
  int failures = 0;
  int second_order = 0;
  std::string first_order_only;
};

void fail(const Call& call, Totals& totals, const std::string& problem) {
  ++totals.failures;
  std::printf("FAILED %s: %s\n", call.describe().c_str(), problem.c_str());
}

// True when the second order is connected, or zero as it should be; false where the gradient calls an
// op whose own derivative is not implemented.
bool check_second(const Call& call, std::vector<Tensor> weights, Random& random, Totals& totals) {
  const FirstGradient first(call, std::move(weights));
  Outcome outcome;
  try {
    outcome = Comparison(call, first, random).run();
  } catch (const MissingGradientError&) {
    return false;
  }
  if (outcome.is_disconnected) return false;
  ++totals.second_order;
  if (!outcome.problem.empty()) fail(call, totals, "second order: " + outcome.problem);
  return true;
}

bool check_sample(const Call& call, Totals& totals) {
  Random random(call.number + 77);
  const int64_t before = held_bytes();
  bool has_second = true;
  ++totals.samples;
  try {
    const Outcome outcome = Comparison(call, Forward(call), random).run();
    if (!outcome.problem.empty()) {
      fail(call, totals, outcome.problem);
    } else if (!outcome.weights.empty()) {
      has_second = check_second(call, outcome.weights, random, totals);
    }
  } catch (const std::exception& error) {
    fail(call, totals, error.what());
  }
  if (held_bytes() != before)
    fail(call, totals, cat("the ledger holds ", held_bytes() - before, " bytes more"));
  return has_second;
}

}  // namespace

int run_grad(const Options& options) {
  Totals totals;
  int num_ops = 0;
  for (const Op& op : options.ops) {
    if (!op.def->is_differentiable()) continue;
    ++num_ops;
    int checked = 0;
    bool has_second = true;
    const std::vector<Sample> samples = op.def->samples.value();
    for (size_t i = 0; i < samples.size(); ++i) {
      if (samples[i].for_speed || !samples[i].check_grad) continue;
      const Call call = make_call(op, i, in_double(*op.def, samples[i]));
      if (sources_of(call, call.inputs).empty()) continue;
      ++checked;
      has_second = check_sample(call, totals) && has_second;
    }
    if (!has_second)
      totals.first_order_only += cat(totals.first_order_only.empty() ? "" : ", ", op.id);
    if (checked > 0) continue;
    ++totals.failures;
    std::printf("FAILED %.*s: it has a gradient, but no sample to check it with\n",
                static_cast<int>(op.id.size()), op.id.data());
  }
  if (!totals.first_order_only.empty())
    std::printf("first order only: %s\n", totals.first_order_only.c_str());
  std::printf("op_check grad: %d ops, %d samples, %d of second order, %d failed\n", num_ops,
              totals.samples, totals.second_order, totals.failures);
  return totals.failures == 0 ? 0 : 1;
}

}  // namespace penstock::op_check
