#include "ops/window.h"

#include <algorithm>

namespace penstock {
namespace {

// Larger values are useless, and no sum or product of two such numbers overflows.
constexpr int64_t kMaxSetting = int64_t{1} << 31;

bool is_setting(int64_t value, int64_t least) { return value >= least && value < kMaxSetting; }

// Sets axis.out and axis.pad.
const char* slide(std::string_view padding, int64_t before, int64_t after,
                  kernels::WindowAxis* axis) {
  if (!is_setting(axis->size, 1)) return "the window must have a size of at least 1";
  if (axis->in > kMaxSetting) return "the image is too large";
  const int64_t reach = (axis->size - 1) * axis->dilation + 1;
  if (padding == "SAME") {
    axis->out = axis->in / axis->stride + (axis->in % axis->stride != 0);
    if (axis->out > 0) {
      axis->pad = std::max<int64_t>(0, (axis->out - 1) * axis->stride + reach - axis->in) / 2;
    }
    return nullptr;
  }
  axis->out = (axis->in + before + after - reach + axis->stride) / axis->stride;
  if (axis->out < 0) return "Computed output size would be negative";
  axis->pad = before;
  return nullptr;
}

// One number for every axis of the images, those of the batch and the channels being 1.
const char* check_list(std::span<const int64_t> list, const ImageAxes& axes, const char* length,
                       const char* sign, const char* depth) {
  if (list.size() != static_cast<size_t>(axes.rank())) return length;
  for (int64_t item : list) {
    if (!is_setting(item, 1)) return sign;
  }
  return list[0] != 1 || list[static_cast<size_t>(axes.channel())] != 1 ? depth : nullptr;
}

const char* check_paddings(const WindowAttrs& attrs, const ImageAxes& axes) {
  const std::span<const int64_t> pads = attrs.explicit_paddings;
  if (attrs.padding == "SAME" || attrs.padding == "VALID")
    return pads.empty() ? nullptr : "explicit_paddings go with padding EXPLICIT only";
  if (attrs.padding != "EXPLICIT") return "padding must be SAME, VALID or EXPLICIT";
  if (pads.size() != 2 * static_cast<size_t>(axes.rank()))
    return "explicit_paddings must be two numbers for every dimension";
  for (int64_t pad : pads) {
    if (!is_setting(pad, 0)) return "explicit_paddings must be 32-bit numbers of at least 0";
  }
  const auto c = 2 * static_cast<size_t>(axes.channel());
  if (pads[0] != 0 || pads[1] != 0 || pads[c] != 0 || pads[c + 1] != 0)
    return "explicit_paddings of the batch and the channels must be 0";
  return nullptr;
}

const char* check_attrs(const WindowAttrs& attrs, const ImageAxes& axes) {
  if (const char* problem =
          check_list(attrs.strides, axes, "strides must be a number for every dimension",
                     "strides must be positive 32-bit numbers",
                     "strides over the batch and the channels must be 1"))
    return problem;
  if (is_given(attrs.dilations)) {
    if (const char* problem =
            check_list(attrs.dilations, axes, "dilations must be a number for every dimension",
                       "dilations must be positive 32-bit numbers",
                       "dilations of the batch and the channels must be 1"))
      return problem;
  }
  return check_paddings(attrs, axes);
}

}  // namespace

Shape ImageAxes::output(int64_t batch, const kernels::Window& window, int64_t channels) const {
  Shape shape{batch};
  if (channels_first) shape.append(channels);
  for (int i = 3 - spatial; i < 3; ++i) shape.append(window[static_cast<size_t>(i)].out);
  if (!channels_first) shape.append(channels);
  return shape;
}

const char* image_axes(std::string_view data_format, int spatial, ImageAxes* axes) {
  const bool three = spatial == 3;
  *axes = {spatial, data_format == (three ? "NCDHW" : "NCHW")};
  if (axes->channels_first || data_format == (three ? "NDHWC" : "NHWC")) return nullptr;
  return three ? "data_format must be NDHWC or NCDHW" : "data_format must be NHWC or NCHW";
}

const char* slide_window(const WindowAttrs& attrs, const ImageAxes& axes, const Shape& input,
                         std::span<const int64_t> sizes, kernels::Window* window) {
  if (const char* problem = check_attrs(attrs, axes)) return problem;
  *window = {};
  const bool given = attrs.padding == "EXPLICIT";
  for (int i = 3 - axes.spatial; i < 3; ++i) {
    const auto k = static_cast<size_t>(axes.axis(i));
    kernels::WindowAxis& axis = (*window)[static_cast<size_t>(i)];
    axis = {.in = input[axes.axis(i)],
            .size = sizes[static_cast<size_t>(i - (3 - axes.spatial))],
            .stride = attrs.strides[k],
            .dilation = is_given(attrs.dilations) ? attrs.dilations[k] : 1};
    if (const char* problem = slide(attrs.padding, given ? attrs.explicit_paddings[2 * k] : 0,
                                    given ? attrs.explicit_paddings[2 * k + 1] : 0, &axis))
      return problem;
  }
  return nullptr;
}

IntVector full_list(const InferContext& ctx, std::string_view what, std::span<const int64_t> list,
                    const ImageAxes& axes) {
  const auto spatial = static_cast<size_t>(axes.spatial), rank = spatial + 2;
  IntVector full;
  if (!is_given(list)) {
    for (size_t i = 0; i < rank; ++i) full.push_back(1);
    return full;
  }
  if (list.size() != 1 && list.size() != spatial && list.size() != rank) {
    ctx.fail(what, " should be of length 1, ", spatial, " or ", rank, " but was ", list.size());
  }
  if (list.size() == rank) {
    for (int64_t item : list) full.push_back(item);
    return full;
  }
  for (size_t i = 0; i < rank; ++i) full.push_back(1);
  for (size_t i = 0; i < spatial; ++i) {
    full[i + (axes.channels_first ? 2 : 1)] = list[list.size() == 1 ? 0 : i];
  }
  return full;
}

Shape sized_image(Shape image, const ImageAxes& axes, int64_t channels) {
  constexpr int64_t kLarge = 1 << 12;
  for (int i = 0; i < image.rank(); ++i) {
    if (image[i] == kUnknownDim) image.set(i, i == axes.channel() ? channels : kLarge);
  }
  return image;
}

Shape without_sizes(Shape result, const Shape& image, const ImageAxes& axes) {
  for (int i = 0; i < image.rank(); ++i) {
    if (image[i] == kUnknownDim && i != axes.channel()) result.set(i, kUnknownDim);
  }
  return result;
}

}  // namespace penstock
