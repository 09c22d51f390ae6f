#include "kernels/patches.h"

#include <algorithm>
#include <cstring>

#include "kernels/gemm_pack.h"

namespace penstock::kernels {
namespace {

// Zeros for positions outside the image, of any dtype.
constexpr int64_t kZeroBytes = 16384;
alignas(64) constexpr char kZeros[kZeroBytes] = {};

using Index = std::array<int64_t, 3>;

Index unravel(int64_t i, int64_t size1, int64_t size2) {
  return {i / size2 / size1, i / size2 % size1, i % size2};
}
int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// A position: its image, and the coordinates that its tap 0 reads along every axis.
struct Position {
  int64_t image;
  Index first, at;
};
Position position(const Patches& p, int64_t row) {
  const int64_t each = p.axes[0].positions * p.axes[1].positions * p.axes[2].positions;
  Position result{row / each * p.strides.batch,
                  {},
                  unravel(row % each, p.axes[1].positions, p.axes[2].positions)};
  for (size_t k = 0; k < 3; ++k) {
    result.first[k] = result.at[k] * p.axes[k].by_position + p.axes[k].base;
  }
  return result;
}

// Moves on to the position of the next row, as position() would give it, without dividing.
void advance(const Patches& p, Position* position) {
  for (size_t k = 3; k-- > 0;) {
    const Looking& axis = p.axes[k];
    position->first[k] += axis.by_position;
    if (++position->at[k] < axis.positions) return;
    position->at[k] = 0;
    position->first[k] = axis.base;
  }
  position->image += p.strides.batch;
}

// The offset of the element that a position reads with a tap, or -1.
int64_t seen(const Patches& p, const Position& position, const Index& tap) {
  int64_t offset = position.image;
  for (size_t k = 0; k < 3; ++k) {
    const int64_t at = position.first[k] + tap[k] * p.axes[k].by_tap;
    if (at < 0 || at >= p.axes[k].limit) return -1;
    offset += at * p.strides.axes[k];
  }
  return offset;
}

Index tap_index(const Patches& p, int64_t tap) {
  return unravel(tap, p.axes[1].taps, p.axes[2].taps);
}

// Positions on one line of the image at which a tap sees something: `count` from the line's
// `skipped`th on.
struct Run {
  int64_t skipped, count;
};
Run visible(const Looking& axis, int64_t first, int64_t tap, int64_t length) {
  const int64_t at = first + tap * axis.by_tap;
  const int64_t begin = at < 0 ? divide_up(-at, axis.by_position) : 0;
  const int64_t end = at >= axis.limit ? 0 : divide_up(axis.limit - at, axis.by_position);
  const int64_t skipped = std::min(begin, length);
  return {skipped, std::max<int64_t>(0, std::min(end, length) - skipped)};
}

// Calls put(from, row, rows, element, elements) for all rectangles that are not zero. Rows and
// elements count from `row` and `begin`. `from` is the offset of the rectangle's first element.
template <typename Put>
void for_rectangles(const Patches& p, int64_t row, int64_t row_end, int64_t begin, int64_t end,
                    const Put& put) {
  for (int64_t i = row; i < row_end;) {
    Position at = position(p, i);
    const int64_t length = std::min(p.axes[2].positions - at.at[2], row_end - i);
    const int64_t first = at.first[2];
    for (int64_t step = begin; step < end;) {
      const int64_t channel = step % p.channels;
      const int64_t count = std::min(p.channels - channel, end - step);
      const Index tap = tap_index(p, step / p.channels);
      const Run run = visible(p.axes[2], first, tap[2], length);
      if (run.count > 0) {
        at.first[2] = first + run.skipped * p.axes[2].by_position;
        const int64_t from = seen(p, at, tap);
        if (from >= 0) {
          put(from + channel * p.strides.channel, i - row + run.skipped, run.count, step - begin,
              count);
        }
      }
      step += count;
    }
    i += length;
  }
}

template <typename Acc>
void clear(const PackRange& range, Acc* out) {
  std::memset(out, 0, static_cast<size_t>((range.end - range.begin) * range.width) * sizeof(Acc));
}

template <typename Acc, typename T>
void pack_rows(const void* context, const PackRange& range, void* out_data) {
  const Patches& p = *static_cast<const Patches*>(context);
  const T* image = static_cast<const T*>(p.image);
  Acc* out = static_cast<Acc*>(out_data);
  clear(range, out);
  for_rectangles(p, range.first, range.first + range.count, range.begin, range.end,
                 [&](int64_t from, int64_t row, int64_t rows, int64_t step, int64_t steps) {
                   pack_lanes(image + from, p.axes[2].by_position * p.strides.axes[2],
                              p.strides.channel, rows, steps, out + step * range.width + row,
                              range.width);
                 });
}

template <typename Acc, typename T>
void pack_cols(const void* context, const PackRange& range, void* out_data) {
  const Patches& p = *static_cast<const Patches*>(context);
  const T* image = static_cast<const T*>(p.image);
  Acc* out = static_cast<Acc*>(out_data);
  clear(range, out);
  for_rectangles(p, range.begin, range.end, range.first, range.first + range.count,
                 [&](int64_t from, int64_t row, int64_t rows, int64_t lane, int64_t lanes) {
                   pack_lanes(image + from, p.strides.channel,
                              p.axes[2].by_position * p.strides.axes[2], lanes, rows,
                              out + row * range.width + lane, range.width);
                 });
}

// The rows of a panel: what tap 0 of each looks at along every axis, and where that would be.
struct Rows {
  int64_t first[3][kMaxTileRows];
  int64_t start[kMaxTileRows];
};
Rows read_rows(const Patches& p, const PackRange& range) {
  Rows rows;
  Position next = position(p, range.first);
  for (int64_t i = 0; i < range.count; ++i, advance(p, &next)) {
    rows.start[i] = next.image;
    for (size_t k = 0; k < 3; ++k) {
      rows.first[k][i] = next.first[k];
      rows.start[i] += next.first[k] * p.strides.axes[k];
    }
  }
  return rows;
}

// A bit for each row that sees something along an axis with a tap.
uint32_t seeing(const Looking& axis, const int64_t* first, int64_t count, int64_t tap) {
  uint32_t mask = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<uint64_t>(first[i] + tap * axis.by_tap);
    mask |= static_cast<uint32_t>(at < static_cast<uint64_t>(axis.limit)) << i;
  }
  return mask;
}

template <typename T>
int64_t point_rows(const void* context, const PackRange& range, const void** pointers,
                   int64_t* lengths) {
  const Patches& p = *static_cast<const Patches*>(context);
  const T* image = static_cast<const T*>(p.image);
  const Rows rows = read_rows(p, range);
  const uint32_t all = (uint32_t{1} << range.count) - 1;
  Index last{-1, -1, -1};
  uint32_t masks[3] = {};  // of the last tap
  int64_t segments = 0;
  for (int64_t step = range.begin; step < range.end; ++segments) {
    const int64_t channel = step % p.channels;
    lengths[segments] = std::min(p.channels - channel, range.end - step);
    const Index tap = tap_index(p, step / p.channels);
    int64_t offset = channel;
    for (size_t k = 0; k < 3; ++k) {
      offset += tap[k] * p.axes[k].by_tap * p.strides.axes[k];
      if (tap[k] != last[k]) masks[k] = seeing(p.axes[k], rows.first[k], range.count, tap[k]);
    }
    last = tap;
    const uint32_t mask = masks[0] & masks[1] & masks[2];
    for (int64_t i = 0; i < range.count; ++i) {
      // If a row reads nothing, the sum is out of bounds and must not be formed as a pointer.
      pointers[i] = mask == all || ((mask >> i) & 1) != 0
                        ? static_cast<const void*>(image + (rows.start[i] + offset))
                        : kZeros;
    }
    std::fill(pointers + range.count, pointers + range.width, kZeros);
    pointers += range.width;
    step += lengths[segments];
  }
  return segments;
}

template <typename T>
int64_t point_cols(const void* context, const PackRange& range, const void** pointers, int64_t*) {
  const Patches& p = *static_cast<const Patches*>(context);
  const T* image = static_cast<const T*>(p.image);
  const int64_t stride = p.axes[2].by_position * p.strides.axes[2];
  std::fill_n(pointers, range.end - range.begin, kZeros);
  for_rectangles(p, range.begin, range.end, range.first, range.first + p.channels,
                 [&](int64_t from, int64_t row, int64_t rows, int64_t, int64_t) {
                   for (int64_t i = 0; i < rows; ++i) pointers[row + i] = image + from + i * stride;
                 });
  return range.end - range.begin;
}

template <typename Acc, typename T>
void pack_filter(const void* context, const PackRange& range, void* out_data) {
  const Filter& f = *static_cast<const Filter*>(context);
  const T* lane = static_cast<const T*>(f.data) + range.first * f.lane_stride;
  Acc* out = static_cast<Acc*>(out_data);
  clear_unless_full(range, sizeof(Acc), out);
  for (int64_t step = range.begin; step < range.end;) {
    const int64_t channel = step % f.channels;
    const int64_t count = std::min(f.channels - channel, range.end - step);
    const Index tap = unravel(step / f.channels, f.taps[1], f.taps[2]);
    const T* from = lane + channel * f.channel_stride;
    for (size_t k = 0; k < 3; ++k) from += tap[k] * f.tap_strides[k];
    pack_lanes(from, f.lane_stride, f.channel_stride, range.count, count, out, range.width);
    out += count * range.width;
    step += count;
  }
}

using PackFn = decltype(GemmOperand::pack);
#define PEN_BY_DTYPE(function, dtype)                                            \
  (dtype) == DType::kFloat16    ? static_cast<PackFn>(function<float, float16>)  \
  : (dtype) == DType::kBFloat16 ? static_cast<PackFn>(function<float, bfloat16>) \
  : (dtype) == DType::kFloat32  ? static_cast<PackFn>(function<float, float>)    \
                                : static_cast<PackFn>(function<double, double>)

bool is_single(DType dtype) { return dtype == DType::kFloat32; }

// Tiles read float32 and float64 only, along contiguous channels.
bool lies_well(const Patches& p) { return !kHalfTypes.has(p.dtype) && p.strides.channel == 1; }

}  // namespace

GemmOperand patch_rows(const Patches& p) { return {PEN_BY_DTYPE(pack_rows, p.dtype), &p}; }
GemmOperand patch_cols(const Patches& p) { return {PEN_BY_DTYPE(pack_cols, p.dtype), &p}; }

GemmOperand patch_rows_in_place(const Patches& p) {
  static_assert(kMaxBlockStepBytes <= kZeroBytes);
  if (!lies_well(p) || p.channels < kLeastSegment) return patch_rows(p);
  return {.context = &p,
          .kind = TileRows::kByRow,
          .point = is_single(p.dtype) ? point_rows<float> : point_rows<double>};
}

GemmOperand patch_cols_in_place(const Patches& p) {
  const bool fits = p.channels * static_cast<int64_t>(dtype_size(p.dtype)) <= kZeroBytes;
  if (!lies_well(p) || !fits || p.channels % 4 != 0) return patch_cols(p);
  return {.context = &p,
          .kind = TileRows::kByStep,
          .point = is_single(p.dtype) ? point_cols<float> : point_cols<double>,
          .group = p.channels};
}

GemmOperand filter_operand(const Filter& f) { return {PEN_BY_DTYPE(pack_filter, f.dtype), &f}; }

#undef PEN_BY_DTYPE

}  // namespace penstock::kernels
