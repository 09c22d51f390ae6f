#include "kernels/update_rules.h"

#include <cmath>

#define HWY_TARGET_INCLUDE "kernels/update_rules.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {

// A rule reads the numbers once and then updates one element: states s[0] (the variable), s[1] and
// s[2] with gradient g. The formulas are TensorFlow's.

template <typename T>
struct GradientDescent {
  static constexpr int kStates = 1;
  T rate;
  explicit GradientDescent(const UpdateNumbers& n) : rate(static_cast<T>(n.values[0])) {}
  HWY_INLINE void operator()(T* s, T g) const { s[0] -= rate * g; }
};

template <typename T, bool kNesterov>
struct Momentum {
  static constexpr int kStates = 2;
  T rate, momentum;
  explicit Momentum(const UpdateNumbers& n)
      : rate(static_cast<T>(n.values[0])), momentum(static_cast<T>(n.values[1])) {}
  HWY_INLINE void operator()(T* s, T g) const {
    s[1] = s[1] * momentum + g;
    s[0] -= kNesterov ? g * rate + s[1] * momentum * rate : s[1] * rate;
  }
};

template <typename T, bool kNesterov>
struct Adam {
  static constexpr int kStates = 3;
  T rate, beta1, beta2, epsilon, decay;
  explicit Adam(const UpdateNumbers& n)
      : beta1(static_cast<T>(n.values[3])),
        beta2(static_cast<T>(n.values[4])),
        epsilon(static_cast<T>(n.values[5])) {
    const T beta1_power = static_cast<T>(n.values[0]), beta2_power = static_cast<T>(n.values[1]);
    const T base = static_cast<T>(n.values[2]);
    rate = base * std::sqrt(1 - beta2_power) / (1 - beta1_power);
    decay = base * static_cast<T>(n.weight_decay);
  }
  HWY_INLINE void operator()(T* s, T g) const {
    s[1] += (g - s[1]) * (1 - beta1);
    s[2] += (g * g - s[2]) * (1 - beta2);
    const T step = kNesterov ? g * (1 - beta1) + beta1 * s[1] : s[1];
    s[0] = (s[0] - decay * s[0]) - step * rate / (std::sqrt(s[2]) + epsilon);
  }
};

template <typename T>
struct Adagrad {
  static constexpr int kStates = 2;
  T rate, epsilon;
  explicit Adagrad(const UpdateNumbers& n)
      : rate(static_cast<T>(n.values[0])), epsilon(static_cast<T>(n.values[1])) {}
  HWY_INLINE void operator()(T* s, T g) const {
    s[1] += g * g;
    s[0] -= g * rate / (std::sqrt(s[1]) + epsilon);
  }
};

template <typename T>
struct RmsProp {
  static constexpr int kStates = 3;
  T rate, rho, momentum, epsilon;
  explicit RmsProp(const UpdateNumbers& n)
      : rate(static_cast<T>(n.values[0])),
        rho(static_cast<T>(n.values[1])),
        momentum(static_cast<T>(n.values[2])),
        epsilon(static_cast<T>(n.values[3])) {}
  HWY_INLINE void operator()(T* s, T g) const {
    s[1] += (g * g - s[1]) * (1 - rho);
    s[2] = s[2] * momentum + g * rate / std::sqrt(s[1] + epsilon);
    s[0] -= s[2];
  }
};

// kSquareRoot: the learning rate power is -1/2, as it nearly always is.
template <typename T, bool kSquareRoot>
struct Ftrl {
  static constexpr int kStates = 3;
  T rate, l1, l2, shrinkage, power;
  explicit Ftrl(const UpdateNumbers& n)
      : rate(static_cast<T>(n.values[0])),
        l1(static_cast<T>(n.values[1])),
        l2(static_cast<T>(n.values[2])),
        shrinkage(static_cast<T>(n.values[3])),
        power(static_cast<T>(n.values[4])) {}
  HWY_INLINE T raised(T x) const {
    if constexpr (kSquareRoot) return std::sqrt(x);
    return std::pow(x, -power);
  }
  HWY_INLINE void operator()(T* s, T g) const {
    const T shrunk = g + 2 * shrinkage * s[0];
    const T accumulated = s[1] + g * g;
    const T grown = raised(accumulated);
    s[2] += shrunk - (grown - raised(s[1])) / rate * s[0];
    s[1] = accumulated;
    const T quadratic = grown / rate + 2 * l2;
    const T edge = s[2] > 0 ? l1 : -l1;
    s[0] = std::abs(s[2]) > l1 ? (edge - s[2]) / quadratic : T(0);
  }
};

template <typename Rule, typename T>
HWY_ATTR void run(const UpdateNumbers& numbers, const UpdateSpan& span) {
  constexpr int kStates = Rule::kStates;
  const Rule rule(numbers);
  const T* g = static_cast<const T*>(span.grad);
  const T* in0 = static_cast<const T*>(span.in[0]);
  const T* in1 = static_cast<const T*>(span.in[1]);
  const T* in2 = static_cast<const T*>(span.in[2]);
  T* out0 = static_cast<T*>(span.out[0]);
  T* out1 = static_cast<T*>(span.out[1]);
  T* out2 = static_cast<T*>(span.out[2]);
  const int64_t count = span.count;
  PEN_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) {
    T s[kMaxUpdateStates];
    s[0] = in0[i];
    if constexpr (kStates > 1) s[1] = in1[i];
    if constexpr (kStates > 2) s[2] = in2[i];
    rule(s, g[i]);
    out0[i] = s[0];
    if constexpr (kStates > 1) out1[i] = s[1];
    if constexpr (kStates > 2) out2[i] = s[2];
  }
}

template <template <typename, bool> typename Rule, typename T>
HWY_ATTR void run_nesterov(const UpdateNumbers& numbers, const UpdateSpan& span) {
  numbers.nesterov ? run<Rule<T, true>, T>(numbers, span) : run<Rule<T, false>, T>(numbers, span);
}
template <typename T>
HWY_ATTR void run_ftrl(const UpdateNumbers& numbers, const UpdateSpan& span) {
  numbers.values[4] == -0.5 ? run<Ftrl<T, true>, T>(numbers, span)
                            : run<Ftrl<T, false>, T>(numbers, span);
}

template <typename T>
UpdateLoop find(UpdateRule rule) {
  switch (rule) {
    case UpdateRule::kGradientDescent:
      return run<GradientDescent<T>, T>;
    case UpdateRule::kMomentum:
      return run_nesterov<Momentum, T>;
    case UpdateRule::kAdam:
      return run_nesterov<Adam, T>;
    case UpdateRule::kAdagrad:
      return run<Adagrad<T>, T>;
    case UpdateRule::kRmsProp:
      return run<RmsProp<T>, T>;
    default:
      return run_ftrl<T>;
  }
}
UpdateLoop Find(UpdateRule rule, bool is_double) {
  return is_double ? find<double>(rule) : find<float>(rule);
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(Find);
UpdateLoop update_loop(UpdateRule rule, bool is_double) noexcept {
  return HWY_DYNAMIC_DISPATCH(Find)(rule, is_double);
}

}  // namespace penstock::kernels
#endif
