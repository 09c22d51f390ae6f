// grad: gradients of first and second order against central finite differences.
//
// The function differentiated is L = sum over outputs of Re(conj(w) * y) with random weights w; for
// complex tensors TensorFlow's gradient is then dL/dRe + i dL/dIm. The second order is the same of
// the first gradient: a tape over a tape. What a tape kept without data is without data here too,
// so that an op whose `saves` lists too little fails.
#include <cmath>
#include <complex>
#include <cstdio>
#include <set>

#include <penstock/autodiff/tape.h>
#include <penstock/ops/operators.h>

#include "call.h"

namespace penstock::op_check {
namespace {

constexpr int64_t kMaxChecked = 48;  // elements of one input; more are picked at random

// The most exact dtype in its place.
DType widened(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kComplex128;
  return kRealFloatTypes.has(dtype) ? DType::kFloat64 : dtype;
}

// The sample with its floating inputs in double precision, where the op allows it.
Sample in_double(const OpDef& op, Sample sample) {
  const auto allows = [&](char type) {
    for (size_t i = 0; i < sample.inputs.size(); ++i) {
      const InputDef& def = op.input(i);
      if (def.type == type && !def.dtypes.has(widened(sample.inputs[i].dtype))) return false;
    }
    return true;
  };
  std::set<char> letters;
  for (size_t i = 0; i < sample.inputs.size(); ++i) letters.insert(op.input(i).type);
  for (char type : letters) {
    if (!allows(type)) continue;
    for (size_t i = 0; i < sample.inputs.size(); ++i) {
      if (op.input(i).type == type) sample.inputs[i].dtype = widened(sample.inputs[i].dtype);
    }
  }
  for (SampleAttr& attr : sample.attrs) {
    if (DType* dtype = std::get_if<DType>(&attr.value)) *dtype = widened(*dtype);
  }
  return sample;
}

complex128 value_at(const Tensor& tensor, int64_t i) {
  const auto at = static_cast<size_t>(i);
  if (tensor.dtype() == DType::kComplex128) return tensor.data<complex128>()[at];
  if (tensor.dtype() == DType::kComplex64) return complex128(tensor.data<complex64>()[at]);
  return tensor.number_at(i);
}

Tensor changed_at(const Tensor& tensor, int64_t i, complex128 delta) {
  Tensor copy = Tensor::empty(tensor.dtype(), tensor.shape(), Tag::kConstant);
  const auto size = static_cast<int64_t>(dtype_size(tensor.dtype()));
  std::copy_n(static_cast<const char*>(tensor.raw()), tensor.num_bytes(),
              static_cast<char*>(copy.raw()));
  const complex128 value = value_at(tensor, i) + delta;
  put_number(tensor.dtype(), static_cast<char*>(copy.raw()) + i * size, value.real(), value.imag());
  return copy;
}

std::vector<Tensor> random_like(std::span<const Tensor> tensors, Random& random) {
  std::vector<Tensor> weights;
  for (const Tensor& tensor : tensors)
    weights.push_back(make_tensor({tensor.dtype(), tensor.shape(), -1, 1}, random));
  return weights;
}

double weighted_sum(std::span<const Tensor> tensors, std::span<const Tensor> weights) {
  double sum = 0;
  for (size_t k = 0; k < tensors.size(); ++k) {
    for (int64_t i = 0; i < tensors[k].num_elements(); ++i) {
      sum += (std::conj(value_at(weights[k], i)) * value_at(tensors[k], i)).real();
    }
  }
  return sum;
}

std::vector<Tensor> differentiable(std::span<const Tensor> tensors) {
  std::vector<Tensor> found;
  for (const Tensor& tensor : tensors) {
    if (is_differentiable(tensor.dtype())) found.push_back(tensor);
  }
  return found;
}

std::vector<Source> sources_of(const Call& call, std::span<const Tensor> inputs) {
  std::vector<Source> sources;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_differentiable(inputs[i].dtype()) && !call.op.def->input(i).host)
      sources.emplace_back(inputs[i]);
  }
  return sources;
}

// A function of the inputs whose weighted sum is differentiated, once analytically and once not.
struct Function {
  virtual ~Function() = default;
  virtual std::vector<Tensor> values(const std::vector<Tensor>& inputs) const = 0;
};

// The call's result. An op that reads only one half of a Hermitian matrix still has the gradient of
// the whole: so what it is given is the Hermitian part of the input that is changed.
Tensors run(const Call& call, std::vector<Tensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!call.sample.inputs[i].hermitian) continue;
    std::vector<int64_t> swapped;
    for (int axis = 0; axis < inputs[i].rank(); ++axis) swapped.push_back(axis);
    std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
    const Tensor other = transpose(inputs[i], swapped);
    const bool is_complex = kComplexTypes.has(other.dtype());
    inputs[i] = (inputs[i] + (is_complex ? conj(other) : other)) * 0.5;
  }
  return call.run(inputs);
}

struct Forward : Function {
  explicit Forward(const Call& c) : call(c) {}
  std::vector<Tensor> values(const std::vector<Tensor>& inputs) const override {
    return differentiable(run(call, inputs));
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
    const std::vector<Tensor> outputs = differentiable(run(call, inputs));
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

// True when the second order is connected, or zero as it should be.
bool check_second(const Call& call, std::vector<Tensor> weights, Random& random, Totals& totals) {
  const FirstGradient first(call, std::move(weights));
  const Outcome outcome = Comparison(call, first, random).run();
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
    if (op.def->grad.value == nullptr) continue;
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
