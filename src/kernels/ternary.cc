#include "kernels/ternary.h"

#include "kernels/half.h"
#include "kernels/special.h"

#define HWY_TARGET_INCLUDE "kernels/ternary.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

#include "kernels/loops-inl.h"

#ifndef PENSTOCK_KERNELS_TERNARY_FUNCTIONS
#define PENSTOCK_KERNELS_TERNARY_FUNCTIONS
namespace penstock::kernels {

inline constexpr DTypeSet kRealPlain = DTypeSet(DType::kFloat32) | DType::kFloat64;

struct Clip {
  static constexpr DTypeSet kTypes = kIntTypes | kRealPlain;
  template <typename T>
  static T call(T x, T low, T high) {
    const T below = high < x ? high : x;
    return below < low ? low : below;
  }
};
struct LeakyReluGrad {
  static constexpr DTypeSet kTypes = kRealPlain;
  template <typename T>
  static T call(T dy, T x, T alpha) {
    return x > T(0) ? dy : dy * alpha;
  }
};
struct Betainc {
  static constexpr DTypeSet kTypes = kRealPlain;
  template <typename T>
  static T call(T a, T b, T x) {
    return static_cast<T>(betainc(a, b, x));
  }
};

}  // namespace penstock::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {

TernaryLoop fast_loop(TernaryOp op, DType dtype) {
  if (op == TernaryOp::kClip) return find_fast<Ternary, Clip>(dtype);
  return op == TernaryOp::kLeakyReluGrad ? find_fast<Ternary, LeakyReluGrad>(dtype) : nullptr;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(fast_loop);

TernaryLoop other_loop(TernaryOp op, DType dtype) {
  using namespace HWY_NAMESPACE;
  if (op == TernaryOp::kClip) return find_other<Ternary, Clip>(dtype);
  return op == TernaryOp::kBetainc ? find_fast<Ternary, Betainc>(dtype) : nullptr;
}

template <TernaryOp op, typename Half>
void in_float(const void* x, const void* y, const void* z, void* out, int64_t n, int stride_x,
              int stride_y, int stride_z) {
  ternary_in_float<Half>(ternary_loop(op, DType::kFloat32), x, y, z, out, n, stride_x, stride_y,
                         stride_z);
}

// In the order of the enum.
constexpr TernaryLoop kHalfLoops[][2] = {
    {in_float<TernaryOp::kClip, float16>, in_float<TernaryOp::kClip, bfloat16>},
    {in_float<TernaryOp::kLeakyReluGrad, float16>, in_float<TernaryOp::kLeakyReluGrad, bfloat16>},
    {in_float<TernaryOp::kBetainc, float16>, in_float<TernaryOp::kBetainc, bfloat16>},
};

}  // namespace

TernaryLoop ternary_loop(TernaryOp op, DType dtype) noexcept {
  if (kHalfTypes.has(dtype)) return kHalfLoops[static_cast<int>(op)][dtype == DType::kBFloat16];
  const TernaryLoop fast = HWY_DYNAMIC_DISPATCH(fast_loop)(op, dtype);
  return fast != nullptr ? fast : other_loop(op, dtype);
}

}  // namespace penstock::kernels
#endif
