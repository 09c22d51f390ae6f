// Batches of matrices: shared code of the linear algebra kernels.
//
// A kernel of this family has a struct that carves its work space out of scratch memory. The same
// struct without memory counts the bytes, so that infer and kernel cannot disagree.
#pragma once

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstdint>

#include <penstock/base/threads.h>
#include <penstock/core/view.h>

namespace penstock::kernels {

// The matrices in the last two dimensions of an array.
struct Matrices {
  int64_t rows, cols, count;

  int64_t size() const { return rows * cols; }
  // The multiplications of a cubic algorithm, as most of these are.
  double work() const {
    return static_cast<double>(rows) * static_cast<double>(cols) *
           static_cast<double>(std::min(rows, cols));
  }
};
// Pre: the rank is at least 2. For matrices without elements the count may have wrapped around.
inline Matrices matrices_of(const Shape& shape) {
  uint64_t count = 1;
  for (int i = 0; i < shape.rank() - 2; ++i) count *= static_cast<uint64_t>(shape[i]);
  return {shape[shape.rank() - 2], shape[shape.rank() - 1], static_cast<int64_t>(count)};
}

// Carves arrays off a piece of memory; without memory it only counts. Saturates instead of
// overflowing.
class Carver {
 public:
  explicit Carver(void* memory = nullptr) : memory_(static_cast<char*>(memory)) {}
  template <typename T>
  T* take(int64_t count) {
    int64_t bytes = 0;
    const int64_t begin = used_;
    if (__builtin_mul_overflow(count, static_cast<int64_t>(sizeof(T)), &bytes) ||
        __builtin_add_overflow(bytes, int64_t{63}, &bytes) ||
        __builtin_add_overflow(used_, bytes & ~int64_t{63}, &used_)) {
      used_ = INT64_MAX & ~int64_t{63};
    }
    return memory_ != nullptr ? reinterpret_cast<T*>(memory_ + begin) : nullptr;
  }
  int64_t used() const { return used_; }

 private:
  char* memory_;
  int64_t used_ = 0;
};

// The number of matrices processed in parallel, each with its own part of the scratch memory.
// Depends on the shape alone.
inline int64_t num_slots(int64_t count, double work_each) {
  constexpr double kSlotWork = 1 << 15;
  constexpr int64_t kMaxSlots = 16;
  const double slots = static_cast<double>(count) * work_each / kSlotWork;
  return std::clamp<int64_t>(slots < 1e6 ? static_cast<int64_t>(slots) : kMaxSlots, 1,
                             std::clamp<int64_t>(count, 1, kMaxSlots));
}

// Bytes of scratch for `count` matrices whose work spaces are Work(carver, args…).
template <typename Work, typename... Args>
int64_t batch_scratch(int64_t count, double work_each, const Args&... args) {
  if (count == 0) return 0;
  Carver carver;
  static_cast<void>(Work(carver, args...));
  int64_t bytes = 0;
  if (__builtin_mul_overflow(carver.used(), num_slots(count, work_each), &bytes)) return INT64_MAX;
  return bytes;
}

// body(work, index) for every matrix. Pre: scratch has batch_scratch<Work>(…) bytes.
template <typename Work, typename Body, typename... Args>
void for_matrices(int64_t count, double work_each, void* scratch, const Body& body,
                  const Args&... args) {
  if (count == 0) return;
  const int64_t slots = num_slots(count, work_each);
  Carver measure;
  static_cast<void>(Work(measure, args...));
  parallel_for(slots, 1, [&](int64_t slot, int64_t last) {
    for (; slot < last; ++slot) {
      Carver carver(static_cast<char*>(scratch) + slot * measure.used());
      const Work work(carver, args...);
      for (int64_t i = count * slot / slots; i < count * (slot + 1) / slots; ++i) body(work, i);
    }
  });
}

struct NoWork {
  explicit NoWork(Carver&) {}
};

// Remembers the first matrix of a batch that failed.
class FirstFailure {
 public:
  void note(int64_t index) noexcept {
    int64_t seen = first_.load(std::memory_order_relaxed);
    while (index < seen && !first_.compare_exchange_weak(seen, index)) {
    }
  }
  // -1 when there is none.
  int64_t index() const noexcept { return first_ == INT64_MAX ? -1 : first_.load(); }

 private:
  std::atomic<int64_t> first_{INT64_MAX};
};

// f(T()) for the C++ type of a dtype that LAPACK knows.
template <typename F>
auto with_lapack_type(DType dtype, const F& f) {
  switch (dtype) {
    case DType::kFloat32:
      return f(float());
    case DType::kFloat64:
      return f(double());
    case DType::kComplex64:
      return f(complex64());
    default:
      return f(complex128());
  }
}

template <typename T>
T conjugated(T x) {
  return x;
}
template <typename T>
std::complex<T> conjugated(std::complex<T> x) {
  return std::conj(x);
}

// to[c][r] = from[r][c], conjugated on request; in tiles that stay in the cache.
template <typename T>
void transpose_matrix(const T* from, int64_t rows, int64_t cols, T* to, bool conjugate = false) {
  constexpr int64_t kTile = 16;
  for (int64_t r0 = 0; r0 < rows; r0 += kTile) {
    for (int64_t c0 = 0; c0 < cols; c0 += kTile) {
      for (int64_t c = c0; c < std::min(c0 + kTile, cols); ++c) {
        for (int64_t r = r0; r < std::min(r0 + kTile, rows); ++r) {
          const T value = from[r * cols + c];
          to[c * rows + r] = conjugate ? conjugated(value) : value;
        }
      }
    }
  }
}

// The same for a square matrix in place.
template <typename T>
void transpose_in_place(T* a, int64_t n, bool conjugate = false) {
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c < r; ++c) std::swap(a[r * n + c], a[c * n + r]);
  }
  if (conjugate) {
    for (int64_t i = 0; i < n * n; ++i) a[i] = conjugated(a[i]);
  }
}

template <typename T>
void set_identity(T* a, int64_t n) {
  std::fill_n(a, n * n, T(0));
  for (int64_t i = 0; i < n; ++i) a[i * n + i] = T(1);
}

}  // namespace penstock::kernels
