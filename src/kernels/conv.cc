#include "kernels/conv.h"

#include <cstring>

#include "kernels/gemm_packed.h"
#include "kernels/patches.h"

namespace penstock::kernels {
namespace {

// A pointer moved on by elements of the convolution's dtype.
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
int64_t window(const ConvShape& s) { return s.h.size * s.w.size; }
int64_t in_pixels(const ConvShape& s) { return s.h.in * s.w.in; }
int64_t out_pixels(const ConvShape& s) { return s.h.out * s.w.out; }
ImageStrides in_strides(const ConvShape& s) {
  return image_strides(s.channels_first, s.h.in, s.w.in, s.in_channels);
}
ImageStrides out_strides(const ConvShape& s) {
  return image_strides(s.channels_first, s.h.out, s.w.out, s.out_channels);
}

// With channels last all images' pixels are the rows of one product; with channels first the pixels
// of each image are the columns of one.
GemmSize image_product(const ConvShape& s, int64_t pixels, int64_t channels, int64_t k) {
  if (s.channels_first) return {channels, pixels, k};
  return {s.batch * pixels, channels, k};
}
GemmSize forward_size(const ConvShape& s) {
  return image_product(s, out_pixels(s), out_group(s), window(s) * in_group(s));
}
GemmSize input_grad_size(const ConvShape& s) {
  return image_product(s, in_pixels(s), in_group(s), window(s) * out_group(s));
}
GemmSize filter_grad_size(const ConvShape& s) {
  return {window(s) * in_group(s), out_group(s), s.batch * out_pixels(s)};
}

// The products of patches with `filter` that make up an image of one group; `to` are the strides of
// the result.
void multiply_patches(const ConvShape& s, const GemmSize& size, Patches patches,
                      const PackedMatrix& filter, void* result, const ImageStrides& to,
                      void* scratch) {
  const PackSource right = pack_source(s.dtype, filter);
  if (!s.channels_first) {
    return packed_gemm(s.dtype, size, patch_rows(s.dtype, patches), right, result, to.col, scratch);
  }
  const void* images = patches.image;
  for (int64_t n = 0; n < s.batch; ++n) {
    patches.image = moved(s, images, n * patches.strides.batch);
    packed_gemm(s.dtype, size, right, patch_rows(s.dtype, patches), moved(s, result, n * to.batch),
                to.channel, scratch);
  }
}

}  // namespace

int64_t conv_scratch_bytes(const ConvShape& s) {
  return packed_gemm_scratch_bytes(s.dtype, forward_size(s));
}
int64_t conv_input_grad_scratch_bytes(const ConvShape& s) {
  return packed_gemm_scratch_bytes(s.dtype, input_grad_size(s));
}
int64_t conv_filter_grad_scratch_bytes(const ConvShape& s) {
  return packed_gemm_scratch_bytes(s.dtype, filter_grad_size(s));
}

void conv(const ConvShape& s, const void* input, const void* filter, void* output,
          void* scratch) noexcept {
  const ImageStrides from = in_strides(s), to = out_strides(s);
  for (int64_t g = 0; g < s.groups; ++g) {
    const void* image = moved(s, input, g * in_group(s) * from.channel);
    const PackedMatrix weights{moved(s, filter, g * out_group(s)), 1, s.out_channels};
    multiply_patches(s, forward_size(s), {image, from, in_group(s), s.h, s.w}, weights,
                     moved(s, output, g * out_group(s) * to.channel), to, scratch);
  }
}

void conv_input_grad(const ConvShape& s, const void* filter, const void* dy, void* dx,
                     void* scratch) noexcept {
  if (s.out_channels == 0 || out_pixels(s) == 0) {
    return clear(s, dx, s.batch * in_pixels(s) * s.in_channels);
  }
  const ImageStrides from = out_strides(s), to = in_strides(s);
  for (int64_t g = 0; g < s.groups; ++g) {
    const void* image = moved(s, dy, g * out_group(s) * from.channel);
    const PackedMatrix weights{moved(s, filter, g * out_group(s)), s.out_channels, 1, out_group(s),
                               in_group(s) * s.out_channels};
    multiply_patches(s, input_grad_size(s), {image, from, out_group(s), s.h, s.w, true}, weights,
                     moved(s, dx, g * in_group(s) * to.channel), to, scratch);
  }
}

void conv_filter_grad(const ConvShape& s, const void* input, const void* dy, void* dfilter,
                      void* scratch) noexcept {
  if (s.batch == 0 || out_pixels(s) == 0) {
    return clear(s, dfilter, window(s) * in_group(s) * s.out_channels);
  }
  const ImageStrides from = in_strides(s), to = out_strides(s);
  for (int64_t g = 0; g < s.groups; ++g) {
    const Patches patches{moved(s, input, g * in_group(s) * from.channel), from, in_group(s), s.h,
                          s.w};
    const PackedMatrix grads{moved(s, dy, g * out_group(s) * to.channel), to.channel, to.col,
                             out_pixels(s), to.batch};
    packed_gemm(s.dtype, filter_grad_size(s), patch_cols(s.dtype, patches),
                pack_source(s.dtype, grads), moved(s, dfilter, g * out_group(s)), s.out_channels,
                scratch);
  }
}

}  // namespace penstock::kernels
