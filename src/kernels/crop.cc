#include "kernels/crop.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <penstock/base/threads.h>

#include "kernels/accumulators.h"

namespace penstock::kernels {
namespace {

// One axis of a box: where output position i lies in the image.
struct Axis {
  float low, high;
  int64_t size, count;

  float last() const { return static_cast<float>(size - 1); }
  float at(int64_t i) const {
    if (count == 1) return 0.5f * (low + high) * last();
    const float step = (high - low) * last() / static_cast<float>(count - 1);
    return low * last() + static_cast<float>(i) * step;
  }
  bool has(float place) const { return place >= 0 && place <= last(); }  // false for NaN
  // A pixel near a position: large sizes are not exact in float.
  int64_t pixel(float index) const { return std::min(static_cast<int64_t>(index), size - 1); }
  // The derivative of the position by the box's two ends.
  float low_slope(int64_t i) const { return last() - high_slope(i); }
  float high_slope(int64_t i) const {
    if (count == 1) return 0.5f * last();
    return static_cast<float>(i) * last() / static_cast<float>(count - 1);
  }
};

// The four pixels around a place, and how far it is from the first.
struct Corners {
  int64_t top, bottom, left, right;
  float y, x;
  Corners(const Axis& y_axis, float in_y, const Axis& x_axis, float in_x)
      : top(y_axis.pixel(std::floor(in_y))),
        bottom(y_axis.pixel(std::ceil(in_y))),
        left(x_axis.pixel(std::floor(in_x))),
        right(x_axis.pixel(std::ceil(in_x))),
        y(in_y - std::floor(in_y)),
        x(in_x - std::floor(in_x)) {}
};

// body(box, row, column, Axis y, Axis x) for every position, boxes in parallel.
template <typename Body>
void for_boxes(const Crop& c, const float* boxes, bool in_parallel, Body body) {
  const int64_t grain = in_parallel ? 1 : c.boxes;
  parallel_for(c.boxes, grain, [&](int64_t b, int64_t last) {
    for (; b < last; ++b) {
      const Axis y{boxes[4 * b], boxes[4 * b + 2], c.height, c.crop_height};
      const Axis x{boxes[4 * b + 1], boxes[4 * b + 3], c.width, c.crop_width};
      for (int64_t i = 0; i < c.crop_height; ++i) {
        for (int64_t j = 0; j < c.crop_width; ++j) body(b, i, j, y, x);
      }
    }
  });
}

int64_t pixel(const Crop& c, int64_t batch, int64_t row, int64_t column) {
  return ((batch * c.height + row) * c.width + column) * c.channels;
}
int64_t place(const Crop& c, int64_t box, int64_t i, int64_t j) {
  return ((box * c.crop_height + i) * c.crop_width + j) * c.channels;
}

template <typename T>
void crop(const Crop& c, const T* image, const float* boxes, const int32_t* box_ind, float* crops) {
  for_boxes(c, boxes, true, [&](int64_t b, int64_t i, int64_t j, const Axis& y, const Axis& x) {
    float* out = crops + place(c, b, i, j);
    const float in_y = y.at(i), in_x = x.at(j);
    if (!y.has(in_y) || !x.has(in_x)) {
      std::fill_n(out, c.channels, c.extrapolation_value);
    } else if (c.nearest) {
      const T* from =
          image + pixel(c, box_ind[b], y.pixel(std::round(in_y)), x.pixel(std::round(in_x)));
      for (int64_t k = 0; k < c.channels; ++k) out[k] = static_cast<float>(from[k]);
    } else {
      const Corners at(y, in_y, x, in_x);
      const T* tl = image + pixel(c, box_ind[b], at.top, at.left);
      const T* tr = image + pixel(c, box_ind[b], at.top, at.right);
      const T* bl = image + pixel(c, box_ind[b], at.bottom, at.left);
      const T* br = image + pixel(c, box_ind[b], at.bottom, at.right);
      for (int64_t k = 0; k < c.channels; ++k) {
        const float left = static_cast<float>(tl[k]), low = static_cast<float>(bl[k]);
        const float top = left + (static_cast<float>(tr[k]) - left) * at.x;
        const float bottom = low + (static_cast<float>(br[k]) - low) * at.x;
        out[k] = top + (bottom - top) * at.y;
      }
    }
  });
}

// Boxes may overlap, so they are processed in turn.
template <typename T>
void grad_image(const Crop& c, const float* grads, const float* boxes, const int32_t* box_ind,
                T* out) {
  std::memset(out, 0, static_cast<size_t>(pixel(c, c.batch, 0, 0)) * sizeof(T));
  for_boxes(c, boxes, false, [&](int64_t b, int64_t i, int64_t j, const Axis& y, const Axis& x) {
    const float in_y = y.at(i), in_x = x.at(j);
    if (!y.has(in_y) || !x.has(in_x)) return;
    const float* dy = grads + place(c, b, i, j);
    const auto add = [&](int64_t row, int64_t column, float weight) {
      T* to = out + pixel(c, box_ind[b], row, column);
      for (int64_t k = 0; k < c.channels; ++k) to[k] += static_cast<T>(weight * dy[k]);
    };
    if (c.nearest) {
      return add(y.pixel(std::round(in_y)), x.pixel(std::round(in_x)), 1);
    }
    const Corners at(y, in_y, x, in_x);
    add(at.top, at.left, (1 - at.y) * (1 - at.x));
    add(at.top, at.right, (1 - at.y) * at.x);
    add(at.bottom, at.left, at.y * (1 - at.x));
    add(at.bottom, at.right, at.y * at.x);
  });
}

template <typename T>
void grad_boxes(const Crop& c, const float* grads, const T* image, const float* boxes,
                const int32_t* box_ind, float* out) {
  std::fill_n(out, 4 * c.boxes, 0.0f);
  for_boxes(c, boxes, true, [&](int64_t b, int64_t i, int64_t j, const Axis& y, const Axis& x) {
    const float in_y = y.at(i), in_x = x.at(j);
    if (!y.has(in_y) || !x.has(in_x)) return;
    const Corners at(y, in_y, x, in_x);
    const T* tl = image + pixel(c, box_ind[b], at.top, at.left);
    const T* tr = image + pixel(c, box_ind[b], at.top, at.right);
    const T* bl = image + pixel(c, box_ind[b], at.bottom, at.left);
    const T* br = image + pixel(c, box_ind[b], at.bottom, at.right);
    const float* dy = grads + place(c, b, i, j);
    float down = 0, across = 0;
    for (int64_t k = 0; k < c.channels; ++k) {
      const float a = static_cast<float>(tl[k]), e = static_cast<float>(tr[k]);
      const float f = static_cast<float>(bl[k]), g = static_cast<float>(br[k]);
      down += dy[k] * ((1 - at.x) * (f - a) + at.x * (g - e));
      across += dy[k] * ((1 - at.y) * (e - a) + at.y * (g - f));
    }
    out[4 * b] += down * y.low_slope(i);
    out[4 * b + 1] += across * x.low_slope(j);
    out[4 * b + 2] += down * y.high_slope(i);
    out[4 * b + 3] += across * x.high_slope(j);
  });
}

// Calls f with a null pointer to the element type of a real dtype.
template <typename F>
void with_real_type(DType dtype, F f) {
  switch (dtype) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return f(static_cast<T*>(nullptr));
    PEN_FOR_EACH_REAL(PEN_CASE)
#undef PEN_CASE
    default:
      return;
  }
}

}  // namespace

void crop_and_resize(const Crop& c, const View& image, const float* boxes, const int32_t* box_ind,
                     float* crops) {
  with_real_type(image.dtype,
                 [&]<typename T>(T*) { crop(c, image.as<T>(), boxes, box_ind, crops); });
}

void crop_grad_image(const Crop& c, const float* grads, const float* boxes, const int32_t* box_ind,
                     const View& out) {
  if (out.dtype == DType::kFloat32) return grad_image(c, grads, boxes, box_ind, out.as<float>());
  grad_image(c, grads, boxes, box_ind, out.as<double>());
}

void crop_grad_boxes(const Crop& c, const float* grads, const View& image, const float* boxes,
                     const int32_t* box_ind, float* out) {
  with_real_type(image.dtype,
                 [&]<typename T>(T*) { grad_boxes(c, grads, image.as<T>(), boxes, box_ind, out); });
}

}  // namespace penstock::kernels
