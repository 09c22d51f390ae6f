#include "kernels/cells.h"

#include <algorithm>
#include <cstring>

#include <penstock/base/threads.h>

#define HWY_TARGET_INCLUDE "kernels/cells.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>
// After highway.h:
#include "kernels/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V>
HWY_INLINE V sigmoid(D d, V x) {
  const auto one = hn::Set(d, hn::TFromD<D>(1));
  const auto e = exp_of_negative(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

// A quotient of polynomials, within a few units in the last place; beyond the clamp it is 1.
template <class D, class V>
HWY_INLINE V float_tanh(D d, V x) {
  const auto most = hn::Set(d, 7.90531110763549805f);
  const auto bounded = hn::Min(hn::Max(x, hn::Neg(most)), most);
  const auto square = hn::Mul(bounded, bounded);
  auto p =
      hn::MulAdd(square, hn::Set(d, -2.76076847742355e-16f), hn::Set(d, 2.00018790482477e-13f));
  p = hn::MulAdd(square, p, hn::Set(d, -8.60467152213735e-11f));
  p = hn::MulAdd(square, p, hn::Set(d, 5.12229709037114e-08f));
  p = hn::MulAdd(square, p, hn::Set(d, 1.48572235717979e-05f));
  p = hn::MulAdd(square, p, hn::Set(d, 6.37261928875436e-04f));
  p = hn::MulAdd(square, p, hn::Set(d, 4.89352455891786e-03f));
  auto q = hn::MulAdd(square, hn::Set(d, 1.19825839466702e-06f), hn::Set(d, 1.18534705686654e-04f));
  q = hn::MulAdd(square, q, hn::Set(d, 2.26843463243900e-03f));
  q = hn::MulAdd(square, q, hn::Set(d, 4.89352518554385e-03f));
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Div(hn::Mul(bounded, p), q));
}
template <class D, class V>
HWY_INLINE V tanh(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) return float_tanh(d, x);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Tanh(d, x));
}
// The derivatives, from the values.
template <class D, class V>
HWY_INLINE V sigmoid_slope(D, V s) {
  return hn::NegMulAdd(s, s, s);
}
template <class D, class V>
HWY_INLINE V tanh_slope(D d, V t) {
  return hn::NegMulAdd(t, t, hn::Set(d, hn::TFromD<D>(1)));
}

// Calls body(columns, count) for vectors of columns of a row; the last one may be shorter.
template <class D, class Body>
HWY_INLINE void for_vectors(D d, int64_t n, Body body) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) body(i, lanes);
  if (i < n) body(i, n - i);
}
template <class D>
HWY_INLINE hn::Vec<D> load(D d, const hn::TFromD<D>* p, int64_t count) {
  if (HWY_LIKELY(count == static_cast<int64_t>(hn::Lanes(d)))) return hn::LoadU(d, p);
  HWY_ALIGN hn::TFromD<D> some[hn::MaxLanes(d)] = {};
  std::memcpy(some, p, static_cast<size_t>(count) * sizeof *p);
  return hn::Load(d, some);
}
template <class D>
HWY_INLINE void store(D d, hn::Vec<D> v, hn::TFromD<D>* p, int64_t count) {
  if (HWY_LIKELY(count == static_cast<int64_t>(hn::Lanes(d)))) return hn::StoreU(v, d, p);
  HWY_ALIGN hn::TFromD<D> some[hn::MaxLanes(d)];
  hn::Store(v, d, some);
  std::memcpy(p, some, static_cast<size_t>(count) * sizeof *p);
}

template <typename T>
void lstm_row(int64_t n, const T* gates, const T* c_prev, T* h, T* c) {
  const hn::ScalableTag<T> d;
  for_vectors(d, n, [&](int64_t k, int64_t count) HWY_ATTR {
    const auto i = sigmoid(d, load(d, gates + k, count));
    const auto f = sigmoid(d, load(d, gates + n + k, count));
    const auto g = tanh(d, load(d, gates + 2 * n + k, count));
    const auto o = sigmoid(d, load(d, gates + 3 * n + k, count));
    const auto state = hn::MulAdd(f, load(d, c_prev + k, count), hn::Mul(i, g));
    store(d, state, c + k, count);
    store(d, hn::Mul(o, tanh(d, state)), h + k, count);
  });
}

template <typename T>
void lstm_grad_row(int64_t n, const T* gates, const T* c_prev, const T* c, const T* dh, const T* dc,
                   T* dgates, T* dc_prev) {
  const hn::ScalableTag<T> d;
  for_vectors(d, n, [&](int64_t k, int64_t count) HWY_ATTR {
    const auto i = sigmoid(d, load(d, gates + k, count));
    const auto f = sigmoid(d, load(d, gates + n + k, count));
    const auto g = tanh(d, load(d, gates + 2 * n + k, count));
    const auto o = sigmoid(d, load(d, gates + 3 * n + k, count));
    const auto t = tanh(d, load(d, c + k, count));
    const auto dh_k = load(d, dh + k, count);
    const auto dstate = hn::MulAdd(hn::Mul(dh_k, o), tanh_slope(d, t), load(d, dc + k, count));
    const auto before = load(d, c_prev + k, count);
    store(d, hn::Mul(hn::Mul(dstate, g), sigmoid_slope(d, i)), dgates + k, count);
    store(d, hn::Mul(hn::Mul(dstate, before), sigmoid_slope(d, f)), dgates + n + k, count);
    store(d, hn::Mul(hn::Mul(dstate, i), tanh_slope(d, g)), dgates + 2 * n + k, count);
    store(d, hn::Mul(hn::Mul(dh_k, t), sigmoid_slope(d, o)), dgates + 3 * n + k, count);
    store(d, hn::Mul(dstate, f), dc_prev + k, count);
  });
}

template <typename T>
void gru_row(int64_t n, const T* x, const T* hidden, const T* h, T* out) {
  const hn::ScalableTag<T> d;
  for_vectors(d, n, [&](int64_t k, int64_t count) HWY_ATTR {
    const auto z = sigmoid(d, hn::Add(load(d, x + k, count), load(d, hidden + k, count)));
    const auto r = sigmoid(d, hn::Add(load(d, x + n + k, count), load(d, hidden + n + k, count)));
    const auto candidate =
        tanh(d, hn::MulAdd(r, load(d, hidden + 2 * n + k, count), load(d, x + 2 * n + k, count)));
    const auto before = load(d, h + k, count);
    store(d, hn::MulAdd(z, hn::Sub(before, candidate), candidate), out + k, count);
  });
}

template <typename T>
void gru_grad_row(int64_t n, const T* x, const T* hidden, const T* h, const T* dy, T* dx,
                  T* dhidden, T* dh) {
  const hn::ScalableTag<T> d;
  const auto one = hn::Set(d, T(1));
  for_vectors(d, n, [&](int64_t k, int64_t count) HWY_ATTR {
    const auto z = sigmoid(d, hn::Add(load(d, x + k, count), load(d, hidden + k, count)));
    const auto r = sigmoid(d, hn::Add(load(d, x + n + k, count), load(d, hidden + n + k, count)));
    const auto q = load(d, hidden + 2 * n + k, count);
    const auto candidate = tanh(d, hn::MulAdd(r, q, load(d, x + 2 * n + k, count)));
    const auto dy_k = load(d, dy + k, count);
    const auto dz =
        hn::Mul(hn::Mul(dy_k, hn::Sub(load(d, h + k, count), candidate)), sigmoid_slope(d, z));
    const auto dn = hn::Mul(hn::Mul(dy_k, hn::Sub(one, z)), tanh_slope(d, candidate));
    const auto dr = hn::Mul(hn::Mul(dn, q), sigmoid_slope(d, r));
    store(d, dz, dx + k, count);
    store(d, dr, dx + n + k, count);
    store(d, dn, dx + 2 * n + k, count);
    store(d, dz, dhidden + k, count);
    store(d, dr, dhidden + n + k, count);
    store(d, hn::Mul(dn, r), dhidden + 2 * n + k, count);
    store(d, hn::Mul(dy_k, z), dh + k, count);
  });
}

template <typename T>
CellLoops<T> make_loops() {
  return {lstm_row<T>, lstm_grad_row<T>, gru_row<T>, gru_grad_row<T>};
}
CellLoops<float> float_loops() { return make_loops<float>(); }
CellLoops<double> double_loops() { return make_loops<double>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace penstock::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(float_loops);
HWY_EXPORT(double_loops);

constexpr int64_t kPartSize = 1 << 12;  // units a part should have at least

// body(loops, a null pointer to the element type, row) for every row.
template <typename Body>
void for_rows(DType dtype, int64_t batch, int64_t units, Body body) {
  if (units == 0) return;
  parallel_for(batch, std::max<int64_t>(1, kPartSize / units), [&](int64_t row, int64_t last) {
    if (dtype == DType::kFloat32) {
      const auto loops = HWY_DYNAMIC_DISPATCH(float_loops)();
      for (; row < last; ++row) body(loops, static_cast<float*>(nullptr), row);
    } else {
      const auto loops = HWY_DYNAMIC_DISPATCH(double_loops)();
      for (; row < last; ++row) body(loops, static_cast<double*>(nullptr), row);
    }
  });
}

// Row `i` of an array with rows of n elements.
template <typename T>
const T* at(const void* array, int64_t i, int64_t n, const T*) {
  return static_cast<const T*>(array) + i * n;
}
template <typename T>
T* to(void* array, int64_t i, int64_t n, const T*) {
  return static_cast<T*>(array) + i * n;
}

}  // namespace

void lstm_step(DType dtype, int64_t batch, int64_t n, const void* gates, const void* c_prev,
               void* h, void* c) {
  for_rows(dtype, batch, n, [&](const auto& loops, auto* type, int64_t i) {
    loops.lstm(n, at(gates, i, 4 * n, type), at(c_prev, i, n, type), to(h, i, n, type),
               to(c, i, n, type));
  });
}

void lstm_step_grad(DType dtype, int64_t batch, int64_t n, const void* gates, const void* c_prev,
                    const void* c, const void* dh, const void* dc, void* dgates, void* dc_prev) {
  for_rows(dtype, batch, n, [&](const auto& loops, auto* type, int64_t i) {
    loops.lstm_grad(n, at(gates, i, 4 * n, type), at(c_prev, i, n, type), at(c, i, n, type),
                    at(dh, i, n, type), at(dc, i, n, type), to(dgates, i, 4 * n, type),
                    to(dc_prev, i, n, type));
  });
}

void gru_step(DType dtype, int64_t batch, int64_t n, const void* x_gates, const void* h_gates,
              const void* h, void* out) {
  for_rows(dtype, batch, n, [&](const auto& loops, auto* type, int64_t i) {
    loops.gru(n, at(x_gates, i, 3 * n, type), at(h_gates, i, 3 * n, type), at(h, i, n, type),
              to(out, i, n, type));
  });
}

void gru_step_grad(DType dtype, int64_t batch, int64_t n, const void* x_gates, const void* h_gates,
                   const void* h, const void* dy, void* dx_gates, void* dh_gates, void* dh) {
  for_rows(dtype, batch, n, [&](const auto& loops, auto* type, int64_t i) {
    loops.gru_grad(n, at(x_gates, i, 3 * n, type), at(h_gates, i, 3 * n, type), at(h, i, n, type),
                   at(dy, i, n, type), to(dx_gates, i, 3 * n, type), to(dh_gates, i, 3 * n, type),
                   to(dh, i, n, type));
  });
}

}  // namespace penstock::kernels
#endif
