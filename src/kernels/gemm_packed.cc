#include "kernels/gemm_packed.h"

#include <algorithm>
#include <cstring>

#include <penstock/base/threads.h>

#include "kernels/gemm_micro.h"

namespace penstock::kernels {
namespace {

// Limits of a block, so that b's block stays in a core's second-level cache while one panel of a
// after the other passes from the first. Rows and columns are multiples of every tile's.
constexpr int64_t kBlockRows = 21 * kMaxTileRows;
constexpr int64_t kBlockCols = 12 * kMaxTileCols;
constexpr int64_t kBlockStepBytes = 1024;

constexpr int64_t kPackGrain = 1 << 15;      // elements
constexpr int64_t kMultiplyGrain = 1 << 20;  // multiplications

int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// Splits `total` evenly into parts of at most `limit`, each a multiple of `unit`.
int64_t even_part(int64_t total, int64_t limit, int64_t unit) {
  const int64_t parts = divide_up(total, limit);
  return divide_up(divide_up(total, parts), unit) * unit;
}

GemmSize block_size(size_t element_size, const GemmSize& size) {
  return {even_part(size.m, kBlockRows, kMaxTileRows), even_part(size.n, kBlockCols, kMaxTileCols),
          even_part(size.k, kBlockStepBytes / static_cast<int64_t>(element_size), 1)};
}

// Out is what c holds, Acc what is added up in.
template <typename Acc, typename Out>
struct PackedGemm {
  static constexpr bool kSums = sizeof(Acc) != sizeof(Out);  // c cannot hold partial sums

  GemmSize size;
  PackSource a, b;
  Out* c;
  int64_t c_stride;
  TileShape tile = tile_shape(Acc());
  GemmSize block;
  Acc* packed_b;  // first: its rows want the alignment of the scratch
  Acc* packed_a;
  Acc* sums;

  PackedGemm(const GemmSize& s, const PackSource& source_a, const PackSource& source_b, Out* out,
             int64_t out_stride, void* scratch)
      : size(s), a(source_a), b(source_b), c(out), c_stride(out_stride) {
    block = block_size(sizeof(Acc), size);
    packed_b = static_cast<Acc*>(scratch);
    packed_a = packed_b + block.k * block.n;
    sums = packed_a + block.k * block.m;
  }

  void run() {
    for (int64_t j = 0; j < size.n; j += block.n) {
      for (int64_t i = 0; i < size.m; i += block.m) {
        for (int64_t p = 0; p < size.k; p += block.k) run_block(i, j, p);
        if constexpr (kSums) store_sums(i, j);
      }
    }
  }

  void run_block(int64_t i, int64_t j, int64_t p) {
    const int64_t rows = std::min(block.m, size.m - i);
    const int64_t cols = std::min(block.n, size.n - j);
    const int64_t steps = std::min(block.k, size.k - p);
    const int64_t row_panels = divide_up(rows, tile.rows);
    const int64_t col_panels = divide_up(cols, tile.cols);
    parallel_for(row_panels + col_panels, divide_up(kPackGrain, steps * tile.cols),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t t = begin; t < end; ++t) {
                     if (t < row_panels) {
                       pack_panel(a, i, rows, t, tile.rows, p, steps, packed_a);
                     } else {
                       pack_panel(b, j, cols, t - row_panels, tile.cols, p, steps, packed_b);
                     }
                   }
                 });
    parallel_for(row_panels * col_panels, divide_up(kMultiplyGrain, steps * tile.rows * tile.cols),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t t = begin; t < end; ++t) {
                     multiply(i, j, rows, cols, t / col_panels, t % col_panels, steps, p > 0);
                   }
                 });
  }

  static void pack_panel(const PackSource& source, int64_t origin, int64_t lanes, int64_t panel,
                         int64_t width, int64_t p, int64_t steps, Acc* packed) {
    const int64_t lane = panel * width;
    const PackRange range{origin + lane, std::min(width, lanes - lane), p, p + steps, width};
    source.pack(source.context, range, packed + lane * steps);
  }

  void multiply(int64_t i, int64_t j, int64_t rows, int64_t cols, int64_t row_panel,
                int64_t col_panel, int64_t steps, bool add) {
    const int64_t row = row_panel * tile.rows;
    const int64_t col = col_panel * tile.cols;
    TileTarget<Acc> target{nullptr, c_stride, std::min(tile.rows, rows - row),
                           std::min(tile.cols, cols - col), add};
    if constexpr (kSums) {
      target.c = sums + row * block.n + col;
      target.stride = block.n;
    } else {
      target.c = c + (i + row) * c_stride + j + col;
    }
    multiply_tile(steps, packed_a + row * steps, packed_b + col * steps, target);
  }

  void store_sums(int64_t i, int64_t j) {
    const int64_t rows = std::min(block.m, size.m - i);
    const int64_t cols = std::min(block.n, size.n - j);
    for (int64_t row = 0; row < rows; ++row) {
      Out* out = c + (i + row) * c_stride + j;
      for (int64_t col = 0; col < cols; ++col) out[col] = Out(sums[row * block.n + col]);
    }
  }
};

template <typename Acc, typename T>
void pack_matrix(const void* context, const PackRange& range, void* out_data) {
  const auto& matrix = *static_cast<const PackedMatrix*>(context);
  const T* data = static_cast<const T*>(matrix.data) + range.first * matrix.lane_stride;
  Acc* out = static_cast<Acc*>(out_data);
  int64_t outer = range.begin / matrix.inner_steps;
  int64_t inner = range.begin % matrix.inner_steps;
  for (int64_t step = range.begin; step < range.end; ++step, out += range.width) {
    const T* at = data + outer * matrix.outer_stride + inner * matrix.step_stride;
    if (matrix.lane_stride == 1) {
      for (int64_t lane = 0; lane < range.count; ++lane) out[lane] = Acc(at[lane]);
    } else {
      for (int64_t lane = 0; lane < range.count; ++lane) {
        out[lane] = Acc(at[lane * matrix.lane_stride]);
      }
    }
    for (int64_t lane = range.count; lane < range.width; ++lane) out[lane] = Acc(0);
    if (++inner == matrix.inner_steps) {
      inner = 0;
      ++outer;
    }
  }
}

}  // namespace

PackSource pack_source(DType dtype, const PackedMatrix& matrix) {
  switch (dtype) {
    case DType::kFloat16:
      return {pack_matrix<float, float16>, &matrix};
    case DType::kBFloat16:
      return {pack_matrix<float, bfloat16>, &matrix};
    case DType::kFloat32:
      return {pack_matrix<float, float>, &matrix};
    default:
      return {pack_matrix<double, double>, &matrix};
  }
}

int64_t packed_gemm_scratch_bytes(DType dtype, const GemmSize& size) {
  if (size.m == 0 || size.n == 0 || size.k == 0) return 0;
  const size_t element_size = dtype == DType::kFloat64 ? sizeof(double) : sizeof(float);
  const GemmSize block = block_size(element_size, size);
  const int64_t sums = kHalfTypes.has(dtype) ? block.m * block.n : 0;
  return (block.k * (block.m + block.n) + sums) * static_cast<int64_t>(element_size);
}

void packed_gemm(DType dtype, const GemmSize& size, const PackSource& a, const PackSource& b,
                 void* c, int64_t c_stride, void* scratch) noexcept {
  if (size.m == 0 || size.n == 0) return;
  switch (dtype) {
    case DType::kFloat16:
      return PackedGemm<float, float16>(size, a, b, static_cast<float16*>(c), c_stride, scratch)
          .run();
    case DType::kBFloat16:
      return PackedGemm<float, bfloat16>(size, a, b, static_cast<bfloat16*>(c), c_stride, scratch)
          .run();
    case DType::kFloat32:
      return PackedGemm<float, float>(size, a, b, static_cast<float*>(c), c_stride, scratch).run();
    default:
      return PackedGemm<double, double>(size, a, b, static_cast<double*>(c), c_stride, scratch)
          .run();
  }
}

}  // namespace penstock::kernels
