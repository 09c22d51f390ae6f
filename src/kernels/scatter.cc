#include "kernels/scatter.h"

#include <cstring>
#include <type_traits>

#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

constexpr int64_t kParallelBytes = 1 << 20;  // less than this is done before the threads wake up
constexpr int64_t kParallelRow = 64;         // shorter rows cost less than finding whose they are

template <typename T>
T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
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

// Calls body(i, row) for every i whose row is not negative, in order for any one row: threads
// share the rows of the output, not the updates, so that rows may repeat.
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

template <typename T, typename RowOf>
void combine_rows(Combine combine, int64_t count, const RowOf& row_of, const void* updates,
                  void* out, int64_t num_rows, int64_t width) {
  const T* from = static_cast<const T*>(updates);
  T* to = static_cast<T*>(out);
  for_each_row(count, num_rows, width * static_cast<int64_t>(sizeof(T)), row_of,
               [&](int64_t i, int64_t row) {
                 const T* source = from + i * width;
                 T* target = to + row * width;
                 if (combine == Combine::kAdd) {
                   for (int64_t k = 0; k < width; ++k) target[k] = plus(target[k], source[k]);
                 } else {
                   for (int64_t k = 0; k < width; ++k) target[k] = minus(target[k], source[k]);
                 }
               });
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

template <typename RowOf>
void run(Combine combine, int64_t count, const RowOf& row_of, const View& updates, const View& out,
         int64_t num_rows, int64_t width) {
  if (count == 0 || num_rows == 0 || width == 0) return;
  if (combine == Combine::kUpdate) return put_rows(count, row_of, updates, out, num_rows, width);
  switch (out.dtype) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return combine_rows<T>(combine, count, row_of, updates.data, out.data, num_rows, width);
    PEN_FOR_EACH_NUMBER(PEN_CASE)
#undef PEN_CASE
    default:
      return;
  }
}

}  // namespace

void scatter(Combine combine, const Coordinates& rows, const View& updates, const View& out,
             int64_t num_rows, int64_t width) {
  run(combine, rows.count, [&](int64_t i) { return rows.row(i); }, updates, out, num_rows, width);
}

void add_segments(const View& ids, const View& data, const View& out, int64_t num_rows,
                  int64_t width) {
  run(
      Combine::kAdd, ids.size(), [&](int64_t i) { return index_at(ids, i); }, data, out, num_rows,
      width);
}

}  // namespace penstock::kernels
