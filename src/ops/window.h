// Reads the attributes of convolutions and pooling over one to three axes: strides, padding, data
// format.
//
// These functions give the reason when the arguments do not go together, and null when they do, so
// that infer can refuse them with the shapes and kernels can read them again.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include <penstock/core/attr.h>
#include <penstock/core/shape.h>
#include <penstock/ops/context.h>
#include <penstock/ops/operand.h>

#include "kernels/window.h"

namespace penstock {

// The axes of images: [batch, spatial..., channels] or [batch, channels, spatial...].
struct ImageAxes {
  int spatial = 2;
  bool channels_first = false;

  int rank() const { return spatial + 2; }
  int channel() const { return channels_first ? 1 : rank() - 1; }
  // Spatial axis `i` of three, of which an image with fewer has the last ones; -1 for the others.
  int axis(int i) const {
    const int k = i - (3 - spatial);
    return k < 0 ? -1 : k + (channels_first ? 2 : 1);
  }
  // The shape of images that a window has been slid over.
  Shape output(int64_t batch, const kernels::Window& window, int64_t channels) const;
};
// "NHWC" or "NCHW", with `spatial` 3 "NDHWC" or "NCDHW".
const char* image_axes(std::string_view data_format, int spatial, ImageAxes* axes);

// What slides over an image, as an op's attributes give it.
struct WindowAttrs {
  std::span<const int64_t> strides;
  std::string_view padding;
  std::span<const int64_t> explicit_paddings;
  std::span<const int64_t> dilations = kNotGiven;  // that is: all 1
};
// Fills in the window, whose sizes along the spatial axes are given.
const char* slide_window(const WindowAttrs& attrs, const ImageAxes& axes, const Shape& input,
                         std::span<const int64_t> sizes, kernels::Window* window);

// The image with sizes in the place of unknown dimensions: `channels`, and one that windows fit
// into.
Shape sized_image(Shape image, const ImageAxes& axes, int64_t channels);
// What is known of the result of a window that was slid over a sized image: a batch or an axis
// whose size is not known has none in the result.
Shape without_sizes(Shape result, const Shape& image, const ImageAxes& axes);

// A number for each of an image's dimensions, from a list of one, of one for each of `spatial`
// axes, or of all: what TensorFlow's public functions take as strides, dilations and sizes. Throws
// InvalidArgumentError; a list that was not given stands for 1.
IntVector full_list(const InferContext& ctx, std::string_view what, std::span<const int64_t> list,
                    const ImageAxes& axes);
inline IntList as_list(const IntVector& list) { return std::span<const int64_t>(list); }

}  // namespace penstock
