#include "kernels/broadcast.h"

#include <algorithm>

#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

// The output's dimensions, innermost first, with neighbours merged if all inputs allow it, so that
// equal shapes have one dimension. Strides are in elements; 0 for a repeated input.
template <int kInputs>
struct Walk {
  int rank = 0;
  int64_t dims[kMaxRank];
  int64_t strides[kInputs][kMaxRank];

  Walk(const View* const (&inputs)[kInputs], const Shape& out) {
    int64_t next[kInputs];  // the stride of each input's next dimension
    std::fill_n(next, kInputs, 1);
    for (int i = out.rank() - 1; i >= 0; --i) {
      if (out[i] == 1) continue;
      int64_t stride[kInputs];
      for (int k = 0; k < kInputs; ++k) {
        const Shape& shape = inputs[k]->shape;
        const int at = i - (out.rank() - shape.rank());
        const int64_t dim = at < 0 ? 1 : shape[at];
        stride[k] = dim == 1 ? 0 : next[k];
        next[k] *= dim;
      }
      add(out[i], stride);
    }
    if (rank == 0) {  // one element
      const int64_t ones[3] = {1, 1, 1};
      add(1, ones);
    }
  }

  void add(int64_t dim, const int64_t* stride) {
    bool merges = rank > 0;
    for (int k = 0; merges && k < kInputs; ++k) {
      merges = stride[k] == strides[k][rank - 1] * dims[rank - 1];
    }
    if (merges) {
      dims[rank - 1] *= dim;
      return;
    }
    dims[rank] = dim;
    for (int k = 0; k < kInputs; ++k) strides[k][rank] = stride[k];
    ++rank;
  }

  // Calls row(offsets of the inputs, offset of the output, length) for the elements [begin, end).
  template <typename Row>
  void rows(int64_t begin, int64_t end, const Row& row) const {
    int64_t index[kMaxRank];
    int64_t at[kInputs] = {};
    for (int64_t d = 0, rest = begin; d < rank; ++d) {
      index[d] = rest % dims[d];
      rest /= dims[d];
      for (int k = 0; k < kInputs; ++k) at[k] += index[d] * strides[k][d];
    }
    while (begin < end) {
      const int64_t n = std::min(dims[0] - index[0], end - begin);
      row(at, begin, n);
      begin += n;
      for (int k = 0; k < kInputs; ++k) at[k] -= index[0] * strides[k][0];
      index[0] = 0;
      for (int d = 1; d < rank; ++d) {
        for (int k = 0; k < kInputs; ++k) at[k] += strides[k][d];
        if (++index[d] < dims[d]) break;
        for (int k = 0; k < kInputs; ++k) at[k] -= dims[d] * strides[k][d];
        index[d] = 0;
      }
    }
  }
};

const char* bytes(const View& view) { return view.as<const char>(); }
int64_t width(const View& view) { return static_cast<int64_t>(dtype_size(view.dtype)); }

// The number of elements, which fits; a partial product need not, next to a zero.
int64_t count(const Shape& shape) {
  uint64_t n = 1;
  for (int64_t dim : shape) n *= static_cast<uint64_t>(dim);
  return static_cast<int64_t>(n);
}

}  // namespace

void run_unary(UnaryLoop loop, const View& x, const View& out, int64_t grain) noexcept {
  const int64_t in_width = width(x);
  const int64_t out_width = width(out);
  parallel_for(count(out.shape), grain, [&](int64_t begin, int64_t end) {
    loop(bytes(x) + begin * in_width, out.as<char>() + begin * out_width, end - begin);
  });
}

void run_binary(BinaryLoop loop, const View& x, const View& y, const View& out,
                int64_t grain) noexcept {
  const int64_t total = count(out.shape);
  if (total == 1) return loop(x.data, y.data, out.data, 1, 1, 1);
  if (total == 0) return;
  const int64_t x_width = width(x);
  const int64_t y_width = width(y);
  const int64_t out_width = width(out);
  // All elements or one: nothing to walk, a shortcut for small calls.
  const int64_t x_count = count(x.shape);
  const int64_t y_count = count(y.shape);
  if ((x_count == total || x_count == 1) && (y_count == total || y_count == 1)) {
    const int x_step = x_count != 1;
    const int y_step = y_count != 1;
    return parallel_for(total, grain, [&](int64_t begin, int64_t end) {
      loop(bytes(x) + begin * x_step * x_width, bytes(y) + begin * y_step * y_width,
           out.as<char>() + begin * out_width, end - begin, x_step, y_step);
    });
  }
  const Walk<2> walk({&x, &y}, out.shape);
  const int x_stride = walk.strides[0][0] != 0;
  const int y_stride = walk.strides[1][0] != 0;
  parallel_for(total, grain, [&](int64_t begin, int64_t end) {
    walk.rows(begin, end, [&](const int64_t* at, int64_t to, int64_t n) {
      loop(bytes(x) + at[0] * x_width, bytes(y) + at[1] * y_width, out.as<char>() + to * out_width,
           n, x_stride, y_stride);
    });
  });
}

void run_ternary(TernaryLoop loop, const View& x, const View& y, const View& z, const View& out,
                 int64_t grain) noexcept {
  const int64_t total = count(out.shape);
  if (total == 0) return;
  const int64_t widths[3] = {width(x), width(y), width(z)};
  const int64_t out_width = width(out);
  const Walk<3> walk({&x, &y, &z}, out.shape);
  const int strides[3] = {walk.strides[0][0] != 0, walk.strides[1][0] != 0,
                          walk.strides[2][0] != 0};
  parallel_for(total, grain, [&](int64_t begin, int64_t end) {
    walk.rows(begin, end, [&](const int64_t* at, int64_t to, int64_t n) {
      loop(bytes(x) + at[0] * widths[0], bytes(y) + at[1] * widths[1], bytes(z) + at[2] * widths[2],
           out.as<char>() + to * out_width, n, strides[0], strides[1], strides[2]);
    });
  });
}

}  // namespace penstock::kernels
