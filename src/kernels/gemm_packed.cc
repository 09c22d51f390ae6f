#include "kernels/gemm_packed.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>

#include <penstock/base/threads.h>

#include "kernels/gemm_pack.h"
#include "kernels/half.h"

namespace penstock::kernels {
namespace {

// b's block stays in a core's second-level cache while the panels of a pass through the first.
// Columns are a multiple of every tile's; fewer columns allow more steps.
constexpr int64_t kBlockCols = 8 * kMaxTileCols;
constexpr int64_t kBlockStepBytes = 1536;
// Half types accumulate in a separate, smaller block of floats.
constexpr int64_t kSumRows = 16 * kMaxTileRows;
constexpr int64_t kSumCols = 4 * kMaxTileCols;

constexpr double kTaskWork = 1 << 20;  // multiplications that are worth a task
constexpr int64_t kTasksAThread = 2;
constexpr int64_t kTaskRows = 256;  // that are worth packing b once more
constexpr int64_t kLine = 64;
constexpr int64_t kNarrowBytes = 512;  // rows of b that are read as quickly where they lie

int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }
int64_t round_up(int64_t a, int64_t b) { return divide_up(a, b) * b; }

// Splits `total` evenly into parts of at most `limit`, each a multiple of `unit`.
int64_t even_part(int64_t total, int64_t limit, int64_t unit) {
  return round_up(divide_up(total, divide_up(total, limit)), unit);
}

// The division of a product into tasks, and the scratch of a thread.
struct Plan {
  int64_t group_rows, group_panels;  // no panel reaches over the end of a group
  int64_t panels, panels_each;       // all of them, and of a task
  int64_t cols_each, steps_each;     // of a block
  int64_t row_tasks, col_tasks;
  int64_t slots;
  int64_t right_bytes, left_bytes, slot_bytes;
  bool right_in_place;
};

Plan make_plan(DType dtype, const GemmSize& size, const GemmOperand& a, const GemmOperand& b) {
  const bool sums = kHalfTypes.has(dtype);
  const TileShape tile =
      dtype == DType::kFloat64 ? tile_shape(double(), a.kind) : tile_shape(float(), a.kind);
  const int64_t bytes = dtype == DType::kFloat64 ? sizeof(double) : sizeof(float);
  Plan p{};
  p.group_rows = a.group > 0 ? a.group : size.m;
  p.group_panels = divide_up(p.group_rows, tile.rows);
  p.panels = size.m / p.group_rows * p.group_panels;
  const int64_t most_cols = sums ? kSumCols : kBlockCols;
  p.cols_each = even_part(size.n, most_cols, kMaxTileCols);
  const int64_t step_bytes =
      std::min(kMaxBlockStepBytes, kBlockStepBytes * most_cols / p.cols_each);
  p.steps_each = even_part(size.k, step_bytes / bytes, 1);
  p.col_tasks = divide_up(size.n, p.cols_each);

  const double work =
      static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.k);
  const int64_t threads = max_threads();
  const bool tall = size.m >= threads * kTasksAThread * kTaskRows;
  const double wanted = std::min(static_cast<double>(tall ? threads * kTasksAThread : threads),
                                 std::max(1.0, work / kTaskWork));
  int64_t row_tasks = divide_up(static_cast<int64_t>(wanted), p.col_tasks);
  if (sums) row_tasks = std::max(row_tasks, divide_up(p.panels * tile.rows, kSumRows));
  p.panels_each = divide_up(p.panels, std::clamp<int64_t>(row_tasks, 1, p.panels));
  p.row_tasks = divide_up(p.panels, p.panels_each);
  p.slots = std::min(threads, p.row_tasks * p.col_tasks);

  p.right_in_place = a.kind == TileRows::kByStep && b.row_stride > 0 && size.n % tile.cols == 0 &&
                     size.n * bytes <= kNarrowBytes;
  p.right_bytes = p.right_in_place ? 0 : round_up(p.steps_each * p.cols_each * bytes, kLine);
  p.left_bytes = round_up(kMaxTileRows * p.steps_each * bytes, kLine) + 8 * kLine;
  p.slot_bytes = p.right_bytes + p.left_bytes;
  if (sums) p.slot_bytes += round_up(p.panels_each * tile.rows * p.cols_each * bytes, kLine);
  return p;
}

// Out is the element type of c, Acc the accumulator type.
template <typename Acc, typename Out>
class Product {
  static constexpr bool kSums = !std::is_same_v<Acc, Out>;  // c cannot hold partial sums

 public:
  Product(const PackedProduct& product, void* scratch)
      : product_(product),
        plan_(make_plan(product.dtype, product.size, product.a, product.b)),
        scratch_(static_cast<char*>(scratch)) {}

  void run() {
    std::atomic<int64_t> next{0};
    const int64_t tasks = plan_.row_tasks * plan_.col_tasks;
    parallel_for(plan_.slots, 1, [&](int64_t begin, int64_t end) {
      for (int64_t slot = begin; slot < end; ++slot) {
        for (int64_t task; (task = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) {
          run_task(task, scratch_ + slot * plan_.slot_bytes);
        }
      }
    });
  }

 private:
  // The part that a thread computes: panels × columns of c, for a block of steps.
  struct Block {
    int64_t panel, panel_end;
    int64_t col, cols;
    int64_t step, steps;
    Acc* right;
    const Acc* rows;  // of b, where it is read in place
    void* left;
    Acc* sums;
    int64_t group = -1;  // kByStep: the group of the pointers in `left`

    bool first() const { return step == 0; }
  };

  void run_task(int64_t task, char* slot) {
    const GemmSize& size = product_.size;
    Block block{};
    block.panel = task % plan_.row_tasks * plan_.panels_each;
    block.panel_end = std::min(block.panel + plan_.panels_each, plan_.panels);
    block.col = task / plan_.row_tasks * plan_.cols_each;
    block.cols = std::min(plan_.cols_each, size.n - block.col);
    block.right = reinterpret_cast<Acc*>(slot);
    block.left = slot + plan_.right_bytes;
    block.sums = reinterpret_cast<Acc*>(slot + plan_.right_bytes + plan_.left_bytes);
    for (; block.step < size.k; block.step += plan_.steps_each) {
      block.steps = std::min(plan_.steps_each, size.k - block.step);
      block.group = -1;
      pack_right(block);
      for (int64_t panel = block.panel; panel < block.panel_end; ++panel) {
        multiply_panel(block, panel);
      }
    }
  }

  void pack_right(Block& block) {
    if (plan_.right_in_place) {
      block.rows =
          static_cast<const Acc*>(product_.b.rows) + block.step * product_.b.row_stride + block.col;
      return;
    }
    for (int64_t col = 0; col < block.cols; col += tile_.cols) {
      product_.b.pack(product_.b.context,
                      {block.col + col, std::min(tile_.cols, block.cols - col), block.step,
                       block.step + block.steps, tile_.cols},
                      block.right + col * block.steps);
    }
  }

  void multiply_panel(Block& block, int64_t panel) {
    const int64_t lane = panel % plan_.group_panels * tile_.rows;
    const int64_t row = panel / plan_.group_panels * plan_.group_rows + lane;
    const int64_t rows = std::min(tile_.rows, plan_.group_rows - lane);
    const TileLeft<Acc> left = prepare_left(block, row, rows);
    Acc* c[kMaxTileRows];
    for (int64_t i = 0; i < rows; ++i) {
      if constexpr (kSums) {
        c[i] = block.sums + ((panel - block.panel) * tile_.rows + i) * block.cols;
      } else {
        c[i] = out_row(row + i) + block.col;
      }
    }
    for (int64_t col = 0; col < block.cols; col += tile_.cols) {
      multiply_tile(left, plan_.right_in_place ? block.rows + col : block.right + col * block.steps,
                    {c, col, rows, std::min(tile_.cols, block.cols - col), !block.first()});
    }
    if (block.step + block.steps == product_.size.k) finish(block, row, rows, c);
  }

  TileLeft<Acc> prepare_left(Block& block, int64_t row, int64_t rows) {
    const GemmOperand& a = product_.a;
    TileLeft<Acc> left{.kind = a.kind, .steps = block.steps};
    left.right_stride = plan_.right_in_place ? product_.b.row_stride : tile_.cols;
    PackRange range{row, rows, block.step, block.step + block.steps, tile_.rows};
    auto* pointers = static_cast<const void**>(block.left);
    if (a.kind == TileRows::kPacked) {
      a.pack(a.context, range, block.left);
      left.packed = static_cast<const Acc*>(block.left);
      return left;
    }
    left.pointers = static_cast<const Acc* const*>(block.left);
    if (a.kind == TileRows::kByRow) {
      auto* lengths =
          reinterpret_cast<int64_t*>(pointers + (block.steps / kLeastSegment + 2) * tile_.rows);
      left.steps = a.point(a.context, range, pointers, lengths);
      left.lengths = lengths;
      return left;
    }
    const int64_t group = row / plan_.group_rows;
    left.first = row - group * plan_.group_rows;
    if (group != block.group) {
      block.group = group;
      range.first = group * plan_.group_rows;
      a.point(a.context, range, pointers, nullptr);
    }
    return left;
  }

  Out* out_row(int64_t row) const {
    const int64_t offset = product_.row_offset != nullptr
                               ? product_.row_offset(product_.row_context, row)
                               : row * product_.c_stride;
    return static_cast<Out*>(product_.c) + offset;
  }

  // The sums of these rows are complete.
  void finish(const Block& block, int64_t row, int64_t rows, Acc* const* sums) {
    if (!kSums && product_.epilogue.empty()) return;
    for (int64_t i = 0; i < rows; ++i) {
      if (!product_.epilogue.empty()) apply_epilogue(sums[i], block.col, block.cols);
      if constexpr (kSums) from_float(sums[i], out_row(row + i) + block.col, block.cols);
    }
  }

  void apply_epilogue(Acc* x, int64_t col, int64_t cols) const {
    if (product_.epilogue.bias != nullptr) {
      const Out* bias = static_cast<const Out*>(product_.epilogue.bias) + col;
      for (int64_t j = 0; j < cols; ++j) x[j] += Acc(bias[j]);
    }
    const auto alpha = static_cast<Acc>(product_.epilogue.alpha);
    switch (product_.epilogue.activation) {  // NaN stays NaN in all
      case Activation::kNone:
        return;
      case Activation::kRelu:
        for (int64_t j = 0; j < cols; ++j) x[j] = x[j] < 0 ? 0 : x[j];
        return;
      case Activation::kRelu6:
        for (int64_t j = 0; j < cols; ++j) x[j] = x[j] < 0 ? 0 : x[j] > 6 ? 6 : x[j];
        return;
      case Activation::kLeakyRelu:
        for (int64_t j = 0; j < cols; ++j) x[j] = x[j] < 0 ? x[j] * alpha : x[j];
        return;
    }
  }

  const PackedProduct& product_;
  const Plan plan_;
  const TileShape tile_ = tile_shape(Acc(), product_.a.kind);
  char* const scratch_;
};

template <typename Acc, typename T>
void pack_matrix(const void* context, const PackRange& range, void* out) {
  const auto& matrix = *static_cast<const PackedMatrix*>(context);
  const T* from = static_cast<const T*>(matrix.data) + range.first * matrix.lane_stride +
                  range.begin * matrix.step_stride;
  clear_unless_full(range, sizeof(Acc), out);
  pack_lanes(from, matrix.lane_stride, matrix.step_stride, range.count, range.end - range.begin,
             static_cast<Acc*>(out), range.width);
}

}  // namespace

void clear_unless_full(const PackRange& range, size_t element_size, void* out) {
  if (range.count == range.width) return;
  std::memset(out, 0, static_cast<size_t>((range.end - range.begin) * range.width) * element_size);
}

GemmOperand matrix_operand(DType dtype, const PackedMatrix& matrix) {
  const auto pack = dtype == DType::kFloat16    ? pack_matrix<float, float16>
                    : dtype == DType::kBFloat16 ? pack_matrix<float, bfloat16>
                    : dtype == DType::kFloat32  ? pack_matrix<float, float>
                                                : pack_matrix<double, double>;
  GemmOperand operand{.pack = pack, .context = &matrix};
  if (matrix.lane_stride == 1 && !kHalfTypes.has(dtype)) {
    operand.rows = matrix.data;
    operand.row_stride = matrix.step_stride;
  }
  return operand;
}

int64_t packed_gemm_scratch_bytes(DType dtype, const GemmSize& size, const GemmOperand& a,
                                  const GemmOperand& b) {
  if (size.m == 0 || size.n == 0 || size.k == 0) return 0;
  const Plan plan = make_plan(dtype, size, a, b);
  return plan.slots * plan.slot_bytes;
}

void packed_gemm(const PackedProduct& product, void* scratch) noexcept {
  if (product.size.m == 0 || product.size.n == 0) return;
  switch (product.dtype) {
    case DType::kFloat16:
      return Product<float, float16>(product, scratch).run();
    case DType::kBFloat16:
      return Product<float, bfloat16>(product, scratch).run();
    case DType::kFloat32:
      return Product<float, float>(product, scratch).run();
    default:
      return Product<double, double>(product, scratch).run();
  }
}

}  // namespace penstock::kernels
