#include "ops/window.h"

#include <algorithm>

namespace penstock {
namespace {

// Nothing larger is of use, and no sum or product of two such numbers overflows.
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
  const int64_t room = axis->in + before + after - reach + axis->stride;
  if (room < 0) return "the window is larger than the padded image";
  axis->out = room / axis->stride;
  axis->pad = before;
  return nullptr;
}

const char* check_attrs(const WindowAttrs& attrs, const ImageAxes& axes) {
  const auto c = static_cast<size_t>(axes.c);
  if (attrs.strides.size() != 4) return "strides must be a list of 4";
  for (int64_t stride : attrs.strides) {
    if (!is_setting(stride, 1)) return "strides must be positive 32-bit numbers";
  }
  if (attrs.strides[0] != 1 || attrs.strides[c] != 1)
    return "strides over the batch and the channels must be 1";
  if (!attrs.dilations.empty()) {
    if (attrs.dilations.size() != 4) return "dilations must be a list of 4";
    for (int64_t dilation : attrs.dilations) {
      if (!is_setting(dilation, 1)) return "dilations must be positive 32-bit numbers";
    }
    if (attrs.dilations[0] != 1 || attrs.dilations[c] != 1)
      return "dilations of the batch and the channels must be 1";
  }
  if (attrs.padding == "SAME" || attrs.padding == "VALID") {
    return attrs.explicit_paddings.empty() ? nullptr
                                           : "explicit_paddings go with padding EXPLICIT only";
  }
  if (attrs.padding != "EXPLICIT") return "padding must be SAME, VALID or EXPLICIT";
  if (attrs.explicit_paddings.size() != 8) return "explicit_paddings must be a list of 8";
  for (int64_t pad : attrs.explicit_paddings) {
    if (!is_setting(pad, 0)) return "explicit_paddings must be 32-bit numbers of at least 0";
  }
  const auto pads = attrs.explicit_paddings;
  if (pads[0] != 0 || pads[1] != 0 || pads[2 * c] != 0 || pads[2 * c + 1] != 0)
    return "explicit_paddings of the batch and the channels must be 0";
  return nullptr;
}

}  // namespace

Shape ImageAxes::shape(int64_t batch, int64_t height, int64_t width, int64_t channels) const {
  if (channels_first()) return {batch, channels, height, width};
  return {batch, height, width, channels};
}

const char* image_axes(std::string_view data_format, ImageAxes* axes) {
  if (data_format == "NHWC") {
    *axes = {1, 2, 3};
  } else if (data_format == "NCHW") {
    *axes = {2, 3, 1};
  } else {
    return "data_format must be NHWC or NCHW";
  }
  return nullptr;
}

const char* image_window(const WindowAttrs& attrs, const ImageAxes& axes, const Shape& input,
                         int64_t height, int64_t width, kernels::WindowAxis* h,
                         kernels::WindowAxis* w) {
  if (const char* problem = check_attrs(attrs, axes)) return problem;
  const int at[] = {axes.h, axes.w};
  const int64_t sizes[] = {height, width};
  kernels::WindowAxis* const results[] = {h, w};
  for (size_t i = 0; i < 2; ++i) {
    const auto k = static_cast<size_t>(at[i]);
    *results[i] = {.in = input[at[i]],
                   .size = sizes[i],
                   .stride = attrs.strides[k],
                   .dilation = attrs.dilations.empty() ? 1 : attrs.dilations[k]};
    const bool given = attrs.padding == "EXPLICIT";
    if (const char* problem = slide(attrs.padding, given ? attrs.explicit_paddings[2 * k] : 0,
                                    given ? attrs.explicit_paddings[2 * k + 1] : 0, results[i]))
      return problem;
  }
  return nullptr;
}

}  // namespace penstock
