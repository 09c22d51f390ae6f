#include "kernels/scatter.h"

#include <cstring>
#include <limits>
#include <type_traits>

#include <penstock/base/threads.h>

#include "kernels/accumulators.h"
#include "kernels/fill.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kParallelBytes = 1 << 20;  // less than this is done before the threads wake up
constexpr int64_t kParallelRow = 64;         // shorter rows cost less than finding whose they are

// Rows of `width` elements to be combined into `num_rows` others.
struct Rows {
  const void* updates;
  void* out;
  int64_t count, num_rows, width;
};

template <typename T>
T plus(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_integral_v<T>) {
    using Wrapping = std::make_unsigned_t<T>;
    return static_cast<T>(
        static_cast<Wrapping>(static_cast<Wrapping>(a) + static_cast<Wrapping>(b)));
  } else if constexpr (sizeof(T) == 2) {
    return T(static_cast<float>(a) + static_cast<float>(b));
  } else {
    return a + b;
  }
}

template <typename T>
T minus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Wrapping = std::make_unsigned_t<T>;
    return static_cast<T>(
        static_cast<Wrapping>(static_cast<Wrapping>(a) - static_cast<Wrapping>(b)));
  } else if constexpr (sizeof(T) == 2) {
    return T(static_cast<float>(a) - static_cast<float>(b));
  } else {
    return a - b;
  }
}

template <typename T>
T times(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else if constexpr (kIsHalf<T>) {
    return T(static_cast<float>(a) * static_cast<float>(b));
  } else {
    return product(a, b);
  }
}

template <typename T>
bool is_less(T a, T b) {
  return static_cast<Plain<T>>(a) < static_cast<Plain<T>>(b);
}

// Calls body(i, row) for every i whose row is not negative, in order for any one row: threads share
// the rows of the output, not the updates, so rows may repeat.
template <typename RowOf, typename Body>
void for_each_row(int64_t count, int64_t num_rows, int64_t row_bytes, const RowOf& row_of,
                  const Body& body) {
  const auto own = [&](int64_t first, int64_t last) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = row_of(i);
      if (row >= first && row < last) body(i, row);
    }
  };
  const int64_t threads = num_threads();
  if (threads == 1 || row_bytes < kParallelRow || count < kParallelBytes / row_bytes) {
    return own(0, num_rows);
  }
  const int64_t share = num_rows / threads + 1;
  parallel_for(threads, 1, [&](int64_t begin, int64_t end) { own(begin * share, end * share); });
}

// Calls body(target, source, width) for every update's row. `fresh(i)` says that a row is the first
// at its position and replaces the contents.
template <typename T, typename RowOf, typename Fresh, typename Step>
void combine_with(const Rows& rows, const RowOf& row_of, const Fresh& fresh, const Step& step) {
  const T* from = static_cast<const T*>(rows.updates);
  T* to = static_cast<T*>(rows.out);
  const int64_t width = rows.width;
  for_each_row(rows.count, rows.num_rows, width * static_cast<int64_t>(sizeof(T)), row_of,
               [&](int64_t i, int64_t row) {
                 const T* source = from + i * width;
                 T* target = to + row * width;
                 if (fresh(i)) {
                   std::memcpy(target, source, static_cast<size_t>(width) * sizeof(T));
                 } else {
                   for (int64_t k = 0; k < width; ++k) target[k] = step(target[k], source[k]);
                 }
               });
}

template <typename T, typename RowOf, typename Fresh>
void combine_rows(Combine combine, const Rows& rows, const RowOf& row_of, const Fresh& fresh) {
  if constexpr (!std::is_same_v<T, bool>) {
    if (combine == Combine::kSubtract) return combine_with<T>(rows, row_of, fresh, minus<T>);
    if (combine == Combine::kMultiply) return combine_with<T>(rows, row_of, fresh, times<T>);
    if constexpr (!kIsComplex<T>) {
      if (combine == Combine::kMin) {
        return combine_with<T>(rows, row_of, fresh, [](T a, T b) { return is_less(b, a) ? b : a; });
      }
      if (combine == Combine::kMax) {
        return combine_with<T>(rows, row_of, fresh, [](T a, T b) { return is_less(a, b) ? b : a; });
      }
    }
  }
  combine_with<T>(rows, row_of, fresh, plus<T>);
}

template <typename RowOf>
void put_rows(int64_t count, const RowOf& row_of, const View& updates, const View& out,
              int64_t num_rows, int64_t width) {
  const int64_t bytes = width * static_cast<int64_t>(dtype_size(out.dtype));
  const char* from = updates.as<char>();
  char* to = out.as<char>();
  for_each_row(count, num_rows, bytes, row_of, [&](int64_t i, int64_t row) {
    std::memcpy(to + row * bytes, from + i * bytes, static_cast<size_t>(bytes));
  });
}

template <typename RowOf, typename Fresh>
void run(Combine combine, int64_t count, const RowOf& row_of, const Fresh& fresh,
         const View& updates, const View& out, int64_t num_rows, int64_t width) {
  if (count == 0 || num_rows == 0 || width == 0) return;
  if (combine == Combine::kUpdate) return put_rows(count, row_of, updates, out, num_rows, width);
  const Rows rows = {updates.data, out.data, count, num_rows, width};
  switch (out.dtype) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return combine_rows<T>(combine, rows, row_of, fresh);
    PEN_FOR_EACH_NUMBER(PEN_CASE)
    PEN_CASE(bool, kBool)
#undef PEN_CASE
    default:
      return;
  }
}

constexpr auto kNeverFresh = [](int64_t) { return false; };

template <typename T>
T start_of(Combine combine) {
  if (combine == Combine::kMultiply) return T(1);
  if constexpr (kIsHalf<T>) {
    // The largest finite number, and the same below zero.
    const T largest = std::is_same_v<T, float16> ? T(65504.0f) : T(3.38953139e38f);
    if (combine == Combine::kMin) return largest;
    if (combine == Combine::kMax) return T(-static_cast<float>(largest));
  } else if constexpr (!kIsComplex<T>) {
    if (combine == Combine::kMin) return std::numeric_limits<T>::max();
    if (combine == Combine::kMax) return std::numeric_limits<T>::lowest();
  }
  return T();
}

}  // namespace

void scatter(Combine combine, const Coordinates& rows, const View& updates, const View& out,
             int64_t num_rows, int64_t width) {
  run(
      combine, rows.count, [&](int64_t i) { return rows.row(i); }, kNeverFresh, updates, out,
      num_rows, width);
}

void combine_segments(Combine combine, const View& ids, const View& data, const View& out,
                      int64_t num_rows, int64_t width) {
  run(
      combine, ids.size(), [&](int64_t i) { return index_at(ids, i); }, kNeverFresh, data, out,
      num_rows, width);
}

void combine_sorted_segments(Combine combine, const View& ids, const View& data, const View& out,
                             int64_t num_rows, int64_t width) {
  const auto starts = [&](int64_t i) { return i == 0 || index_at(ids, i - 1) != index_at(ids, i); };
  run(
      combine, ids.size(), [&](int64_t i) { return index_at(ids, i); }, starts, data, out, num_rows,
      width);
}

void fill_start(Combine combine, const View& out) {
  switch (out.dtype) {
#define PEN_CASE(T, enumerator)                       \
  case DType::enumerator: {                           \
    const T value = start_of<T>(combine);             \
    fill(out.data, &value, sizeof value, out.size()); \
    return;                                           \
  }
    PEN_FOR_EACH_NUMBER(PEN_CASE)
#undef PEN_CASE
    default:
      return;
  }
}

}  // namespace penstock::kernels
