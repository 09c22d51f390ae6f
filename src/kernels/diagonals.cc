#include "kernels/diagonals.h"

#include <algorithm>
#include <cstring>

#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

struct Unit16 {
  uint64_t words[2];
};

// f(U()) for an unsigned type U of that size: elements are only moved.
template <typename F>
void with_unit(DType dtype, const F& f) {
  switch (dtype_size(dtype)) {
    case 1:
      return f(uint8_t());
    case 2:
      return f(uint16_t());
    case 4:
      return f(uint32_t());
    case 8:
      return f(uint64_t());
    default:
      return f(Unit16());
  }
}

// Rows of the matrices of a batch: body(matrix, row) for all, in parallel.
template <typename Body>
void for_rows(const Matrices& m, const Body& body) {
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, m.cols));
  parallel_for(m.count * m.rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i / m.rows, i % m.rows);
  });
}

// The position of the first element of diagonal d in its row.
int64_t content_offset(const Diagonals& diagonals, const Matrices& m, int64_t d) {
  const bool left = (d >= 0 && diagonals.super_left) || (d <= 0 && diagonals.sub_left);
  return left ? 0 : diagonals.length - diagonal_length(m.rows, m.cols, d);
}

// The columns [begin, end) of a row that lie on the diagonals.
struct Columns {
  int64_t begin, end;
};
Columns columns(const Diagonals& d, const Matrices& m, int64_t row) {
  const int64_t begin = std::clamp<int64_t>(row + d.lower, 0, m.cols);
  return {begin, std::clamp<int64_t>(row + d.upper + 1, begin, m.cols)};
}

// Writes the elements of `row` that lie on diagonals.
template <typename U>
void put_diagonals(const Diagonals& d, const Matrices& m, const U* diagonal, int64_t row, U* out) {
  const Columns c = columns(d, m, row);
  for (int64_t col = c.begin; col < c.end; ++col) {
    const int64_t on = col - row;
    const int64_t along = col - std::max<int64_t>(on, 0) + content_offset(d, m, on);
    out[col] = diagonal[(d.upper - on) * d.length + along];
  }
}

template <typename U>
U element(const void* at) {
  U value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

void diagonals_to_matrix(const Diagonals& d, const View& diagonal, const void* padding,
                         const View& out) {
  if (out.size() == 0) return;
  const Matrices m = matrices_of(out.shape);
  with_unit(out.dtype, [&](auto unit) {
    using U = decltype(unit);
    const U pad = element<U>(padding);
    for_rows(m, [&](int64_t i, int64_t row) {
      U* to = out.as<U>() + (i * m.rows + row) * m.cols;
      std::fill_n(to, m.cols, pad);
      put_diagonals(d, m, diagonal.as<const U>() + i * d.count() * d.length, row, to);
    });
  });
}

void matrix_to_diagonals(const Diagonals& d, const View& in, const void* padding, const View& out) {
  if (out.size() == 0) return;
  const Matrices m = matrices_of(in.shape);
  const Matrices lines{d.count(), d.length, m.count};
  with_unit(out.dtype, [&](auto unit) {
    using U = decltype(unit);
    const U pad = element<U>(padding);
    for_rows(lines, [&](int64_t i, int64_t line) {
      const int64_t on = d.upper - line, length = diagonal_length(m.rows, m.cols, on);
      const int64_t offset = length > 0 ? content_offset(d, m, on) : 0;
      U* to = out.as<U>() + (i * lines.rows + line) * d.length;
      std::fill_n(to, d.length, pad);
      const U* from = in.as<const U>() + i * m.size() + (on < 0 ? -on * m.cols : on);
      for (int64_t k = 0; k < length; ++k) to[offset + k] = from[k * (m.cols + 1)];
    });
  });
}

void replace_diagonals(const Diagonals& d, const View& in, const View& diagonal, const View& out) {
  if (out.size() == 0) return;
  const Matrices m = matrices_of(out.shape);
  with_unit(out.dtype, [&](auto unit) {
    using U = decltype(unit);
    for_rows(m, [&](int64_t i, int64_t row) {
      const int64_t at = (i * m.rows + row) * m.cols;
      U* to = out.as<U>() + at;
      if (in.data != out.data) std::copy_n(in.as<const U>() + at, m.cols, to);
      put_diagonals(d, m, diagonal.as<const U>() + i * d.count() * d.length, row, to);
    });
  });
}

void band_part(const View& in, int64_t lower, int64_t upper, const View& out) {
  if (out.size() == 0) return;
  const Matrices m = matrices_of(out.shape);
  with_unit(out.dtype, [&](auto unit) {
    using U = decltype(unit);
    for_rows(m, [&](int64_t i, int64_t row) {
      const int64_t at = (i * m.rows + row) * m.cols;
      U* to = out.as<U>() + at;
      const int64_t begin = lower < 0 ? 0 : std::clamp<int64_t>(row - lower, 0, m.cols);
      const int64_t end = upper < 0 || upper > m.cols - row
                              ? m.cols
                              : std::clamp<int64_t>(row + upper + 1, 0, m.cols);
      std::fill_n(to, begin, U());
      if (in.data != out.data && end > begin)
        std::copy_n(in.as<const U>() + at + begin, end - begin, to + begin);
      if (end < m.cols) std::fill(to + std::max(begin, end), to + m.cols, U());
    });
  });
}

}  // namespace penstock::kernels
