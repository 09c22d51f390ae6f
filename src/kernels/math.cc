#include "kernels/math.h"

#include <cmath>
#include <cstring>
#include <limits>

#define HWY_TARGET_INCLUDE "kernels/math.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using T = hn::TFromD<D>;
template <class D>
using V = hn::Vec<D>;

template <class D>
HWY_INLINE V<D> infinity(D d) {
  return hn::Set(d, std::numeric_limits<T<D>>::infinity());
}

// Highway's polynomials hold on a part of the line; each struct adds the rest.
struct Exp {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    if constexpr (sizeof(T<D>) == 4) {
      const auto y = hn::Exp(d, hn::Min(x, hn::Set(d, T<D>(104))));
      return hn::IfThenElse(hn::IsNaN(x), x, y);
    } else {
      // The polynomial's last step overflows before the result does.
      constexpr double kE4 = 54.598150033144236;
      const auto is_large = hn::Gt(x, hn::Set(d, 700.0));
      const auto bounded = hn::Min(x, hn::Set(d, 710.0));
      auto y = hn::Exp(d, hn::Sub(bounded, hn::IfThenElseZero(is_large, hn::Set(d, 4.0))));
      y = hn::IfThenElse(is_large, hn::Mul(y, hn::Set(d, kE4)), y);
      return hn::IfThenElse(hn::IsNaN(x), x, y);
    }
  }
};

struct Log {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto zero = hn::Zero(d);
    auto y = hn::Log(d, x);
    y = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity(d)), y);
    y = hn::IfThenElse(hn::Eq(x, infinity(d)), x, y);
    y = hn::IfThenElse(hn::Lt(x, zero), hn::NaN(d), y);
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};

struct Log1p {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto low = hn::Set(d, T<D>(-1));
    auto y = hn::Log1p(d, x);
    y = hn::IfThenElse(hn::Eq(x, low), hn::Neg(infinity(d)), y);
    y = hn::IfThenElse(hn::Eq(x, infinity(d)), x, y);
    y = hn::IfThenElse(hn::Lt(x, low), hn::NaN(d), y);
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};

struct Tanh {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    return hn::IfThenElse(hn::IsNaN(x), x, hn::Tanh(d, x));
  }
};

// From e^-|x|, which never overflows, so that both tails keep their precision.
struct Sigmoid {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto one = hn::Set(d, T<D>(1));
    const auto e = Exp::call(d, hn::Neg(hn::Abs(x)));
    const auto y = hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};

// The reduction of the argument is exact enough for small ones only; libm does the others.
constexpr double kMaxAngle = 30000;

struct Sin {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, T<D>(kMaxAngle)))))) {
      return hn::Sin(d, x);
    }
    HWY_ALIGN T<D> lanes[hn::MaxLanes(d)];
    hn::Store(x, d, lanes);
    for (T<D>& lane : lanes) lane = std::sin(lane);
    return hn::Load(d, lanes);
  }
};

struct Cos {
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, T<D>(kMaxAngle)))))) {
      return hn::Cos(d, x);
    }
    HWY_ALIGN T<D> lanes[hn::MaxLanes(d)];
    hn::Store(x, d, lanes);
    for (T<D>& lane : lanes) lane = std::cos(lane);
    return hn::Load(d, lanes);
  }
};

// For float: an odd polynomial near 0, and 1 - e^p(|x|) further out.
struct Erf {
  template <class D>
  static HWY_INLINE V<D> near(D d, V<D> x, V<D> square) {
    auto y = hn::Set(d, -5.96761703e-4f);
    y = hn::MulAdd(y, square, hn::Set(d, 4.99119423e-3f));
    y = hn::MulAdd(y, square, hn::Set(d, -2.67681349e-2f));
    y = hn::MulAdd(y, square, hn::Set(d, 1.12819925e-1f));
    y = hn::MulAdd(y, square, hn::Set(d, -3.76125336e-1f));
    y = hn::MulAdd(y, square, hn::Set(d, 1.28379166e-1f));
    return hn::MulAdd(y, x, x);
  }
  template <class D>
  static HWY_INLINE V<D> far(D d, V<D> size, V<D> square) {
    const auto high = hn::MulAdd(hn::Set(d, -1.72853470e-5f), size, hn::Set(d, 3.83197126e-4f));
    const auto low = hn::MulAdd(hn::Set(d, -3.88396438e-3f), size, hn::Set(d, 2.42546219e-2f));
    auto y = hn::MulAdd(high, square, low);
    y = hn::MulAdd(y, size, hn::Set(d, -1.06777877e-1f));
    y = hn::MulAdd(y, size, hn::Set(d, -6.34846687e-1f));
    y = hn::MulAdd(y, size, hn::Set(d, -1.28717512e-1f));
    y = hn::MulAdd(y, size, hn::Neg(size));
    return hn::Sub(hn::Set(d, 1.f), hn::Exp(d, y));
  }
  template <class D>
  static HWY_INLINE V<D> call(D d, V<D> x) {
    const auto size = hn::Min(hn::Abs(x), hn::Set(d, 10.f));
    const auto square = hn::Mul(size, size);
    const auto is_far = hn::Gt(size, hn::Set(d, 0.927734375f));
    const auto y =
        hn::IfThenElse(is_far, hn::CopySign(far(d, size, square), x), near(d, x, square));
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};

template <class Function, typename Element>
HWY_ATTR void loop(const void* x_data, void* out_data, int64_t n) {
  const hn::ScalableTag<Element> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const Element* x = static_cast<const Element*>(x_data);
  Element* out = static_cast<Element*>(out_data);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(Function::call(d, hn::LoadU(d, x + i)), d, out + i);
  }
  if (i == n) return;
  HWY_ALIGN Element rest[hn::MaxLanes(d)] = {};
  const size_t bytes = static_cast<size_t>(n - i) * sizeof(Element);
  std::memcpy(rest, x + i, bytes);
  hn::Store(Function::call(d, hn::Load(d, rest)), d, rest);
  std::memcpy(out + i, rest, bytes);
}

template <class Function>
UnaryLoop find(DType dtype) {
  if (dtype == DType::kFloat32) return loop<Function, float>;
  return dtype == DType::kFloat64 ? loop<Function, double> : nullptr;
}

UnaryLoop vector_loop(UnaryOp op, DType dtype) {
  switch (op) {
    case UnaryOp::kExp:
      return find<Exp>(dtype);
    case UnaryOp::kLog:
      return find<Log>(dtype);
    case UnaryOp::kLog1p:
      return find<Log1p>(dtype);
    case UnaryOp::kSin:
      return find<Sin>(dtype);
    case UnaryOp::kCos:
      return find<Cos>(dtype);
    case UnaryOp::kTanh:
      return find<Tanh>(dtype);
    case UnaryOp::kSigmoid:
      return find<Sigmoid>(dtype);
    case UnaryOp::kErf:
      return dtype == DType::kFloat32 ? loop<Erf, float> : nullptr;
    default:
      return nullptr;
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(vector_loop);

void erf_double(const void* x_data, void* out_data, int64_t n) {
  const double* x = static_cast<const double*>(x_data);
  double* out = static_cast<double*>(out_data);
  for (int64_t i = 0; i < n; ++i) out[i] = std::erf(x[i]);
}

}  // namespace

UnaryLoop math_loop(UnaryOp op, DType dtype) noexcept {
  if (op == UnaryOp::kErf && dtype == DType::kFloat64) return erf_double;
  return HWY_DYNAMIC_DISPATCH(vector_loop)(op, dtype);
}

}  // namespace penstock::kernels
#endif
