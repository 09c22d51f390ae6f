// f(Aᵀ) = f(A)ᵀ for these functions: row-major or column-major makes no difference.
//
// The exponential is Higham's scaling and squaring with the Padé approximant of degree 13. The
// square root and the logarithm work on the complex Schur form, in double precision for all dtypes:
// Björck and Hammarling's recurrence, and inverse scaling and squaring around it.
#include "kernels/matrix_functions.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/lapack.h"

namespace penstock::kernels {
namespace {

// c = a · op(b).
template <typename T>
void multiply(const T* a, const T* b, T* c, int n, char op_b = 'N') {
  const T one(1), zero(0);
  lapack<T>()->gemm("N", &op_b, &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
}

// The largest sum of absolute values in a column.
template <typename T>
double norm(const T* a, int64_t n) {
  double largest = 0;
  for (int64_t c = 0; c < n; ++c) {
    double sum = 0;
    for (int64_t r = 0; r < n; ++r) sum += std::abs(a[c * n + r]);
    if (!(sum <= largest)) largest = sum;  // NaN too
  }
  return largest;
}

template <typename T>
void fill_nan(T* out, int64_t count) {
  std::fill_n(out, count, T(std::numeric_limits<Real<T>>::quiet_NaN()));
}

template <typename T>
struct ExpWork {
  ExpWork(Carver& carver, int64_t n) : pivots(carver.take<int>(n)) {
    for (T** matrix : {&a, &a2, &a4, &a6, &u, &v}) *matrix = carver.take<T>(n * n);
  }
  T *a, *a2, *a4, *a6, *u, *v;
  int* pivots;
};

// to = x₀ a6 + x₁ a4 + x₂ a2 (+ x₃ I).
template <typename T>
void combine(const ExpWork<T>& w, int64_t n, const double (&x)[4], T* to) {
  const auto b = [&](int i) { return static_cast<Real<T>>(x[i]); };
  for (int64_t i = 0; i < n * n; ++i) to[i] = b(0) * w.a6[i] + b(1) * w.a4[i] + b(2) * w.a2[i];
  for (int64_t i = 0; i < n; ++i) to[i * n + i] += b(3);
}

template <typename T>
void exponential_one(const ExpWork<T>& w, const T* in, int n, T* out) {
  constexpr double kTheta = 5.371920351148152;
  const int64_t size = int64_t{n} * n;
  const double length = norm(in, n);
  if (!std::isfinite(length)) return fill_nan(out, size);
  const int squarings =
      length > kTheta ? static_cast<int>(std::ceil(std::log2(length / kTheta))) : 0;
  const auto scale = static_cast<Real<T>>(std::ldexp(1.0, -squarings));
  for (int64_t i = 0; i < size; ++i) w.a[i] = in[i] * scale;
  multiply(w.a, w.a, w.a2, n);
  multiply(w.a2, w.a2, w.a4, n);
  multiply(w.a4, w.a2, w.a6, n);
  // u = a (a6 (b13 a6 + b11 a4 + b9 a2) + b7 a6 + b5 a4 + b3 a2 + b1), v likewise of even ones.
  combine(w, n, {1., 16380., 40840800., 0.}, w.v);
  multiply(w.a6, w.v, out, n);
  combine(w, n, {33522128640., 10559470521600., 1187353796428800., 32382376266240000.}, w.v);
  for (int64_t i = 0; i < size; ++i) w.v[i] += out[i];
  multiply(w.a, w.v, w.u, n);
  combine(w, n, {182., 960960., 1323241920., 0.}, w.a);
  multiply(w.a6, w.a, w.v, n);
  combine(w, n, {670442572800., 129060195264000., 7771770303897600., 64764752532480000.}, w.a);
  // (v - u) x = v + u
  for (int64_t i = 0; i < size; ++i) {
    const T even = w.v[i] + w.a[i];
    out[i] = even + w.u[i];
    w.a2[i] = even - w.u[i];
  }
  int info = 0;
  const T one(1);
  lapack<T>()->getrf(&n, &n, w.a2, &n, w.pivots, &info);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t other = w.pivots[i] - 1;
    if (other <= i || other >= n) continue;
    for (int64_t c = 0; c < n; ++c) std::swap(out[c * n + i], out[c * n + other]);
  }
  lapack<T>()->trsm("L", "L", "N", "U", &n, &n, &one, w.a2, &n, out, &n, 1, 1, 1, 1);
  lapack<T>()->trsm("L", "U", "N", "N", &n, &n, &one, w.a2, &n, out, &n, 1, 1, 1, 1);
  for (int i = 0; i < squarings; ++i) {
    multiply(out, out, w.a, n);
    std::memcpy(out, w.a, static_cast<size_t>(size) * sizeof(T));
  }
}

using Z = complex128;

// t (upper triangular), its unitary factor q, and two matrices to work with.
struct SchurWork {
  SchurWork(Carver& carver, int64_t n) : rwork(carver.take<double>(n)), w(carver.take<Z>(n)) {
    for (Z** matrix : {&t, &q, &x, &y}) *matrix = carver.take<Z>(n * n);
    lwork = -1;
    Z best(1);
    if (n > 0) run(static_cast<int>(n), &best);
    lwork = std::max(1, static_cast<int>(best.real()));
    work = carver.take<Z>(lwork);
  }
  int run(int n, Z* space) const {
    int info = 0, sorted = 0;
    lapack<Z>()->gees("V", "N", nullptr, &n, t, &n, &sorted, w, q, &n, space, &lwork, rwork,
                      nullptr, &info, 1, 1);
    return info;
  }

  double* rwork;
  Z *w, *t, *q, *x, *y, *work;
  int lwork;
};

// x = the upper triangular root of the upper triangular t.
void triangular_root(const Z* t, int64_t n, Z* x) {
  std::fill_n(x, n * n, Z(0));
  for (int64_t j = 0; j < n; ++j) {
    x[j * n + j] = std::sqrt(t[j * n + j]);
    for (int64_t i = j - 1; i >= 0; --i) {
      Z sum = t[j * n + i];
      for (int64_t k = i + 1; k < j; ++k) sum -= x[k * n + i] * x[j * n + k];
      x[j * n + i] = sum / (x[i * n + i] + x[j * n + j]);
    }
  }
}

// x = log(t) of the upper triangular t, whose roots pass through x and y.
void triangular_logarithm(const SchurWork& w, int n) {
  constexpr double kNodes[] = {0,
                               0.4058451513773972,
                               -0.4058451513773972,
                               0.7415311855993945,
                               -0.7415311855993945,
                               0.9491079123427585,
                               -0.9491079123427585};
  constexpr double kWeights[] = {0.4179591836734694, 0.3818300505051189, 0.3818300505051189,
                                 0.2797053914892766, 0.2797053914892766, 0.1294849661688697,
                                 0.1294849661688697};
  constexpr double kTheta = 0.264;  // of the Padé approximant of degree 7
  constexpr int kMaxRoots = 60;
  const int64_t size = int64_t{n} * n;
  const auto distance_from_identity = [&] {
    for (int64_t i = 0; i < n; ++i) w.t[i * n + i] -= 1;
    return norm(w.t, n);
  };
  int roots = 0;
  while (distance_from_identity() > kTheta && roots < kMaxRoots) {
    for (int64_t i = 0; i < n; ++i) w.t[i * n + i] += 1;
    triangular_root(w.t, n, w.x);
    std::memcpy(w.t, w.x, static_cast<size_t>(size) * sizeof(Z));
    ++roots;
  }
  // log(I + t) = the sum over Gauss's nodes s of weight · (I + s t)⁻¹ t
  std::fill_n(w.x, size, Z(0));
  for (int k = 0; k < 7; ++k) {
    const double node = (1 + kNodes[k]) / 2, weight = kWeights[k] / 2;
    for (int64_t i = 0; i < size; ++i) w.y[i] = node * w.t[i];
    for (int64_t i = 0; i < n; ++i) w.y[i * n + i] += 1;
    for (int64_t c = 0; c < n; ++c) {
      // One column of (I + s t)⁻¹ t at a time, by substitution from below.
      for (int64_t r = c; r >= 0; --r) w.w[r] = w.t[c * n + r];
      for (int64_t r = c; r >= 0; --r) {
        w.w[r] /= w.y[r * n + r];
        for (int64_t i = 0; i < r; ++i) w.w[i] -= w.y[r * n + i] * w.w[r];
      }
      for (int64_t r = 0; r <= c; ++r) w.x[c * n + r] += weight * w.w[r];
    }
  }
  for (int64_t i = 0; i < size; ++i) w.x[i] *= std::ldexp(1.0, roots);
}

template <typename T>
void write(Z value, T* out) {
  if constexpr (kIsComplex<T>) {
    *out = T(static_cast<Real<T>>(value.real()), static_cast<Real<T>>(value.imag()));
  } else {
    *out = static_cast<T>(value.real());
  }
}

// out = q x qᴴ; of a real dtype NaN when that is not real.
template <typename T>
void put_back(const SchurWork& w, int n, T* out) {
  const int64_t size = int64_t{n} * n;
  multiply(w.q, w.x, w.y, n);
  multiply(w.y, w.q, w.x, n, 'C');
  if (!kIsComplex<T>) {
    double real = 0, imaginary = 0;
    for (int64_t i = 0; i < size; ++i) {
      real = std::max(real, std::abs(w.x[i].real()));
      imaginary = std::max(imaginary, std::abs(w.x[i].imag()));
    }
    if (imaginary > 1e-7 * real) return fill_nan(out, size);
  }
  for (int64_t i = 0; i < size; ++i) write(w.x[i], out + i);
}

template <typename Function>
void through_schur(const View& in, const View& out, void* scratch, const Function& function) {
  const Matrices m = matrices_of(in.shape);
  const int n = static_cast<int>(m.rows);
  if (out.size() == 0) return;
  with_lapack_type(in.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto body = [&](const SchurWork& w, int64_t i) {
      const T* from = in.as<T>() + i * m.size();
      T* to = out.as<T>() + i * m.size();
      for (int64_t k = 0; k < m.size(); ++k) w.t[k] = Z(from[k]);
      if (!std::isfinite(norm(from, n)) || w.run(n, w.work) != 0) return fill_nan(to, m.size());
      function(w, n);
      put_back(w, n, to);
    };
    for_matrices<SchurWork>(m.count, m.work(), scratch, body, m.rows);
  });
}

}  // namespace

int64_t matrix_exponential_scratch(DType dtype, Matrices a) {
  return with_lapack_type(dtype, [&](auto zero) {
    return batch_scratch<ExpWork<decltype(zero)>>(a.count, a.work(), a.rows);
  });
}

void matrix_exponential(const View& in, const View& out, void* scratch) {
  const Matrices m = matrices_of(in.shape);
  if (out.size() == 0) return;
  with_lapack_type(in.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto body = [&](const ExpWork<T>& work, int64_t i) {
      exponential_one(work, in.as<T>() + i * m.size(), static_cast<int>(m.rows),
                      out.as<T>() + i * m.size());
    };
    for_matrices<ExpWork<T>>(m.count, m.work(), scratch, body, m.rows);
  });
}

int64_t matrix_root_scratch(Matrices a) {
  return batch_scratch<SchurWork>(a.count, a.work(), a.rows);
}

void matrix_square_root(const View& in, const View& out, void* scratch) {
  through_schur(in, out, scratch, [](const SchurWork& w, int n) { triangular_root(w.t, n, w.x); });
}

void matrix_logarithm(const View& in, const View& out, void* scratch) {
  through_schur(in, out, scratch, [](const SchurWork& w, int n) { triangular_logarithm(w, n); });
}

}  // namespace penstock::kernels
