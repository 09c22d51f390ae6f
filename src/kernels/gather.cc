#include "kernels/gather.h"

#include <algorithm>
#include <cstring>

#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

constexpr int64_t kGrainBytes = 1 << 18;  // the least bytes per thread
constexpr int64_t kAhead = 16;            // rows between the prefetch of a row and its copy

// Row i of `out` is row row_of(i) of `params`, or zero when that is negative. A fixed size makes
// the copy of a single element one instruction.
template <int64_t kBytes, typename RowOf>
void copy_rows(int64_t count, const RowOf& row_of, const View& params, const View& out,
               int64_t row_bytes) {
  const int64_t bytes = kBytes > 0 ? kBytes : row_bytes;
  const char* from = params.as<char>();
  char* to = out.as<char>();
  parallel_for(count, std::max<int64_t>(1, kGrainBytes / bytes), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      // Rows in random order miss the cache every time: prefetch them.
      const int64_t soon = i + kAhead < end ? row_of(i + kAhead) : -1;
      if (soon >= 0) __builtin_prefetch(from + soon * bytes);
      const int64_t row = row_of(i);
      if (row >= 0) {
        std::memcpy(to + i * bytes, from + row * bytes, static_cast<size_t>(bytes));
      } else {
        std::memset(to + i * bytes, 0, static_cast<size_t>(bytes));
      }
    }
  });
}

template <typename RowOf>
void copy_any_rows(int64_t count, const RowOf& row_of, const View& params, const View& out,
                   int64_t row_bytes) {
  if (count == 0 || row_bytes == 0) return;
  switch (row_bytes) {
    case 4:
      return copy_rows<4>(count, row_of, params, out, row_bytes);
    case 8:
      return copy_rows<8>(count, row_of, params, out, row_bytes);
    case 32:
      return copy_rows<32>(count, row_of, params, out, row_bytes);
    case 64:
      return copy_rows<64>(count, row_of, params, out, row_bytes);
    default:
      return copy_rows<0>(count, row_of, params, out, row_bytes);
  }
}

}  // namespace

void gather(const GatherShape& shape, const View& params, const View& indices, const View& out) {
  if (shape.batch == 1 && shape.outer == 1) {
    return copy_any_rows(
        shape.count, [&](int64_t i) { return index_at(indices, i); }, params, out, shape.row_bytes);
  }
  const auto row_of = [&](int64_t i) {
    const int64_t block = i / shape.count;
    const int64_t batch = block / shape.outer;
    const int64_t index = index_at(indices, batch * shape.count + i % shape.count);
    return index < 0 ? index : block * shape.size + index;
  };
  copy_any_rows(shape.batch * shape.outer * shape.count, row_of, params, out, shape.row_bytes);
}

void gather_rows(const Coordinates& rows, const View& params, const View& out, int64_t row_bytes) {
  copy_any_rows(rows.count, [&](int64_t i) { return rows.row(i); }, params, out, row_bytes);
}

}  // namespace penstock::kernels
