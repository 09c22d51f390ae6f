// LAPACK's routines as function pointers, for float, double and their complex types.
//
// Arguments are Fortran's: pointers throughout, column-major matrices, the lengths of character
// arguments last. A row-major matrix is the transpose of what LAPACK sees; callers choose routines
// that avoid transposing where possible.
//
// The first call of load_lapack loads the library: see lapack.cc.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace penstock::kernels {

// False if the library cannot be loaded; the next call tries again.
bool load_lapack() noexcept;
// The reason of the last failed attempt; never null.
const char* lapack_problem() noexcept;
// Whether it failed for lack of memory.
bool lapack_lacks_memory() noexcept;

template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <typename T>
using Real = typename RealOf<T>::type;
template <typename T>
inline constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;

template <typename T>
struct Lapack {
  using Int = const int*;
  using Char = const char*;

  void (*gemm)(Char op_a, Char op_b, Int m, Int n, Int k, const T* alpha, const T* a, Int lda,
               const T* b, Int ldb, const T* beta, T* c, Int ldc, size_t, size_t);
  void (*trsm)(Char side, Char uplo, Char op, Char diagonal, Int m, Int n, const T* alpha,
               const T* a, Int lda, T* b, Int ldb, size_t, size_t, size_t, size_t);
  void (*potrf)(Char uplo, Int n, T* a, Int lda, int* info, size_t);
  void (*getrf)(Int m, Int n, T* a, Int lda, int* pivots, int* info);
  void (*getri)(Int n, T* a, Int lda, Int pivots, T* work, Int lwork, int* info);
  void (*gelqf)(Int m, Int n, T* a, Int lda, T* tau, T* work, Int lwork, int* info);
  void (*unglq)(Int m, Int n, Int k, T* a, Int lda, const T* tau, T* work, Int lwork, int* info);

  using RealSvd = void (*)(Char job, Int m, Int n, T* a, Int lda, Real<T>* s, T* u, Int ldu, T* vt,
                           Int ldvt, T* work, Int lwork, int* iwork, int* info, size_t);
  using ComplexSvd = void (*)(Char job, Int m, Int n, T* a, Int lda, Real<T>* s, T* u, Int ldu,
                              T* vt, Int ldvt, T* work, Int lwork, Real<T>* rwork, int* iwork,
                              int* info, size_t);
  std::conditional_t<kIsComplex<T>, ComplexSvd, RealSvd> gesdd;

  using RealEigh = void (*)(Char job, Char uplo, Int n, T* a, Int lda, T* w, T* work, Int lwork,
                            int* iwork, Int liwork, int* info, size_t, size_t);
  using ComplexEigh = void (*)(Char job, Char uplo, Int n, T* a, Int lda, Real<T>* w, T* work,
                               Int lwork, Real<T>* rwork, Int lrwork, int* iwork, Int liwork,
                               int* info, size_t, size_t);
  std::conditional_t<kIsComplex<T>, ComplexEigh, RealEigh> heevd;

  // Complex types only; null for the others.
  void (*geev)(Char left, Char right, Int n, T* a, Int lda, T* w, T* vl, Int ldvl, T* vr, Int ldvr,
               T* work, Int lwork, Real<T>* rwork, int* info, size_t, size_t);
  void (*gees)(Char vectors, Char sort, void* select, Int n, T* a, Int lda, int* sdim, T* w, T* vs,
               Int ldvs, T* work, Int lwork, Real<T>* rwork, int* bwork, int* info, size_t, size_t);
};

template <typename T>
const Lapack<T>& lapack_table() noexcept;

// Held while a routine runs. It waits if there is no memory for another thread's buffer in the
// library, because the library would end the process.
class InLapack {
 public:
  InLapack() noexcept;
  ~InLapack();
  InLapack(const InLapack&) = delete;
  InLapack& operator=(const InLapack&) = delete;
};

template <typename T>
class LapackCall {
 public:
  const Lapack<T>* operator->() const noexcept { return &lapack_table<T>(); }

 private:
  InLapack inside_;
};

// For one call, as in lapack<float>()->potrf(…). Pre: load_lapack() was true.
template <typename T>
LapackCall<T> lapack() noexcept {
  return {};
}

}  // namespace penstock::kernels
