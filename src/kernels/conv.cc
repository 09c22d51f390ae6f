#include "kernels/conv.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernels/conv_integer.h"
#include "kernels/move.h"
#include "kernels/patches.h"

namespace penstock::kernels {
namespace {

// A pointer advanced by elements of the convolution's dtype.
const void* moved(const ConvShape& s, const void* data, int64_t elements) {
  return static_cast<const char*>(data) + elements * static_cast<int64_t>(dtype_size(s.dtype));
}
void* moved(const ConvShape& s, void* data, int64_t elements) {
  return static_cast<char*>(data) + elements * static_cast<int64_t>(dtype_size(s.dtype));
}
void clear(const ConvShape& s, void* data, int64_t elements) {
  std::memset(data, 0, static_cast<size_t>(elements) * dtype_size(s.dtype));
}

int64_t in_group(const ConvShape& s) { return s.in_channels / s.groups; }
int64_t out_group(const ConvShape& s) { return s.out_channels / s.groups; }
ImageStrides in_image(const ConvShape& s) {
  return in_strides(s.window, s.channels_first, s.in_channels);
}
ImageStrides out_image(const ConvShape& s) {
  return out_strides(s.window, s.channels_first, s.out_channels);
}

// The strides of a filter's axes.
std::array<int64_t, 3> tap_strides(const ConvShape& s) {
  const int64_t each = in_group(s) * s.out_channels;
  return {s.window[1].size * s.window[2].size * each, s.window[2].size * each, each};
}

Looking forward_look(const WindowAxis& axis) {
  return {axis.out, axis.size, axis.stride, -axis.pad, axis.dilation, axis.in};
}
std::array<Looking, 3> forward_look(const ConvShape& s) {
  return {forward_look(s.window[0]), forward_look(s.window[1]), forward_look(s.window[2])};
}

// With channels last, all images' positions are the rows of one product; with channels first, the
// positions of each image are the columns of one.
GemmSize forward_size(const ConvShape& s) {
  const int64_t positions = out_positions(s.window);
  const int64_t k = window_size(s.window) * in_group(s);
  if (s.channels_first) return {out_group(s), positions, k};
  return {s.batch * positions, out_group(s), k};
}
GemmSize filter_grad_size(const ConvShape& s) {
  return {window_size(s.window) * in_group(s), out_group(s), s.batch * out_positions(s.window)};
}

// Input positions r, r + stride, r + 2 * stride, … see the same taps: the first of them and every
// `tap_step`th after it.
struct Phase {
  int64_t r;
  Looking look;
  int64_t first_tap, tap_step;
};
int64_t tap_step(const WindowAxis& axis) {
  return axis.stride / std::gcd(axis.stride, axis.dilation);
}
int64_t num_phases(const WindowAxis& axis) { return std::min(axis.size, tap_step(axis)); }
Phase make_phase(const WindowAxis& axis, int64_t tap) {
  const int64_t shift = tap * axis.dilation - axis.pad;
  const int64_t r = (shift % axis.stride + axis.stride) % axis.stride;
  Phase phase{r, {}, tap, tap_step(axis)};
  phase.look.positions = r < axis.in ? (axis.in - r + axis.stride - 1) / axis.stride : 0;
  phase.look.taps = (axis.size - tap + phase.tap_step - 1) / phase.tap_step;
  phase.look.base = (r - shift) / axis.stride;
  phase.look.by_tap = -(phase.tap_step * axis.dilation / axis.stride);
  phase.look.limit = axis.out;
  return phase;
}
using Phases = std::array<Phase, 3>;

// Calls body(phases) for every choice of a phase along each axis that has positions.
template <typename Body>
void for_phases(const ConvShape& s, const Body& body) {
  Phases phases;
  for (int64_t i = 0; i < num_phases(s.window[0]); ++i) {
    phases[0] = make_phase(s.window[0], i);
    if (phases[0].look.positions == 0) continue;
    for (int64_t j = 0; j < num_phases(s.window[1]); ++j) {
      phases[1] = make_phase(s.window[1], j);
      if (phases[1].look.positions == 0) continue;
      for (int64_t k = 0; k < num_phases(s.window[2]); ++k) {
        phases[2] = make_phase(s.window[2], k);
        if (phases[2].look.positions > 0) body(phases);
      }
    }
  }
}
// Whether some input positions are not covered, so that no phase writes them.
bool leaves_gaps(const ConvShape& s) {
  return std::any_of(s.window.begin(), s.window.end(), [](const WindowAxis& axis) {
    return axis.stride > axis.size || std::gcd(axis.stride, axis.dilation) > 1;
  });
}

GemmSize phase_size(const ConvShape& s, const Phases& p) {
  const int64_t images = s.channels_first ? 1 : s.batch;
  return {images * p[0].look.positions * p[1].look.positions * p[2].look.positions, in_group(s),
          p[0].look.taps * p[1].look.taps * p[2].look.taps * out_group(s)};
}

// The positions in the images of the rows of a phase's product: `count[k]` along axis k.
struct Places {
  std::array<int64_t, 3> count, strides;
  int64_t batch;
};
int64_t place_of(const void* context, int64_t row) {
  const Places& p = *static_cast<const Places*>(context);
  int64_t offset = 0;
  for (size_t k = 3; k-- > 0; row /= p.count[k]) offset += row % p.count[k] * p.strides[k];
  return offset + row * p.batch;
}

Patches phase_patches(const ConvShape& s, const Phases& p, const void* dy) {
  return {s.dtype, dy, out_image(s), out_group(s), {p[0].look, p[1].look, p[2].look}};
}

// One phase of dx for the channels of group g; dx has channels last.
void phase_grad(const ConvShape& s, const Phases& p, int64_t g, const void* filter, const void* dy,
                void* dx, void* scratch) {
  const ImageStrides from = out_image(s), to = in_strides(s.window, false, s.in_channels);
  const std::array<int64_t, 3> strides = tap_strides(s);
  const Patches patches = phase_patches(s, p, moved(s, dy, g * out_group(s) * from.channel));
  Filter weights{s.dtype, nullptr, s.out_channels, 1, out_group(s), {}, {}};
  Places places{{}, {}, to.batch};
  int64_t tap = 0, start = g * in_group(s);
  for (size_t k = 0; k < 3; ++k) {
    weights.taps[k] = p[k].look.taps;
    weights.tap_strides[k] = p[k].tap_step * strides[k];
    tap += p[k].first_tap * strides[k];
    places.count[k] = p[k].look.positions;
    places.strides[k] = s.window[k].stride * to.axes[k];
    start += p[k].r * to.axes[k];
  }
  weights.data = moved(s, filter, tap + g * out_group(s));
  const bool is_whole = std::all_of(s.window.begin(), s.window.end(),
                                    [](const WindowAxis& axis) { return axis.stride == 1; });
  packed_gemm({.dtype = s.dtype,
               .size = phase_size(s, p),
               .a = patch_rows_in_place(patches),
               .b = filter_operand(weights),
               .c = moved(s, dx, start),
               .c_stride = to.axes[2],
               .row_offset = is_whole ? nullptr : place_of,
               .row_context = &places},
              scratch);
}

// The operands of one group's gradient with respect to the filter: patches and the gradient of the
// output, whose steps are positions.
class FilterGrad {
 public:
  FilterGrad(const ConvShape& s, const void* input, const void* dy, int64_t g)
      : channels_first_(s.channels_first),
        patches_{s.dtype, input, in_image(s), in_group(s), forward_look(s)},
        rows_{dy, 1, s.out_channels},
        images_{s.dtype, dy, 0, 0, out_positions(s.window), {1, 1, s.batch}, {}} {
    const ImageStrides to = out_image(s);
    // An empty image's data may be null; so is all data while scratch is computed.
    if (input != nullptr)
      patches_.image = moved(s, input, g * in_group(s) * patches_.strides.channel);
    if (dy != nullptr) rows_.data = images_.data = moved(s, dy, g * out_group(s) * to.channel);
    images_.lane_stride = to.channel;
    images_.channel_stride = to.axes[2];
    images_.tap_strides = {0, 0, to.batch};
  }
  GemmOperand a() const { return patch_cols_in_place(patches_); }
  // With channels first, positions take the place of a filter's channels and images of its taps.
  GemmOperand b() const {
    return channels_first_ ? filter_operand(images_) : matrix_operand(patches_.dtype, rows_);
  }

 private:
  bool channels_first_;
  Patches patches_;
  PackedMatrix rows_;
  Filter images_;
};

int64_t image_bytes(const ConvShape& s) {
  const int64_t bytes =
      in_positions(s.window) * s.in_channels * static_cast<int64_t>(dtype_size(s.dtype));
  return (bytes + 63) / 64 * 64;
}

}  // namespace

int64_t conv_scratch_bytes(const ConvShape& s) {
  if (s.dtype == DType::kInt32) return 0;
  if (s.channels_first) return packed_gemm_scratch_bytes(s.dtype, forward_size(s));
  const Patches patches{s.dtype, nullptr, in_image(s), in_group(s), forward_look(s)};
  return packed_gemm_scratch_bytes(s.dtype, forward_size(s), patch_rows_in_place(patches));
}

int64_t conv_input_grad_scratch_bytes(const ConvShape& s) {
  if (s.dtype == DType::kInt32) return 0;
  int64_t most = 0;
  for_phases(s, [&](const Phases& p) {
    const Patches patches = phase_patches(s, p, nullptr);
    most = std::max(
        most, packed_gemm_scratch_bytes(s.dtype, phase_size(s, p), patch_rows_in_place(patches)));
  });
  return most + (s.channels_first ? image_bytes(s) : 0);
}

int64_t conv_filter_grad_scratch_bytes(const ConvShape& s) {
  const FilterGrad product(s, nullptr, nullptr, 0);
  return packed_gemm_scratch_bytes(s.dtype, filter_grad_size(s), product.a(), product.b());
}

void conv(const ConvShape& s, const void* input, const void* filter, void* output, void* scratch,
          const Epilogue& epilogue) noexcept {
  if (s.dtype == DType::kInt32) return integer_conv(s, input, filter, output);
  const ImageStrides from = in_image(s), to = out_image(s);
  for (int64_t g = 0; g < s.groups; ++g) {
    Patches patches{s.dtype, moved(s, input, g * in_group(s) * from.channel), from, in_group(s),
                    forward_look(s)};
    const Filter weights{s.dtype,
                         moved(s, filter, g * out_group(s)),
                         1,
                         s.out_channels,
                         in_group(s),
                         {s.window[0].size, s.window[1].size, s.window[2].size},
                         tap_strides(s)};
    void* result = moved(s, output, g * out_group(s) * to.channel);
    if (!s.channels_first) {
      Epilogue of_group = epilogue;
      if (epilogue.bias != nullptr) of_group.bias = moved(s, epilogue.bias, g * out_group(s));
      packed_gemm({.dtype = s.dtype,
                   .size = forward_size(s),
                   .a = patch_rows_in_place(patches),
                   .b = filter_operand(weights),
                   .c = result,
                   .c_stride = s.out_channels,
                   .epilogue = of_group},
                  scratch);
      continue;
    }
    const void* images = patches.image;
    for (int64_t n = 0; n < s.batch; ++n) {
      patches.image = moved(s, images, n * from.batch);
      packed_gemm({.dtype = s.dtype,
                   .size = forward_size(s),
                   .a = filter_operand(weights),
                   .b = patch_rows(patches),
                   .c = moved(s, result, n * to.batch),
                   .c_stride = to.channel},
                  scratch);
    }
  }
}

void conv_input_grad(const ConvShape& s, const void* filter, const void* dy, void* dx,
                     void* scratch) noexcept {
  const int64_t image = in_positions(s.window) * s.in_channels;
  if (s.out_channels == 0 || out_positions(s.window) == 0) return clear(s, dx, s.batch * image);
  if (s.dtype == DType::kInt32) return integer_conv_input_grad(s, filter, dy, dx);
  const auto all_phases = [&](const void* grads, void* result, void* work) {
    for_phases(s, [&](const Phases& p) {
      for (int64_t g = 0; g < s.groups; ++g) phase_grad(s, p, g, filter, grads, result, work);
    });
  };
  if (!s.channels_first) {
    if (leaves_gaps(s)) clear(s, dx, s.batch * image);
    return all_phases(dy, dx, scratch);
  }
  // Image by image with channels last, then transposed.
  void* work = static_cast<char*>(scratch) + image_bytes(s);
  for (int64_t n = 0; n < s.batch; ++n) {
    if (leaves_gaps(s)) clear(s, scratch, image);
    all_phases(moved(s, dy, n * out_image(s).batch), scratch, work);
    Move turn;
    turn.add(s.in_channels, 1, in_positions(s.window));
    turn.add(in_positions(s.window), s.in_channels, 1);
    move(turn, scratch, moved(s, dx, n * image), dtype_size(s.dtype));
  }
}

void conv_filter_grad(const ConvShape& s, const void* input, const void* dy, void* dfilter,
                      void* scratch) noexcept {
  const int64_t positions = out_positions(s.window);
  if (s.batch == 0 || positions == 0) {
    return clear(s, dfilter, window_size(s.window) * in_group(s) * s.out_channels);
  }
  for (int64_t g = 0; g < s.groups; ++g) {
    const FilterGrad product(s, input, dy, g);
    packed_gemm({.dtype = s.dtype,
                 .size = filter_grad_size(s),
                 .a = product.a(),
                 .b = product.b(),
                 .c = moved(s, dfilter, g * out_group(s)),
                 .c_stride = s.out_channels},
                scratch);
  }
}

}  // namespace penstock::kernels
