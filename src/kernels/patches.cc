#include "kernels/patches.h"

#include <algorithm>

#include "kernels/gemm_micro.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kMaxLanes = std::max(kMaxTileRows, kMaxTileCols);

// The image position that window element `i` at position `at` looks at, or -1.
int64_t looked_at(const WindowAxis& axis, bool inverse, int64_t at, int64_t i) {
  if (!inverse) {
    const int64_t pos = at * axis.stride - axis.pad + i * axis.dilation;
    return pos < axis.in ? pos : -1;
  }
  const int64_t pos = at + axis.pad - i * axis.dilation;
  if (pos < 0 || pos % axis.stride != 0) return -1;
  return pos / axis.stride < axis.out ? pos / axis.stride : -1;
}

struct Position {
  int64_t batch, row, col;
};
Position position(int64_t index, int64_t rows, int64_t cols) {
  return {index / cols / rows, index / cols % rows, index % cols};
}

// A run of one lane's values, `width` apart; zeros where there is no source.
template <typename Acc, typename T>
void put_run(const T* from, int64_t stride, int64_t count, Acc* out, int64_t width) {
  if (from == nullptr) {
    for (int64_t i = 0; i < count; ++i) out[i * width] = Acc(0);
  } else {
    for (int64_t i = 0; i < count; ++i) out[i * width] = Acc(from[i * stride]);
  }
}

template <typename Acc>
void clear_lanes(const PackRange& range, Acc* out) {
  for (int64_t step = range.begin; step < range.end; ++step, out += range.width) {
    for (int64_t lane = range.count; lane < range.width; ++lane) out[lane] = Acc(0);
  }
}

template <typename Acc, typename T>
void pack_rows(const void* context, const PackRange& range, void* out_data) {
  const Patches& p = *static_cast<const Patches*>(context);
  const T* image = static_cast<const T*>(p.image);
  Acc* out = static_cast<Acc*>(out_data);
  Position at[kMaxLanes];
  for (int64_t lane = 0; lane < range.count; ++lane) {
    at[lane] =
        position(range.first + lane, p.inverse ? p.h.in : p.h.out, p.inverse ? p.w.in : p.w.out);
  }
  for (int64_t step = range.begin; step < range.end;) {
    const int64_t element = step / p.channels, channel = step % p.channels;
    const int64_t count = std::min(p.channels - channel, range.end - step);
    for (int64_t lane = 0; lane < range.count; ++lane) {
      const int64_t row = looked_at(p.h, p.inverse, at[lane].row, element / p.w.size);
      const int64_t col = looked_at(p.w, p.inverse, at[lane].col, element % p.w.size);
      const T* from = nullptr;
      if (row >= 0 && col >= 0) {
        from = image + at[lane].batch * p.strides.batch + row * p.strides.row +
               col * p.strides.col + channel * p.strides.channel;
      }
      put_run(from, p.strides.channel, count, out + lane, range.width);
    }
    step += count;
    out += count * range.width;
  }
  if (range.count < range.width) clear_lanes(range, static_cast<Acc*>(out_data));
}

// The first position whose element at `offset` from it is at least `bound`.
int64_t first_at_least(int64_t bound, int64_t offset, int64_t stride) {
  return bound <= offset ? 0 : (bound - offset + stride - 1) / stride;
}

template <typename Acc, typename T>
void pack_cols(const void* context, const PackRange& range, void* out_data) {
  const Patches& p = *static_cast<const Patches*>(context);
  const T* image = static_cast<const T*>(p.image);
  Acc* out = static_cast<Acc*>(out_data);
  for (int64_t step = range.begin; step < range.end;) {
    const Position at = position(step, p.h.out, p.w.out);
    const int64_t col_end = std::min(p.w.out, at.col + range.end - step);
    for (int64_t lane = 0; lane < range.count; ++lane) {
      const Position element = position(range.first + lane, p.w.size, p.channels);
      const int64_t row = looked_at(p.h, false, at.row, element.batch);
      const int64_t offset = element.row * p.w.dilation - p.w.pad;
      // Columns before `begin` and from `end` on look beside the image.
      int64_t begin = std::clamp(first_at_least(0, offset, p.w.stride), at.col, col_end);
      int64_t end = std::clamp(first_at_least(p.w.in, offset, p.w.stride), begin, col_end);
      if (row < 0) begin = end = col_end;
      Acc* to = out + lane;
      put_run<Acc, T>(nullptr, 0, begin - at.col, to, range.width);
      if (begin < end) {
        const T* from = image + at.batch * p.strides.batch + row * p.strides.row +
                        (begin * p.w.stride + offset) * p.strides.col +
                        element.col * p.strides.channel;
        put_run(from, p.w.stride * p.strides.col, end - begin, to + (begin - at.col) * range.width,
                range.width);
      }
      put_run<Acc, T>(nullptr, 0, col_end - end, to + (end - at.col) * range.width, range.width);
    }
    out += (col_end - at.col) * range.width;
    step += col_end - at.col;
  }
  if (range.count < range.width) clear_lanes(range, static_cast<Acc*>(out_data));
}

}  // namespace

PackSource patch_rows(DType dtype, const Patches& patches) {
  switch (dtype) {
    case DType::kFloat16:
      return {pack_rows<float, float16>, &patches};
    case DType::kBFloat16:
      return {pack_rows<float, bfloat16>, &patches};
    case DType::kFloat32:
      return {pack_rows<float, float>, &patches};
    default:
      return {pack_rows<double, double>, &patches};
  }
}

PackSource patch_cols(DType dtype, const Patches& patches) {
  switch (dtype) {
    case DType::kFloat16:
      return {pack_cols<float, float16>, &patches};
    case DType::kBFloat16:
      return {pack_cols<float, bfloat16>, &patches};
    case DType::kFloat32:
      return {pack_cols<float, float>, &patches};
    default:
      return {pack_cols<double, double>, &patches};
  }
}

}  // namespace penstock::kernels
