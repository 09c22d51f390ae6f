#include "kernels/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <penstock/base/threads.h>

#include "kernels/widen.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kMaxParts = 16;

// In float, as in TensorFlow, so that the same pixels are selected.
float scale_of(const Resize& r, const ResizeAxis& axis) {
  if (r.align_corners && axis.out > 1)
    return static_cast<float>(axis.in - 1) / static_cast<float>(axis.out - 1);
  return static_cast<float>(axis.in) / static_cast<float>(axis.out);
}

int64_t num_taps(const Resize& r, const ResizeAxis& axis) {
  switch (r.method) {
    case Resampling::kNearest:
      return 1;
    case Resampling::kBilinear:
      return 2;
    case Resampling::kBicubic:
      return 4;
    default:
      return static_cast<int64_t>(std::ceil(scale_of(r, axis))) + 2;
  }
}

int64_t bounded(double index, int64_t size) {
  return static_cast<int64_t>(std::clamp(index, 0.0, static_cast<double>(size - 1)));
}

float position(const Resize& r, float scale, int64_t i) {
  const float at = static_cast<float>(i);
  return r.half_pixel_centers ? (at + 0.5f) * scale - 0.5f : at * scale;
}

void nearest_taps(const Resize& r, const ResizeAxis& axis, const Taps& taps) {
  const float scale = scale_of(r, axis);
  for (int64_t i = 0; i < axis.out; ++i) {
    const float at = static_cast<float>(i);
    const float place = r.half_pixel_centers ? (at + 0.5f) * scale : at * scale;
    const float index = r.align_corners ? std::round(place) : std::floor(place);
    taps.indices[i] = bounded(static_cast<double>(index), axis.in);
    taps.weights[i] = 1;
  }
}

void bilinear_taps(const Resize& r, const ResizeAxis& axis, const Taps& taps) {
  const float scale = scale_of(r, axis);
  for (int64_t i = 0; i < axis.out; ++i) {
    const float place = position(r, scale, i);
    const float low = std::floor(place);
    taps.indices[2 * i] = bounded(static_cast<double>(low), axis.in);
    taps.indices[2 * i + 1] = bounded(static_cast<double>(std::ceil(place)), axis.in);
    taps.weights[2 * i + 1] = place - low;
    taps.weights[2 * i] = 1 - (place - low);
  }
}

// The cubic convolution kernel at the distances x and 1 + x, with x in steps of 1 / 1024.
float near_weight(double a, float x) {
  return static_cast<float>(((a + 2) * static_cast<double>(x) - (a + 3)) * static_cast<double>(x) *
                                static_cast<double>(x) +
                            1);
}
float far_weight(double a, float x) {
  const double y = static_cast<double>(x) + 1;
  return static_cast<float>(((a * y - 5 * a) * y + 8 * a) * y - 4 * a);
}

// With half-pixel centres a = -0.5, and pixels outside of the image have no weight. The older way
// has a = -0.75 and repeats the border.
void bicubic_taps(const Resize& r, const ResizeAxis& axis, const Taps& taps) {
  constexpr float kSteps = 1024;
  const double a = r.half_pixel_centers ? -0.5 : -0.75;
  const float scale = scale_of(r, axis);
  for (int64_t i = 0; i < axis.out; ++i) {
    const float place = position(r, scale, i);
    const float low = std::floor(place);
    const float x = std::nearbyint((place - low) * kSteps) / kSteps;
    float weights[4] = {far_weight(a, x), near_weight(a, x), near_weight(a, 1 - x),
                        far_weight(a, 1 - x)};
    float sum = 0;
    for (int64_t k = 0; k < 4; ++k) {
      const double index = static_cast<double>(low) + static_cast<double>(k - 1);
      const int64_t at = bounded(index, axis.in);
      taps.indices[4 * i + k] = at;
      if (r.half_pixel_centers && static_cast<double>(at) != index) weights[k] = 0;
      sum += weights[k];
    }
    const bool scales =
        r.half_pixel_centers && std::abs(sum) >= 1000 * std::numeric_limits<float>::min();
    for (int64_t k = 0; k < 4; ++k) {
      taps.weights[4 * i + k] = scales ? weights[k] / sum : weights[k];
    }
  }
}

// The share of each input that lies below the output's pixel.
void area_taps(const Resize& r, const ResizeAxis& axis, const Taps& taps) {
  const float scale = scale_of(r, axis);
  for (int64_t i = 0; i < axis.out; ++i) {
    const float begin = static_cast<float>(i) * scale;
    const float end = static_cast<float>(i + 1) * scale;
    const float first = std::floor(begin);
    for (int64_t k = 0; k < taps.taps; ++k) {
      const float at = first + static_cast<float>(k);
      const float share = std::min(at + 1, end) - std::max(at, begin);
      taps.indices[i * taps.taps + k] = bounded(static_cast<double>(at), axis.in);
      taps.weights[i * taps.taps + k] = std::max(0.0f, share) / scale;
    }
  }
}

void fill_taps(const Resize& r, const ResizeAxis& axis, const Taps& taps) {
  switch (r.method) {
    case Resampling::kNearest:
      return nearest_taps(r, axis, taps);
    case Resampling::kBilinear:
      return bilinear_taps(r, axis, taps);
    case Resampling::kBicubic:
      return bicubic_taps(r, axis, taps);
    default:
      return area_taps(r, axis, taps);
  }
}

// The scratch: both tables, then a row for each part.
struct Plan {
  Taps h, w;
  char* rows;

  static int64_t tables(const Resize& r) {
    const int64_t count = num_taps(r, r.h) * r.h.out + num_taps(r, r.w) * r.w.out;
    return (count * 12 + 15) / 8 * 8;
  }
  Plan(const Resize& r, void* scratch) {
    h.taps = num_taps(r, r.h);
    w.taps = num_taps(r, r.w);
    h.indices = static_cast<int64_t*>(scratch);
    w.indices = h.indices + h.taps * r.h.out;
    h.weights = reinterpret_cast<float*>(w.indices + w.taps * r.w.out);
    w.weights = h.weights + h.taps * r.h.out;
    rows = static_cast<char*>(scratch) + tables(r);
    fill_taps(r, r.h, h);
    fill_taps(r, r.w, w);
  }
};

int64_t num_parts(int64_t rows) { return std::min(rows, kMaxParts); }

template <typename T>
void add_weighted(const T* from, float weight, int64_t n, float* to) {
  for (int64_t i = 0; i < n; ++i) to[i] += weight * static_cast<float>(from[i]);
}

// First the rows, then the columns.
template <typename T>
void resize_rows(const Resize& r, const T* images, float* out, void* scratch) {
  const Plan plan(r, scratch);
  const int64_t width = r.w.in * r.channels, out_width = r.w.out * r.channels;
  const int64_t rows = r.batch * r.h.out, parts = num_parts(rows);
  parallel_for(parts, 1, [&](int64_t part, int64_t last) {
    float* row = reinterpret_cast<float*>(plan.rows) + part * width;
    for (int64_t y = rows * part / parts; y < rows * last / parts; ++y) {
      const T* image = images + y / r.h.out * r.h.in * width;
      std::fill_n(row, width, 0.0f);
      for (int64_t k = y % r.h.out * plan.h.taps; k < (y % r.h.out + 1) * plan.h.taps; ++k) {
        if (plan.h.weights[k] == 0) continue;
        add_weighted(image + plan.h.indices[k] * width, plan.h.weights[k], width, row);
      }
      std::fill_n(out + y * out_width, out_width, 0.0f);
      for (int64_t k = 0; k < r.w.out * plan.w.taps; ++k) {
        if (plan.w.weights[k] == 0) continue;
        add_weighted(row + plan.w.indices[k] * r.channels, plan.w.weights[k], r.channels,
                     out + y * out_width + k / plan.w.taps * r.channels);
      }
    }
  });
}

void copy_nearest(const Resize& r, const View& images, const View& out, void* scratch) {
  const Plan plan(r, scratch);
  const size_t bytes = static_cast<size_t>(r.channels) * dtype_size(images.dtype);
  const char* from = images.as<char>();
  char* to = out.as<char>();
  const int64_t grain = std::max<int64_t>(1, (1 << 13) / (r.w.out * r.channels));
  parallel_for(r.batch * r.h.out, grain, [&](int64_t y, int64_t last) {
    for (; y < last; ++y) {
      const int64_t row = y / r.h.out * r.h.in + plan.h.indices[y % r.h.out];
      for (int64_t x = 0; x < r.w.out; ++x) {
        std::memcpy(to + static_cast<size_t>(y * r.w.out + x) * bytes,
                    from + static_cast<size_t>(row * r.w.in + plan.w.indices[x]) * bytes, bytes);
      }
    }
  });
}

template <typename S, typename G>
void add_grad(const G* from, S weight, int64_t n, S* to) {
  for (int64_t i = 0; i < n; ++i) to[i] += weight * static_cast<S>(from[i]);
}

// Columns, then rows, image by image. S is float or double; `sums` has the images' size.
template <typename G, typename S>
void add_grads(const Resize& r, const G* grads, S* sums, void* scratch) {
  const Plan plan(r, scratch);
  const int64_t width = r.w.in * r.channels, out_width = r.w.out * r.channels;
  const int64_t parts = num_parts(r.batch);
  std::fill_n(sums, r.batch * r.h.in * width, S(0));
  parallel_for(parts, 1, [&](int64_t part, int64_t last) {
    S* row = reinterpret_cast<S*>(plan.rows) + part * width;
    for (int64_t y = r.batch * part / parts * r.h.out; y < r.batch * last / parts * r.h.out; ++y) {
      std::fill_n(row, width, S(0));
      for (int64_t k = 0; k < r.w.out * plan.w.taps; ++k) {
        add_grad(grads + y * out_width + k / plan.w.taps * r.channels, S(plan.w.weights[k]),
                 r.channels, row + plan.w.indices[k] * r.channels);
      }
      S* image = sums + y / r.h.out * r.h.in * width;
      for (int64_t k = y % r.h.out * plan.h.taps; k < (y % r.h.out + 1) * plan.h.taps; ++k) {
        add_grad(row, S(plan.h.weights[k]), width, image + plan.h.indices[k] * width);
      }
    }
  });
}

// Half types are added up in float, in scratch behind the rows.
template <typename G, typename T>
void grad_of(const Resize& r, const G* grads, T* out, void* scratch) {
  using S = Plain<T>;
  if constexpr (kIsHalf<T>) {
    const int64_t width = r.w.in * r.channels;
    char* after = static_cast<char*>(scratch) + Plan::tables(r) +
                  kMaxParts * width * static_cast<int64_t>(sizeof(double));
    S* sums = reinterpret_cast<S*>(after);
    add_grads(r, grads, sums, scratch);
    for (int64_t i = 0; i < r.batch * r.h.in * width; ++i) out[i] = narrow<T>(sums[i]);
  } else {
    add_grads(r, grads, out, scratch);
  }
}

}  // namespace

int64_t resize_scratch(const Resize& r, DType dtype) {
  const int64_t width = r.w.in * r.channels;
  const int64_t sums = kHalfTypes.has(dtype) ? r.batch * r.h.in * width * 4 : 0;
  return Plan::tables(r) + kMaxParts * width * static_cast<int64_t>(sizeof(double)) + sums;
}

void resize(const Resize& r, const View& images, const View& out, void* scratch) {
  if (r.method == Resampling::kNearest) return copy_nearest(r, images, out, scratch);
  switch (images.dtype) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return resize_rows(r, images.as<T>(), out.as<float>(), scratch);
    PEN_FOR_EACH_REAL(PEN_CASE)
#undef PEN_CASE
    default:
      return;
  }
}

void resize_grad(const Resize& r, const View& grads, const View& out, void* scratch) {
  with_float_type(grads.dtype, [&]<typename G>(G*) {
    with_float_type(out.dtype,
                    [&]<typename T>(T*) { grad_of(r, grads.as<G>(), out.as<T>(), scratch); });
  });
}

}  // namespace penstock::kernels
