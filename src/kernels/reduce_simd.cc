// The inner loops of reductions of float32 and float64, once for each instruction set.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/reduce_steps.h"

#define HWY_TARGET_INCLUDE "kernels/reduce_simd.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Elements that one lane, or one column, sums before the sum moves to double.
constexpr int64_t kBlock = 256;
constexpr int64_t kBlockRows = 256;

struct Sum {
  template <typename T>
  using Acc = double;
  template <typename T>
  static constexpr T kIdentity = 0;
  template <typename T>
  HWY_INLINE static T one(T a, T b) {
    return a + b;
  }
  template <class V>
  HWY_INLINE static V vec(V a, V b) {
    return hn::Add(a, b);
  }
};

struct Prod {
  template <typename T>
  using Acc = double;
  template <typename T>
  static constexpr T kIdentity = 1;
  template <typename T>
  HWY_INLINE static T one(T a, T b) {
    return a * b;
  }
  template <class V>
  HWY_INLINE static V vec(V a, V b) {
    return hn::Mul(a, b);
  }
};

struct Max {
  template <typename T>
  using Acc = T;
  template <typename T>
  static constexpr T kIdentity = -std::numeric_limits<T>::infinity();
  template <typename T>
  HWY_INLINE static T one(T a, T b) {
    return ((b > a) | (b != b)) ? b : a;
  }
  template <class V>
  HWY_INLINE static V vec(V a, V b) {
    return hn::IfThenElse(hn::Or(hn::Gt(b, a), hn::IsNaN(b)), b, a);
  }
};

struct Min {
  template <typename T>
  using Acc = T;
  template <typename T>
  static constexpr T kIdentity = std::numeric_limits<T>::infinity();
  template <typename T>
  HWY_INLINE static T one(T a, T b) {
    return ((b < a) | (b != b)) ? b : a;
  }
  template <class V>
  HWY_INLINE static V vec(V a, V b) {
    return hn::IfThenElse(hn::Or(hn::Lt(b, a), hn::IsNaN(b)), b, a);
  }
};

template <class Op, typename T, class V, typename Acc>
HWY_INLINE Acc fold_lanes(V v, Acc acc) {
  const hn::ScalableTag<T> d;
  if constexpr (std::is_same_v<Op, Sum>) {
    return acc + static_cast<Acc>(hn::GetLane(hn::SumOfLanes(d, v)));
  } else {
    HWY_ALIGN T lanes[hn::MaxLanes(d)];
    hn::Store(v, d, lanes);
    for (size_t i = 0; i < hn::Lanes(d); ++i) acc = Op::one(acc, static_cast<Acc>(lanes[i]));
    return acc;
  }
}

template <class Op, typename T, typename Acc>
HWY_INLINE Acc row(const T* x, int64_t n, Acc acc) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto identity = hn::Set(d, Op::template kIdentity<T>);
  int64_t i = 0;
  while (n - i >= lanes) {
    const int64_t end = i + std::min(n - i, kBlock * lanes);
    auto a = identity, b = identity, c = identity, e = identity;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      a = Op::vec(a, hn::LoadU(d, x + i));
      b = Op::vec(b, hn::LoadU(d, x + i + lanes));
      c = Op::vec(c, hn::LoadU(d, x + i + 2 * lanes));
      e = Op::vec(e, hn::LoadU(d, x + i + 3 * lanes));
    }
    for (; i + lanes <= end; i += lanes) a = Op::vec(a, hn::LoadU(d, x + i));
    acc = fold_lanes<Op, T>(Op::vec(Op::vec(a, b), Op::vec(c, e)), acc);
  }
  for (; i < n; ++i) acc = Op::one(acc, static_cast<Acc>(x[i]));
  return acc;
}

template <class Op, typename T>
void rows(const void* data, int64_t count, int64_t n, int64_t stride, void* acc_data) {
  const T* x = static_cast<const T*>(data);
  auto* acc = static_cast<typename Op::template Acc<T>*>(acc_data);
  for (int64_t i = 0; i < count; ++i) acc[i] = row<Op>(x + i * stride, n, acc[i]);
}

// Plain loops over `width` neighbours: the compiler vectorises them.
template <class Op, typename T, typename Acc>
void strip(const T* HWY_RESTRICT x, int64_t rows, int64_t stride, int64_t width,
           Acc* HWY_RESTRICT acc) {
  T part[kTile];
  for (int64_t begin = 0; begin < rows; begin += kBlockRows) {
    const int64_t end = std::min(rows, begin + kBlockRows);
    std::fill(part, part + width, Op::template kIdentity<T>);
    int64_t i = begin;
    for (; i + 4 <= end; i += 4) {
      const T* r = x + i * stride;
      for (int64_t j = 0; j < width; ++j) {
        const T low = Op::one(r[j], r[j + stride]);
        const T high = Op::one(r[j + 2 * stride], r[j + 3 * stride]);
        part[j] = Op::one(part[j], Op::one(low, high));
      }
    }
    for (; i < end; ++i) {
      const T* r = x + i * stride;
      for (int64_t j = 0; j < width; ++j) part[j] = Op::one(part[j], r[j]);
    }
    for (int64_t j = 0; j < width; ++j) acc[j] = Op::one(acc[j], static_cast<Acc>(part[j]));
  }
}

// Narrow contiguous rows are processed several at a time, as one wide row.
template <class Op, typename T>
void columns(const void* data, int64_t rows, int64_t stride, int64_t width, void* acc_data) {
  using Acc = typename Op::template Acc<T>;
  const T* x = static_cast<const T*>(data);
  Acc* acc = static_cast<Acc*>(acc_data);
  const int64_t group = kTile / width;
  int64_t done = 0;
  if (stride == width && group >= 4 && rows >= 2 * group) {
    Acc wide[kTile];
    std::fill(wide, wide + group * width, Op::template kIdentity<Acc>);
    strip<Op>(x, rows / group, stride * group, width * group, wide);
    for (int64_t k = 0; k < group * width; ++k) {
      acc[k % width] = Op::one(acc[k % width], wide[k]);
    }
    done = rows / group * group;
  }
  strip<Op>(x + done * stride, rows - done, stride, width, acc);
}

template <typename T>
ReduceLoops loops_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::kProd:
      return {rows<Prod, T>, columns<Prod, T>};
    case Reduction::kMax:
      return {rows<Max, T>, columns<Max, T>};
    case Reduction::kMin:
      return {rows<Min, T>, columns<Min, T>};
    default:
      return {rows<Sum, T>, columns<Sum, T>};
  }
}

ReduceLoops reduce_loops(Reduction reduction, DType dtype) {
  return dtype == DType::kFloat32 ? loops_of<float>(reduction) : loops_of<double>(reduction);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(reduce_loops);

ReduceLoops simd_reduce_loops(Reduction reduction, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(reduce_loops)(reduction, dtype);
}

}  // namespace penstock::kernels
#endif
