#include "kernels/rows.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include <penstock/base/threads.h>

#include "kernels/row_loops.h"
#include "kernels/widen.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kPartSize = 1 << 14;  // elements a part of the rows should have at least
constexpr int64_t kMaxParts = 16;
constexpr int64_t kFlushRows = 256;  // rows whose gradients are added up before moving on to double

// Depends on the shape alone, so results summed part by part do too.
int64_t num_parts(Rows rows) {
  if (rows.count == 0 || rows.n == 0) return 0;
  return std::clamp<int64_t>(rows.count * rows.n / kPartSize, 1, std::min(kMaxParts, rows.count));
}

// body(part, begin, end): the rows [begin, end) for each part, in parallel.
template <typename Body>
void for_parts(Rows rows, Body body) {
  const int64_t parts = num_parts(rows);
  parallel_for(parts, 1, [&](int64_t p, int64_t last) {
    for (; p < last; ++p) body(p, rows.count * p / parts, rows.count * (p + 1) / parts);
  });
}

// The widened rows of one part; only half types need them.
template <typename T>
struct Buffers {
  Plain<T>* first;
  int64_t n;

  Buffers(void* scratch, int64_t part, int arrays, int64_t row) : first(nullptr), n(row) {
    if constexpr (kIsHalf<T>) first = static_cast<float*>(scratch) + part * arrays * row;
  }
  Plain<T>* operator[](int i) const { return kIsHalf<T> ? first + i * n : nullptr; }
};

template <typename T>
void softmax_rows(const View& x, bool as_log, const View& out, void* scratch) {
  const Rows rows = rows_of(x.shape);
  const RowLoops<Plain<T>> loops = row_loops<Plain<T>>();
  const auto loop = as_log ? loops.log_softmax : loops.softmax;
  for_parts(rows, [&](int64_t part, int64_t begin, int64_t end) {
    Plain<T>* buffer = Buffers<T>(scratch, part, 1, rows.n)[0];
    for (int64_t i = begin; i < end; ++i) {
      T* to = out.as<T>() + i * rows.n;
      const Plain<T>* row = load(x.as<T>() + i * rows.n, rows.n, buffer);
      loop(row, rows.n, target(to, buffer));
      store(buffer, to, rows.n);
    }
  });
}

template <typename T>
void cross_entropy_rows(const View& features, const View& labels, const View& loss,
                        const View& backprop, void* scratch) {
  const Rows rows = rows_of(features.shape);
  const auto loop = row_loops<Plain<T>>().cross_entropy;
  for_parts(rows, [&](int64_t part, int64_t begin, int64_t end) {
    const Buffers<T> buffers(scratch, part, kCrossEntropyArrays, rows.n);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = i * rows.n;
      const Plain<T>* row = load(features.as<T>() + at, rows.n, buffers[0]);
      const Plain<T>* label_row = load(labels.as<T>() + at, rows.n, buffers[1]);
      T* to = backprop.as<T>() + at;
      loss.as<T>()[i] = narrow<T>(loop(row, label_row, rows.n, target(to, buffers[0])));
      store(buffers[0], to, rows.n);
    }
  });
}

template <typename T>
void sparse_cross_entropy_rows(const View& features, const View& labels, const View& loss,
                               const View& backprop, void* scratch) {
  const Rows rows = rows_of(features.shape);
  const auto loop = row_loops<Plain<T>>().sparse_cross_entropy;
  for_parts(rows, [&](int64_t part, int64_t begin, int64_t end) {
    Plain<T>* buffer = Buffers<T>(scratch, part, 1, rows.n)[0];
    for (int64_t i = begin; i < end; ++i) {
      const Plain<T>* row = load(features.as<T>() + i * rows.n, rows.n, buffer);
      T* to = backprop.as<T>() + i * rows.n;
      loss.as<T>()[i] = narrow<T>(loop(row, label_at(labels, i), rows.n, target(to, buffer)));
      store(buffer, to, rows.n);
    }
  });
}

template <typename T>
void layer_norm_rows(const View& x, const View& gamma, const View& beta, double epsilon,
                     const View& y, const View& mean, const View& rstd, void* scratch) {
  using Stat = Plain<T>;
  const Rows rows = rows_of(x.shape);
  const auto loop = row_loops<Stat>().layer_norm;
  for_parts(rows, [&](int64_t part, int64_t begin, int64_t end) {
    const Buffers<T> buffers(scratch, part, kLayerNormArrays, rows.n);
    const Stat* gamma_row = load(gamma.as<T>(), rows.n, buffers[1]);
    const Stat* beta_row = load(beta.as<T>(), rows.n, buffers[2]);
    for (int64_t i = begin; i < end; ++i) {
      const Stat* row = load(x.as<T>() + i * rows.n, rows.n, buffers[0]);
      T* to = y.as<T>() + i * rows.n;
      loop(row, gamma_row, beta_row, rows.n, epsilon, target(to, buffers[0]), mean.as<Stat>() + i,
           rstd.as<Stat>() + i);
      store(buffers[0], to, rows.n);
    }
  });
}

// The scratch of one part: sums of dgamma and dbeta in double, the same over the last few rows, and
// widened rows of dy, x and gamma.
template <typename T>
struct GradScratch {
  double* sums;
  Plain<T>* recent;
  Buffers<T> widened;

  static int64_t bytes(int64_t n) {
    const int64_t arrays = kIsHalf<T> ? 5 : 2;
    const int64_t exact = n * (2 * 8 + arrays * static_cast<int64_t>(sizeof(Plain<T>)));
    return (exact + 7) / 8 * 8;
  }
  GradScratch(void* scratch, int64_t part, int64_t n)
      : sums(reinterpret_cast<double*>(static_cast<char*>(scratch) + part * bytes(n))),
        recent(reinterpret_cast<Plain<T>*>(sums + 2 * n)),
        widened(recent + 2 * n, 0, 0, n) {}
  void flush(int64_t n) {
    for (int64_t i = 0; i < 2 * n; ++i) {
      sums[i] += static_cast<double>(recent[i]);
      recent[i] = 0;
    }
  }
};

template <typename T>
void layer_norm_grad_rows(const View& dy, const View& x, const View& gamma, const View& mean,
                          const View& rstd, const View& dx, const View& dgamma, const View& dbeta,
                          void* scratch) {
  using Stat = Plain<T>;
  const Rows rows = rows_of(x.shape);
  const int64_t n = rows.n;
  const auto loop = row_loops<Stat>().layer_norm_grad;
  for_parts(rows, [&](int64_t part, int64_t begin, int64_t end) {
    GradScratch<T> mine(scratch, part, n);
    std::fill_n(mine.sums, 2 * n, 0.0);
    std::fill_n(mine.recent, 2 * n, Stat(0));
    const Stat* gamma_row = load(gamma.as<T>(), n, mine.widened[2]);
    for (int64_t i = begin; i < end; ++i) {
      const Stat* dy_row = load(dy.as<T>() + i * n, n, mine.widened[0]);
      const Stat* x_row = load(x.as<T>() + i * n, n, mine.widened[1]);
      T* to = dx.as<T>() + i * n;
      loop(dy_row, x_row, gamma_row, mean.as<Stat>()[i], rstd.as<Stat>()[i], n,
           target(to, mine.widened[0]), mine.recent, mine.recent + n);
      store(mine.widened[0], to, n);
      if ((i - begin) % kFlushRows == kFlushRows - 1 || i + 1 == end) mine.flush(n);
    }
  });
  for (int64_t i = 0; i < n; ++i) {
    double sums[2] = {0, 0};
    for (int64_t part = 0; part < num_parts(rows); ++part) {
      const GradScratch<T> other(scratch, part, n);
      sums[0] += other.sums[i];
      sums[1] += other.sums[n + i];
    }
    dgamma.as<T>()[i] = narrow<T>(sums[0]);
    dbeta.as<T>()[i] = narrow<T>(sums[1]);
  }
}

// Over rows that the elements are cut into, so that threads can share them.
template <typename T>
double sum_of_squares(const T* x, int64_t count) {
  constexpr int64_t kRow = 2048;
  const auto loop = row_loops<Plain<T>>().sum_of_squares;
  double sums[kMaxParts] = {};
  for_parts({(count + kRow - 1) / kRow, kRow}, [&](int64_t part, int64_t begin, int64_t end) {
    Plain<T> buffer[kIsHalf<T> ? kRow : 1];
    for (int64_t i = begin * kRow; i < std::min(count, end * kRow); i += kRow) {
      const int64_t n = std::min(kRow, count - i);
      sums[part] += loop(load(x + i, n, buffer), n);
    }
  });
  double sum = 0;
  for (double part : sums) sum += part;
  return sum;
}

}  // namespace

Rows rows_of(const Shape& shape) {
  const int64_t n = shape[shape.rank() - 1];
  Shape outer = shape;
  outer.remove(shape.rank() - 1);
  return {n == 0 ? 0 : outer.num_elements(), n};
}

int64_t row_scratch(DType dtype, Rows rows, int arrays) {
  return kHalfTypes.has(dtype) ? num_parts(rows) * rows.n * arrays : 0;
}

int64_t layer_norm_grad_scratch(DType dtype, Rows rows) {
  int64_t bytes = 0;
  with_float_type(dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    bytes = num_parts(rows) * GradScratch<T>::bytes(rows.n);
  });
  return bytes;
}

int64_t label_at(const View& labels, int64_t i) {
  return labels.dtype == DType::kInt32 ? labels.as<int32_t>()[i] : labels.as<int64_t>()[i];
}

int64_t first_bad_label(const View& labels, int64_t classes) {
  const int64_t count = labels.size();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t label = label_at(labels, i);
    if (label < 0 || label >= classes) return i;
  }
  return -1;
}

void softmax(const View& x, bool as_log, const View& out, void* scratch) {
  with_float_type(x.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    softmax_rows<T>(x, as_log, out, scratch);
  });
}

void cross_entropy(const View& features, const View& labels, const View& loss, const View& backprop,
                   void* scratch) {
  with_float_type(features.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    if (backprop.size() == 0) std::fill_n(loss.as<T>(), loss.size(), T(0));  // of no classes
    cross_entropy_rows<T>(features, labels, loss, backprop, scratch);
  });
}

void sparse_cross_entropy(const View& features, const View& labels, const View& loss,
                          const View& backprop, void* scratch) {
  with_float_type(features.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    sparse_cross_entropy_rows<T>(features, labels, loss, backprop, scratch);
  });
}

void layer_norm(const View& x, const View& gamma, const View& beta, double epsilon, const View& y,
                const View& mean, const View& rstd, void* scratch) {
  with_float_type(x.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    using Stat = Plain<T>;
    if (x.size() == 0) {  // rows of nothing have no statistics
      constexpr Stat kNone = std::numeric_limits<Stat>::quiet_NaN();
      std::fill_n(mean.as<Stat>(), mean.size(), kNone);
      std::fill_n(rstd.as<Stat>(), rstd.size(), kNone);
    }
    layer_norm_rows<T>(x, gamma, beta, epsilon, y, mean, rstd, scratch);
  });
}

void layer_norm_grad(const View& dy, const View& x, const View& gamma, const View& mean,
                     const View& rstd, const View& dx, const View& dgamma, const View& dbeta,
                     void* scratch) {
  with_float_type(x.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    layer_norm_grad_rows<T>(dy, x, gamma, mean, rstd, dx, dgamma, dbeta, scratch);
  });
}

void l2_loss(const View& x, const View& out) {
  with_float_type(x.dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    *out.as<T>() = narrow<T>(sum_of_squares(x.as<T>(), x.size()) / 2);
  });
}

}  // namespace penstock::kernels
