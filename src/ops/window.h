// Reads the attributes of convolutions and pooling: strides, padding, data format.
//
// These functions give the reason when the arguments do not go together, and null when they do, so
// that infer can refuse them with the shapes and kernels can read them again.
#pragma once

#include <span>
#include <string_view>

#include <penstock/core/attr.h>
#include <penstock/core/shape.h>

#include "kernels/window.h"

namespace penstock {

// Which axis of an image is which.
struct ImageAxes {
  int h = 1, w = 2, c = 3;
  bool channels_first() const { return c == 1; }
  Shape shape(int64_t batch, int64_t height, int64_t width, int64_t channels) const;
};
// "NHWC" or "NCHW".
const char* image_axes(std::string_view data_format, ImageAxes* axes);

// What slides over an image, as an op's attributes give it.
struct WindowAttrs {
  std::span<const int64_t> strides;
  std::string_view padding;
  std::span<const int64_t> explicit_paddings;
  std::span<const int64_t> dilations;  // empty: all 1
};
// Fills in both axes for a window of `height` × `width` over an image of shape `input`.
const char* image_window(const WindowAttrs& attrs, const ImageAxes& axes, const Shape& input,
                         int64_t height, int64_t width, kernels::WindowAxis* h,
                         kernels::WindowAxis* w);

}  // namespace penstock
