#include "kernels/ctc.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace penstock::kernels {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

// One item on its way: states are blank, label 0, blank, label 1, …, blank.
template <typename T>
class Lattice {
 public:
  Lattice(const Ctc& ctc, const CtcItem& item, double* scratch)
      : ctc_(ctc),
        item_(item),
        x_(static_cast<const T*>(item.logits)),
        states_(2 * item.num_labels + 1),
        alpha_(scratch),
        beta_(alpha_ + states_ * ctc.time),
        log_sums_(beta_ + 2 * states_) {
    for (int64_t t = 0; t < item.steps; ++t) log_sums_[t] = log_sum(x_ + t * ctc.time_stride);
  }

  double run(T* gradient) {
    const double log_p = forward();
    if (gradient != nullptr) backward(log_p, gradient);
    return -log_p;
  }

 private:
  double log_sum(const T* x) const {
    const double most = static_cast<double>(*std::max_element(x, x + ctc_.classes));
    if (!std::isfinite(most)) return most;
    double sum = 0;
    for (int64_t k = 0; k < ctc_.classes; ++k) sum += std::exp(static_cast<double>(x[k]) - most);
    return most + std::log(sum);
  }
  int64_t label(int64_t state) const {
    return state % 2 == 0 ? ctc_.blank : item_.labels[state / 2];
  }
  double log_y(int64_t t, int64_t k) const {
    return static_cast<double>(x_[t * ctc_.time_stride + k]) - log_sums_[t];
  }
  // Whether a path may stay in a state, and whether it may skip from state - 2 to it.
  bool stays(int64_t state) const { return ctc_.merge_repeated || state % 2 == 0; }
  bool skips(int64_t state) const {
    if (state % 2 == 0 || state < 2) return false;
    return !(ctc_.merge_repeated && label(state) == label(state - 2));
  }

  double forward() {
    if (item_.steps == 0) return states_ == 1 ? 0 : kNever;
    for (int64_t s = 0; s < states_; ++s) alpha_[s] = s < 2 ? log_y(0, label(s)) : kNever;
    for (int64_t t = 1; t < item_.steps; ++t) {
      const double* before = alpha_ + (t - 1) * states_;
      double* now = alpha_ + t * states_;
      for (int64_t s = 0; s < states_; ++s) {
        double sum = stays(s) ? before[s] : kNever;
        if (s > 0) sum = log_add(sum, before[s - 1]);
        if (skips(s)) sum = log_add(sum, before[s - 2]);
        now[s] = sum + log_y(t, label(s));
      }
    }
    const double* last = alpha_ + (item_.steps - 1) * states_;
    return states_ == 1 ? last[0] : log_add(last[states_ - 1], last[states_ - 2]);
  }

  // The probability of spelling the rest from each state after step t, computed backwards. The
  // gradient is the class's probability minus the share of the paths through it.
  void backward(double log_p, T* gradient) {
    double* now = beta_;
    double* after = beta_ + states_;
    for (int64_t t = item_.steps - 1; t >= 0; --t) {
      T* row = gradient + t * ctc_.time_stride;
      for (int64_t k = 0; k < ctc_.classes; ++k) row[k] = static_cast<T>(std::exp(log_y(t, k)));
      if (log_p == kNever) continue;
      for (int64_t s = 0; s < states_; ++s) {
        now[s] =
            t + 1 == item_.steps ? (s + 2 >= states_ ? 0 : kNever) : step_back(t + 1, s, after);
        const double share = std::exp(alpha_[t * states_ + s] + now[s] - log_p);
        row[label(s)] = static_cast<T>(static_cast<double>(row[label(s)]) - share);
      }
      std::swap(now, after);
    }
  }
  double step_back(int64_t t, int64_t s, const double* after) const {
    double sum = stays(s) ? after[s] + log_y(t, label(s)) : kNever;
    if (s + 1 < states_) sum = log_add(sum, after[s + 1] + log_y(t, label(s + 1)));
    if (s + 2 < states_ && skips(s + 2)) sum = log_add(sum, after[s + 2] + log_y(t, label(s + 2)));
    return sum;
  }

  const Ctc& ctc_;
  const CtcItem& item_;
  const T* x_;
  int64_t states_;
  double* alpha_;
  double* beta_;
  double* log_sums_;
};

}  // namespace

int64_t ctc_least_steps(const Ctc& ctc, const int64_t* labels, int64_t num_labels) {
  int64_t steps = num_labels;
  for (int64_t i = 1; ctc.merge_repeated && i < num_labels; ++i)
    steps += labels[i] == labels[i - 1];
  return steps;
}

double ctc_loss(const Ctc& ctc, const CtcItem& item, double* scratch, void* gradient) {
  if (ctc.dtype == DType::kFloat32)
    return Lattice<float>(ctc, item, scratch).run(static_cast<float*>(gradient));
  return Lattice<double>(ctc, item, scratch).run(static_cast<double*>(gradient));
}

}  // namespace penstock::kernels
