#include "kernels/pool_rows.h"

#define HWY_TARGET_INCLUDE "kernels/pool_rows.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Largest {
  template <class V>
  HWY_INLINE V operator()(V most, V value) const {
    // The second comparison is for NaN, which compares with nothing.
    return hn::IfThenElse(hn::Or(hn::Gt(value, most), hn::IsNaN(value)), value, most);
  }
};
struct Sum {
  template <class V>
  HWY_INLINE V operator()(V sum, V value) const {
    return hn::Add(sum, value);
  }
};

// A block of channels, `kVectors` vectors of D wide, from channel c on.
template <int kVectors, class D, class Fold, typename T>
HWY_INLINE void fold_block(D d, const Fold& fold, const Seen<T>& seen, bool more, int64_t c,
                           T* out) {
  const size_t n = hn::Lanes(d);
  hn::Vec<D> results[kVectors];
  const T* first = more ? out + c : seen.x + seen.offsets[0] + c;
  for (size_t v = 0; v < kVectors; ++v) results[v] = hn::LoadU(d, first + v * n);
  for (int64_t i = more ? 0 : 1; i < seen.count; ++i) {
    const T* x = seen.x + seen.offsets[i] + c;
    for (size_t v = 0; v < kVectors; ++v) {
      results[v] = fold(results[v], hn::LoadU(d, x + v * n));
    }
  }
  for (size_t v = 0; v < kVectors; ++v) hn::StoreU(results[v], d, out + c + v * n);
}

template <class Fold, typename T>
HWY_INLINE void fold_rows(const Seen<T>& seen, bool more, T* out) {
  const Fold fold;
  const hn::ScalableTag<T> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + 4 * n <= seen.channels; c += 4 * n) fold_block<4>(d, fold, seen, more, c, out);
  for (; c + n <= seen.channels; c += n) fold_block<1>(d, fold, seen, more, c, out);
  for (; c < seen.channels; ++c) fold_block<1>(hn::CappedTag<T, 1>(), fold, seen, more, c, out);
}
void MaxF32(const Seen<float>& seen, bool more, float* out) { fold_rows<Largest>(seen, more, out); }
void MaxF64(const Seen<double>& seen, bool more, double* out) {
  fold_rows<Largest>(seen, more, out);
}
void SumF32(const Seen<float>& seen, bool more, float* out) { fold_rows<Sum>(seen, more, out); }
void SumF64(const Seen<double>& seen, bool more, double* out) { fold_rows<Sum>(seen, more, out); }

template <class D, typename T>
HWY_INLINE void add_block(D d, const Seen<T>& seen, int64_t c, const T* y, const T* dy, T* dx) {
  const auto most = hn::LoadU(d, y + c), gradient = hn::LoadU(d, dy + c);
  const auto most_is_nan = hn::IsNaN(most);
  auto left = hn::Eq(hn::Zero(d), hn::Zero(d));  // channels whose largest was not seen yet
  for (int64_t i = 0; i < seen.count; ++i) {
    const auto x = hn::LoadU(d, seen.x + seen.offsets[i] + c);
    const auto equal = hn::Or(hn::Eq(x, most), hn::And(most_is_nan, hn::IsNaN(x)));
    const auto hit = hn::And(left, equal);
    T* at = dx + seen.offsets[i] + c;
    hn::StoreU(hn::Add(hn::LoadU(d, at), hn::IfThenElseZero(hit, gradient)), d, at);
    left = hn::AndNot(hit, left);
  }
}
template <typename T>
HWY_INLINE void add_rows(const Seen<T>& seen, const T* y, const T* dy, T* dx) {
  const hn::ScalableTag<T> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + n <= seen.channels; c += n) add_block(d, seen, c, y, dy, dx);
  for (; c < seen.channels; ++c) add_block(hn::CappedTag<T, 1>(), seen, c, y, dy, dx);
}
void AddF32(const Seen<float>& seen, const float* y, const float* dy, float* dx) {
  add_rows(seen, y, dy, dx);
}
void AddF64(const Seen<double>& seen, const double* y, const double* dy, double* dx) {
  add_rows(seen, y, dy, dx);
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {

HWY_EXPORT(MaxF32);
HWY_EXPORT(MaxF64);
HWY_EXPORT(SumF32);
HWY_EXPORT(SumF64);
HWY_EXPORT(AddF32);
HWY_EXPORT(AddF64);

void max_rows(const Seen<float>& seen, bool more, float* out) {
  HWY_DYNAMIC_DISPATCH(MaxF32)(seen, more, out);
}
void max_rows(const Seen<double>& seen, bool more, double* out) {
  HWY_DYNAMIC_DISPATCH(MaxF64)(seen, more, out);
}
void sum_rows(const Seen<float>& seen, bool more, float* out) {
  HWY_DYNAMIC_DISPATCH(SumF32)(seen, more, out);
}
void sum_rows(const Seen<double>& seen, bool more, double* out) {
  HWY_DYNAMIC_DISPATCH(SumF64)(seen, more, out);
}
void add_to_largest(const Seen<float>& seen, const float* y, const float* dy, float* dx) {
  HWY_DYNAMIC_DISPATCH(AddF32)(seen, y, dy, dx);
}
void add_to_largest(const Seen<double>& seen, const double* y, const double* dy, double* dx) {
  HWY_DYNAMIC_DISPATCH(AddF64)(seen, y, dy, dx);
}

}  // namespace penstock::kernels
#endif
