// The driver of reductions. Axes of size 1 are dropped, adjacent axes of a kind (both kept or both
// reduced) are merged, and the rest alternates between kept and reduced axes: two inner ones that
// the steps loop over, and rarely more around them.
#include "kernels/reduce.h"

#include <algorithm>
#include <cstring>

#include <penstock/base/threads.h>

#include "kernels/reduce_steps.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kGrain = 1 << 16;   // elements a thread should have at least
constexpr int64_t kFewRows = 16;      // fewer outputs than this are too few to share out
constexpr int64_t kNarrowStrip = 32;  // columns: two cache lines of float32

struct Axis {
  int64_t size;
  int64_t stride;  // in elements
  bool reduced;
};

// Axes from the innermost one on, alternating between kept and reduced.
struct Box {
  const char* x = nullptr;
  Axis axes[kMaxRank + 1];
  int rank = 0;

  void add(int64_t size, bool reduced) {
    if (size == 1) return;
    if (rank > 0 && axes[rank - 1].reduced == reduced) {
      axes[rank - 1].size *= size;
      return;
    }
    const int64_t stride = rank == 0 ? 1 : axes[rank - 1].stride * axes[rank - 1].size;
    axes[rank++] = {size, stride, reduced};
  }
  int64_t count(bool reduced, int from = 0) const {
    int64_t product = 1;
    for (int i = from; i < rank; ++i) {
      if (axes[i].reduced == reduced) product *= axes[i].size;
    }
    return product;
  }
  // The offset of the index-th combination of the outer (kept or reduced) axes, in elements.
  int64_t outer_offset(int64_t index, bool reduced) const {
    int64_t offset = 0;
    for (int i = 2; i < rank; ++i) {
      if (axes[i].reduced != reduced) continue;
      offset += index % axes[i].size * axes[i].stride;
      index /= axes[i].size;
    }
    return offset;
  }
};

struct Task {
  const ReduceSteps& steps;
  int64_t divisor;
  int64_t tile;  // outputs worked on together
  char* out;     // of elements
  char* accs;    // or, when not null, of accumulators
};

// One tile of outputs: `count` neighbours along the innermost kept axis, `first` being the first.
void reduce_tile(const Box& box, const Task& task, int64_t outer, int64_t first, int64_t count) {
  const ReduceSteps& steps = task.steps;
  alignas(16) char acc[kTile * kMaxAccumulator];
  steps.start(acc, count);
  const bool by_rows = box.axes[0].reduced;
  const Axis inner = box.axes[0];
  const Axis next = box.rank > 1 ? box.axes[1] : Axis{1, inner.size, !by_rows};
  const int64_t kept_stride = by_rows ? next.stride : inner.stride;
  const int64_t offset = box.outer_offset(outer, false) + first * kept_stride;
  const int64_t rounds = box.count(true, 2);
  for (int64_t r = 0; r < rounds; ++r) {
    const int64_t at = offset + (rounds == 1 ? 0 : box.outer_offset(r, true));
    const char* x = box.x + at * static_cast<int64_t>(steps.element_size);
    if (by_rows) {
      steps.loops.rows(x, count, inner.size, next.stride, acc);
    } else {
      steps.loops.columns(x, next.size, next.stride, count, acc);
    }
  }
  const int64_t index = outer * (by_rows ? next.size : inner.size) + first;
  if (task.accs != nullptr) {
    const auto size = static_cast<int64_t>(steps.acc_size);
    std::memcpy(task.accs + index * size, acc, static_cast<size_t>(count * size));
  } else {
    steps.finish(acc, count, task.divisor,
                 task.out + index * static_cast<int64_t>(steps.element_size));
  }
}

int64_t inner_kept(const Box& box) {
  if (!box.axes[0].reduced) return box.axes[0].size;
  return box.rank > 1 ? box.axes[1].size : 1;
}

void reduce_tiles(const Box& box, const Task& task, int64_t begin, int64_t end) {
  const int64_t kept = inner_kept(box);
  const int64_t tiles = (kept + task.tile - 1) / task.tile;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t first = i % tiles * task.tile;
    reduce_tile(box, task, i / tiles, first, std::min(task.tile, kept - first));
  }
}

int64_t num_tiles(const Box& box, int64_t tile) {
  return (inner_kept(box) + tile - 1) / tile * box.count(false, 2);
}

// Outputs shared out among the threads.
void reduce_by_outputs(const Box& box, Task task, int64_t elements) {
  const int64_t outputs = box.count(false);
  if (elements > kGrain) {
    const int64_t least = box.axes[0].reduced ? 1 : kNarrowStrip;
    task.tile = std::clamp(outputs / (4 * num_threads()), least, kTile);
  }
  const int64_t tiles = num_tiles(box, task.tile);
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, elements / tiles));
  parallel_for(tiles, grain,
               [&](int64_t begin, int64_t end) { reduce_tiles(box, task, begin, end); });
}

// Few outputs of many elements each: the longest reduced axis is split into parts, whose number
// depends on the shape alone, and the parts' accumulators are merged in order.
void reduce_by_parts(const Box& box, const Task& task, int64_t elements) {
  int longest = box.axes[0].reduced ? 0 : 1;
  for (int i = longest; i < box.rank; i += 2) {
    if (box.axes[i].size > box.axes[longest].size) longest = i;
  }
  const Axis axis = box.axes[longest];
  const int64_t parts = std::min({kMaxReduceParts, elements / kGrain, axis.size});
  const ReduceSteps& steps = task.steps;
  const int64_t outputs = box.count(false);
  const int64_t part_bytes = outputs * static_cast<int64_t>(steps.acc_size);
  alignas(16) char accs[kMaxReduceParts * kTile * kMaxAccumulator];
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = axis.size * p / parts;
      Box part = box;
      part.axes[longest].size = axis.size * (p + 1) / parts - first;
      part.x += first * axis.stride * static_cast<int64_t>(steps.element_size);
      Task part_task = task;
      part_task.accs = accs + p * part_bytes;
      reduce_tiles(part, part_task, 0, num_tiles(part, task.tile));
    }
  });
  for (int64_t p = 1; p < parts; ++p) steps.merge(accs, accs + p * part_bytes, outputs);
  steps.finish(accs, outputs, task.divisor, task.out);
}

void fill_identity(const Task& task, int64_t outputs) {
  alignas(16) char acc[kTile * kMaxAccumulator];
  task.steps.start(acc, kTile);
  for (int64_t i = 0; i < outputs; i += kTile) {
    task.steps.finish(acc, std::min(kTile, outputs - i), task.divisor,
                      task.out + i * static_cast<int64_t>(task.steps.element_size));
  }
}

// A complex number's real and imaginary parts are an innermost axis of size 2.
DType part_dtype(DType dtype) {
  return dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
}

}  // namespace

int64_t num_reduce_parts(int64_t n) {
  return n >= 2 * kGrain ? std::min(kMaxReduceParts, n / kGrain) : 1;
}

bool reduces_row_by_row(int64_t rows, int64_t n) {
  return n > 1 && (rows > kFewRows || rows * n < 2 * kGrain);
}

void reduce(Reduction reduction, const View& x, uint32_t axes, const View& out) {
  const int64_t outputs = out.size();
  if (outputs == 0) return;
  const bool in_pairs = kComplexTypes.has(x.dtype) && reduction != Reduction::kProd;
  const ReduceSteps steps = reduce_steps(reduction, in_pairs ? part_dtype(x.dtype) : x.dtype);
  const int64_t kept = in_pairs ? 2 * outputs : outputs;
  const int64_t reduced = x.size() / outputs;
  const Task task{steps, reduction == Reduction::kMean ? reduced : 1, kTile, out.as<char>(),
                  nullptr};
  if (reduced == 0) return fill_identity(task, kept);
  Box box;
  box.x = x.as<char>();
  if (in_pairs) box.add(2, false);
  for (int i = x.shape.rank() - 1; i >= 0; --i) box.add(x.shape[i], ((axes >> i) & 1) != 0);
  if (box.rank == 0) box.axes[box.rank++] = {1, 1, true};
  const int64_t elements = kept * reduced;
  const bool by_rows = box.axes[0].reduced;
  const bool in_parts =
      by_rows ? !reduces_row_by_row(kept, reduced) : elements >= 2 * kGrain && kept <= kTile;
  if (in_parts && reduced > 1) {
    reduce_by_parts(box, task, elements);
  } else {
    reduce_by_outputs(box, task, elements);
  }
}

}  // namespace penstock::kernels
