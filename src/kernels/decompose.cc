// A row-major matrix is the transpose of what LAPACK sees: M = Aᵀ. An LQ decomposition of M is a QR
// decomposition of A; the factors change places in the others too. Only V of the singular values
// and eigenvectors are transposed on their way out.
#include "kernels/decompose.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/lapack.h"

namespace penstock::kernels {
namespace {

template <typename T>
T* part(const View& view, int64_t index, int64_t size) {
  return view.as<T>() + index * size;
}

template <typename T>
void copy(const T* from, int64_t count, T* to) {
  if (count > 0) std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
}

template <typename T>
int rounded(T best) {
  return std::max(1, static_cast<int>(std::real(best)));
}

template <typename T>
bool is_finite(const T* a, int64_t count) {
  Real<T> sum(0);  // stays 0 unless an element is infinite or no number
  for (int64_t i = 0; i < count; ++i) sum += std::real(a[i]) * 0 + std::imag(a[i]) * 0;
  return sum == 0;
}

template <typename T>
struct QrWork {
  QrWork(Carver& carver, int64_t m, int64_t n, bool full)
      : a(carver.take<T>(m * n)), tau(carver.take<T>(std::min(m, n))) {
    const int rows = static_cast<int>(n), cols = static_cast<int>(m), query = -1;
    const int k = std::min(rows, cols), q_rows = full ? cols : k;
    int info = 0;
    T best(1), best_q(1);
    if (k > 0) {
      lapack<T>()->gelqf(&rows, &cols, nullptr, &rows, nullptr, &best, &query, &info);
      lapack<T>()->unglq(&q_rows, &cols, &k, nullptr, &q_rows, nullptr, &best_q, &query, &info);
    }
    lwork = std::max(rounded(best), rounded(best_q));
    work = carver.take<T>(lwork);
  }
  T *a, *tau, *work;
  int lwork;
};

// M (n × m) = L · Q, so A = Qᵀ · Lᵀ; stored row-major, q and r are those factors.
template <typename T>
void qr_one(const QrWork<T>& w, const T* a, int64_t m, int64_t n, bool full, T* q, T* r) {
  const int rows = static_cast<int>(n), cols = static_cast<int>(m);
  const int k = std::min(rows, cols), kept = full ? cols : k;
  int info = 0;
  copy(a, m * n, w.a);
  lapack<T>()->gelqf(&rows, &cols, w.a, &rows, w.tau, w.work, &w.lwork, &info);
  for (int64_t i = 0; i < kept; ++i) {
    const int64_t zeros = std::min<int64_t>(i, n);
    std::fill_n(r + i * n, zeros, T(0));
    for (int64_t j = zeros; j < n; ++j) r[i * n + j] = w.a[i * n + j];
  }
  for (int64_t c = 0; c < m; ++c) copy(w.a + c * n, k, q + c * kept);
  lapack<T>()->unglq(&kept, &cols, &k, q, &kept, w.tau, w.work, &w.lwork, &info);
}

template <typename T>
struct SvdWork {
  SvdWork(Carver& carver, int64_t m, int64_t n, bool vectors, bool full)
      : a(carver.take<T>(m * n)),
        u(carver.take<T>(vectors ? n * (full ? n : std::min(m, n)) : 1)),
        iwork(carver.take<int>(8 * std::min(m, n))) {
    const int64_t small = std::min(m, n), large = std::max(m, n);
    rwork = nullptr;
    if (kIsComplex<T>) {
      // The size required by LAPACK's documentation of gesdd.
      const int64_t with_vectors =
          std::max(5 * small * small + 5 * small, 2 * large * small + 2 * small * small + small);
      rwork = carver.take<Real<T>>(std::max<int64_t>(1, vectors ? with_vectors : 7 * small));
    }
    lwork = -1;
    T best(1);
    if (small > 0) run(vectors ? (full ? 'A' : 'S') : 'N', m, n, nullptr, nullptr, &best);
    lwork = rounded(best);
    work = carver.take<T>(lwork);
  }

  // The info of gesdd over `a`; with lwork == -1 a query that leaves its answer in `space`.
  int run(char job, int64_t m, int64_t n, Real<T>* s, T* vt, T* space) const {
    const int rows = static_cast<int>(n), cols = static_cast<int>(m);
    const int ldvt = job == 'A' ? cols : std::min(rows, cols);
    int info = 0;
    if constexpr (kIsComplex<T>) {
      lapack<T>()->gesdd(&job, &rows, &cols, a, &rows, s, u, &rows, vt, &ldvt, space, &lwork, rwork,
                         iwork, &info, 1);
    } else {
      lapack<T>()->gesdd(&job, &rows, &cols, a, &rows, s, u, &rows, vt, &ldvt, space, &lwork, iwork,
                         &info, 1);
    }
    return info;
  }

  T *a, *u, *work;
  int* iwork;
  Real<T>* rwork;
  int lwork;
};

template <typename T>
void svd_one(const SvdWork<T>& w, const T* a, int64_t m, int64_t n, bool vectors, bool full,
             Real<T>* s, T* u, T* v) {
  const int64_t k = std::min(m, n), u_cols = full ? m : k, v_cols = full ? n : k;
  copy(a, m * n, w.a);
  const bool converged =
      is_finite(a, m * n) && w.run(vectors ? (full ? 'A' : 'S') : 'N', m, n, s, u, w.work) == 0;
  if (!converged) {
    const Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
    std::fill_n(s, k, nan);
    if (vectors) std::fill_n(u, m * u_cols, T(nan));
    if (vectors) std::fill_n(v, n * v_cols, T(nan));
  } else if (vectors) {
    transpose_matrix(w.u, v_cols, n, v, true);
  }
}

template <typename T>
struct EighWork {
  EighWork(Carver& carver, int64_t n, bool vectors) : a(carver.take<T>(vectors ? 0 : n * n)) {
    int best_int = 1;
    Real<T> best_real(1);
    T best(1);
    lwork = liwork = lrwork = -1;
    if (n > 0) run(vectors, n, nullptr, nullptr, &best, &best_real, &best_int);
    lwork = rounded(best);
    lrwork = rounded(best_real);
    liwork = std::max(1, best_int);
    work = carver.take<T>(lwork);
    rwork = kIsComplex<T> ? carver.take<Real<T>>(lrwork) : nullptr;
    iwork = carver.take<int>(liwork);
  }

  int run(bool vectors, int64_t n, T* matrix, Real<T>* e, T* w, Real<T>* rw, int* iw) const {
    const int size = static_cast<int>(n);
    const char job = vectors ? 'V' : 'N';
    int info = 0;
    if constexpr (kIsComplex<T>) {
      lapack<T>()->heevd(&job, "U", &size, matrix, &size, e, w, &lwork, rw, &lrwork, iw, &liwork,
                         &info, 1, 1);
    } else {
      lapack<T>()->heevd(&job, "U", &size, matrix, &size, e, w, &lwork, iw, &liwork, &info, 1, 1);
    }
    return info;
  }

  T *a, *work;
  Real<T>* rwork;
  int* iwork;
  int lwork, lrwork, liwork;
};

// Real matrices are made complex: the eigenvalues are. C is the complex type.
template <typename C>
struct EigWork {
  EigWork(Carver& carver, int64_t n, bool vectors)
      : a(carver.take<C>(n * n)), rwork(carver.take<Real<C>>(2 * n)) {
    lwork = -1;
    C best(1);
    Real<C> unused[1];  // the query writes there
    if (n > 0) run(vectors, n, nullptr, nullptr, &best, unused);
    lwork = rounded(best);
    work = carver.take<C>(lwork);
  }

  // Left eigenvectors u of M = Aᵀ are the right ones of A, conjugated.
  int run(bool vectors, int64_t n, C* e, C* v, C* space, Real<C>* real_space) const {
    const int size = static_cast<int>(n), one = 1;
    int info = 0;
    lapack<C>()->geev(vectors ? "V" : "N", "N", &size, a, &size, e, v, &size, nullptr, &one, space,
                      &lwork, real_space, &info, 1, 1);
    return info;
  }

  C *a, *work;
  Real<C>* rwork;
  int lwork;
};

template <typename T>
using Complex = std::complex<Real<T>>;

}  // namespace

int64_t qr_scratch(DType dtype, Matrices a, bool full) {
  return with_lapack_type(dtype, [&](auto zero) {
    return batch_scratch<QrWork<decltype(zero)>>(a.count, a.work(), a.rows, a.cols, full);
  });
}

void qr(const View& a, const View& q, const View& r, bool full, void* scratch) {
  const Matrices m = matrices_of(a.shape);
  const int64_t q_cols = full ? m.rows : std::min(m.rows, m.cols);
  with_lapack_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto body = [&](const QrWork<T>& work, int64_t i) {
      T* q_out = part<T>(q, i, m.rows * q_cols);
      if (m.size() == 0) return set_identity(q_out, q_cols > 0 ? m.rows : 0);
      qr_one(work, part<T>(a, i, m.size()), m.rows, m.cols, full, q_out,
             part<T>(r, i, q_cols * m.cols));
    };
    for_matrices<QrWork<T>>(m.count, m.work(), scratch, body, m.rows, m.cols, full);
  });
}

int64_t svd_scratch(DType dtype, Matrices a, bool vectors, bool full) {
  return with_lapack_type(dtype, [&](auto zero) {
    return batch_scratch<SvdWork<decltype(zero)>>(a.count, a.work(), a.rows, a.cols, vectors, full);
  });
}

void svd(const View& a, const View& s, const View& u, const View& v, bool vectors, bool full,
         void* scratch) {
  const Matrices m = matrices_of(a.shape);
  const int64_t k = std::min(m.rows, m.cols);
  const int64_t u_cols = full ? m.rows : k, v_cols = full ? m.cols : k;
  with_lapack_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto body = [&](const SvdWork<T>& work, int64_t i) {
      T* u_out = vectors ? part<T>(u, i, m.rows * u_cols) : nullptr;
      T* v_out = vectors ? part<T>(v, i, m.cols * v_cols) : nullptr;
      if (k == 0) {
        if (vectors && full) set_identity(u_out, m.rows), set_identity(v_out, m.cols);
        return;
      }
      svd_one(work, part<T>(a, i, m.size()), m.rows, m.cols, vectors, full, part<Real<T>>(s, i, k),
              u_out, v_out);
    };
    for_matrices<SvdWork<T>>(m.count, m.work(), scratch, body, m.rows, m.cols, vectors, full);
  });
}

int64_t eigh_scratch(DType dtype, Matrices a, bool vectors) {
  return with_lapack_type(dtype, [&](auto zero) {
    return batch_scratch<EighWork<decltype(zero)>>(a.count, a.work(), a.rows, vectors);
  });
}

int64_t eigh(const View& a, const View& e, const View& v, bool vectors, void* scratch) {
  const Matrices m = matrices_of(a.shape);
  const int64_t n = m.rows;
  FirstFailure failure;
  if (n == 0) return failure.index();
  with_lapack_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto body = [&](const EighWork<T>& work, int64_t i) {
      const T* in = part<T>(a, i, n * n);
      T* matrix = vectors ? part<T>(v, i, n * n) : work.a;
      if (!is_finite(in, n * n)) return failure.note(i);
      copy(in, n * n, matrix);
      const int info =
          work.run(vectors, n, matrix, part<Real<T>>(e, i, n), work.work, work.rwork, work.iwork);
      if (info != 0) return failure.note(i);
      // Column by column they are M's, which is the conjugate of A.
      if (vectors) transpose_in_place(matrix, n, kIsComplex<T>);
    };
    for_matrices<EighWork<T>>(m.count, m.work(), scratch, body, n, vectors);
  });
  return failure.index();
}

int64_t eig_scratch(DType dtype, Matrices a, bool vectors) {
  return with_lapack_type(dtype, [&](auto zero) {
    return batch_scratch<EigWork<Complex<decltype(zero)>>>(a.count, a.work(), a.rows, vectors);
  });
}

int64_t eig(const View& a, const View& e, const View& v, bool vectors, void* scratch) {
  const Matrices m = matrices_of(a.shape);
  const int64_t n = m.rows;
  FirstFailure failure;
  if (n == 0) return failure.index();
  with_lapack_type(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    using C = Complex<T>;
    const auto body = [&](const EigWork<C>& work, int64_t i) {
      const T* in = part<T>(a, i, n * n);
      if (!is_finite(in, n * n)) return failure.note(i);
      for (int64_t k = 0; k < n * n; ++k) work.a[k] = C(in[k]);
      C* v_out = vectors ? part<C>(v, i, n * n) : nullptr;
      const int info = work.run(vectors, n, part<C>(e, i, n), v_out, work.work, work.rwork);
      if (info != 0) return failure.note(i);
      if (vectors) transpose_in_place(v_out, n, true);
    };
    for_matrices<EigWork<C>>(m.count, m.work(), scratch, body, n, vectors);
  });
  return failure.index();
}

}  // namespace penstock::kernels
