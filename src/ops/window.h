// Reads the attributes of convolutions and pooling over one to three axes: strides, padding, data
// format.
//
// These functions return the reason if the arguments are incompatible, and null otherwise, so that
// infer can report it with the shapes and kernels can read the attributes again.
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
  // Spatial axis `i` of three; an image with fewer has the last ones; -1 for the others.
  int axis(int i) const {
    const int k = i - (3 - spatial);
    return k < 0 ? -1 : k + (channels_first ? 2 : 1);
  }
  // The output shape of a window that slides over images.
  Shape output(int64_t batch, const kernels::Window& window, int64_t channels) const;
};
// "NHWC" or "NCHW", with `spatial` 3 "NDHWC" or "NCDHW".
const char* image_axes(std::string_view data_format, int spatial, ImageAxes* axes);

// The sliding window of an op, from its attributes.
struct WindowAttrs {
  std::span<const int64_t> strides;
  std::string_view padding;
  std::span<const int64_t> explicit_paddings;
  std::span<const int64_t> dilations = kNotGiven;  // default: all 1
};
// Fills in the window, whose spatial sizes are given.
const char* slide_window(const WindowAttrs& attrs, const ImageAxes& axes, const Shape& input,
                         std::span<const int64_t> sizes, kernels::Window* window);

// The image with unknown dimensions replaced: `channels`, and a size that windows fit into.
Shape sized_image(Shape image, const ImageAxes& axes, int64_t channels);
// The known part of the result of a window over a sized image: a batch or axis of unknown size
// stays unknown.
Shape without_sizes(Shape result, const Shape& image, const ImageAxes& axes);

// One number per dimension of an image, from a list of one, of one per `spatial` axis, or of all:
// the strides, dilations and sizes of TensorFlow's public functions. Throws InvalidArgumentError;
// an absent list means 1.
IntVector full_list(const InferContext& ctx, std::string_view what, std::span<const int64_t> list,
                    const ImageAxes& axes);
inline IntList as_list(const IntVector& list) { return std::span<const int64_t>(list); }

}  // namespace penstock
