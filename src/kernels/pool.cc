#include "kernels/pool.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

constexpr int64_t kThreadWork = 1 << 15;  // elements of windows a thread should have at least
constexpr int64_t kChannels = 16;  // worked on together, so that their sums stay in registers

// The type that values are compared and added in.
template <typename T>
using Wide =
    std::conditional_t<std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>, float, T>;

// What every value is at least as large as.
template <typename T>
constexpr T least() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

// Input positions [begin, end) that output position `out` looks at.
struct Span {
  int64_t begin, end;
};
Span span_of(const WindowAxis& axis, int64_t out) {
  const int64_t begin = out * axis.stride - axis.pad;
  return {std::max<int64_t>(begin, 0), std::min(begin + axis.size, axis.in)};
}

// Splits units of `each` windows over the threads.
template <typename Body>
void split(const PoolShape& s, int64_t units, int64_t windows_each, const Body& body) {
  const int64_t work = windows_each * std::min(s.h.size, s.h.in) * std::min(s.w.size, s.w.in);
  parallel_for(units, std::max<int64_t>(1, kThreadWork / std::max<int64_t>(work, 1)), body);
}

ImageStrides in_strides(const PoolShape& s) {
  return image_strides(s.channels_first, s.h.in, s.w.in, s.channels);
}
ImageStrides out_strides(const PoolShape& s) {
  return image_strides(s.channels_first, s.h.out, s.w.out, s.channels);
}

// Calls body(window rows, window columns, offset of the image in x, offset of the output position)
// for every window, on all threads by rows of the output; offsets are those of channel 0.
template <typename Body>
void for_windows(const PoolShape& s, const Body& body) {
  const ImageStrides from = in_strides(s), to = out_strides(s);
  split(s, s.batch * s.h.out, s.w.out * s.channels, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t n = unit / s.h.out, row = unit % s.h.out;
      const Span rows = span_of(s.h, row);
      for (int64_t col = 0; col < s.w.out; ++col) {
        body(rows, span_of(s.w, col), n * from.batch, n * to.batch + row * to.row + col * to.col);
      }
    }
  });
}

template <typename T>
void max_of(const PoolShape& s, const T* x, T* y) {
  const ImageStrides from = in_strides(s), to = out_strides(s);
  for_windows(s, [&](Span rows, Span cols, int64_t image, int64_t out) {
    for (int64_t c0 = 0; c0 < s.channels; c0 += kChannels) {
      const int64_t channels = std::min(kChannels, s.channels - c0);
      const T* first = x + image + c0 * from.channel;
      Wide<T> most[kChannels];
      std::fill_n(most, kChannels, least<Wide<T>>());
      for (int64_t h = rows.begin; h < rows.end; ++h) {
        for (int64_t w = cols.begin; w < cols.end; ++w) {
          const T* at = first + h * from.row + w * from.col;
          for (int64_t c = 0; c < channels; ++c) {
            const Wide<T> value(at[c * from.channel]);
            // The second comparison is for NaN, which compares with nothing.
            most[c] = (value > most[c]) | (value != value) ? value : most[c];
          }
        }
      }
      T* result = y + out + c0 * to.channel;
      for (int64_t c = 0; c < channels; ++c) result[c * to.channel] = T(most[c]);
    }
  });
}

template <typename T>
void mean_of(const PoolShape& s, const T* x, T* y) {
  const ImageStrides from = in_strides(s), to = out_strides(s);
  for_windows(s, [&](Span rows, Span cols, int64_t image, int64_t out) {
    const auto count = static_cast<Wide<T>>((rows.end - rows.begin) * (cols.end - cols.begin));
    for (int64_t c0 = 0; c0 < s.channels; c0 += kChannels) {
      const int64_t channels = std::min(kChannels, s.channels - c0);
      Wide<T> sums[kChannels] = {};
      for (int64_t h = rows.begin; h < rows.end; ++h) {
        for (int64_t w = cols.begin; w < cols.end; ++w) {
          const T* at = x + image + h * from.row + w * from.col + c0 * from.channel;
          for (int64_t c = 0; c < channels; ++c) sums[c] += Wide<T>(at[c * from.channel]);
        }
      }
      T* mean = y + out + c0 * to.channel;
      for (int64_t c = 0; c < channels; ++c) mean[c * to.channel] = T(sums[c] / count);
    }
  });
}

// Calls body(image, first channel, end channel) for every block of channels of every image: windows
// that overlap stay on one thread.
template <typename Body>
void for_channels(const PoolShape& s, const Body& body) {
  const int64_t blocks = (s.channels + kChannels - 1) / kChannels;
  split(s, s.batch * blocks, s.h.out * s.w.out * kChannels, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t first = unit % blocks * kChannels;
      body(unit / blocks, first, std::min(first + kChannels, s.channels));
    }
  });
}

// The offset of the first element of a window that equals `most`, or -1.
template <typename T>
int64_t find(const T* x, const ImageStrides& strides, Span rows, Span cols, T most) {
  const Wide<T> wanted(most);
  for (int64_t h = rows.begin; h < rows.end; ++h) {
    for (int64_t w = cols.begin; w < cols.end; ++w) {
      const int64_t at = h * strides.row + w * strides.col;
      const Wide<T> value(x[at]);
      if (value == wanted || (value != value && wanted != wanted)) return at;
    }
  }
  return -1;
}

template <typename T>
void max_grad(const PoolShape& s, const T* x, const T* y, const T* dy, T* dx) {
  const ImageStrides from = in_strides(s), to = out_strides(s);
  for_channels(s, [&](int64_t n, int64_t first, int64_t end) {
    const int64_t in = n * from.batch, out = n * to.batch;
    for (int64_t i = 0; i < s.h.in * s.w.in; ++i) {
      T* at = dx + in + i * from.col;
      for (int64_t c = first; c < end; ++c) at[c * from.channel] = T(0.0f);
    }
    for (int64_t i = 0; i < s.h.out * s.w.out; ++i) {
      const Span rows = span_of(s.h, i / s.w.out), cols = span_of(s.w, i % s.w.out);
      for (int64_t c = first; c < end; ++c) {
        const int64_t image = in + c * from.channel;
        const int64_t at = out + i * to.col + c * to.channel;
        const int64_t most = find(x + image, from, rows, cols, y[at]);
        if (most >= 0) dx[image + most] = T(Wide<T>(dx[image + most]) + Wide<T>(dy[at]));
      }
    }
  });
}

// Output positions [begin, end) that look at input position `in`.
Span lookers(const WindowAxis& axis, int64_t in) {
  const int64_t last = in + axis.pad;
  const int64_t first = last - axis.size;  // the last one that does not reach it
  return {first < 0 ? 0 : first / axis.stride + 1, std::min(last / axis.stride + 1, axis.out)};
}

// One element of dx, for a block of channels: `dy` and `dx` point to the first of them.
template <typename T>
void mean_grad_at(const PoolShape& s, const T* dy, const ImageStrides& from, int64_t channels,
                  Span rows, Span cols, T* dx, int64_t dx_stride) {
  Wide<T> sums[kChannels] = {};
  for (int64_t h = rows.begin; h < rows.end; ++h) {
    const Span seen_rows = span_of(s.h, h);
    for (int64_t w = cols.begin; w < cols.end; ++w) {
      const Span seen = span_of(s.w, w);
      const auto count =
          static_cast<Wide<T>>((seen_rows.end - seen_rows.begin) * (seen.end - seen.begin));
      const T* at = dy + h * from.row + w * from.col;
      for (int64_t c = 0; c < channels; ++c) sums[c] += Wide<T>(at[c * from.channel]) / count;
    }
  }
  for (int64_t c = 0; c < channels; ++c) dx[c * dx_stride] = T(sums[c]);
}

template <typename T>
void mean_grad(const PoolShape& s, const T* dy, T* dx) {
  const ImageStrides from = out_strides(s), to = in_strides(s);
  for_channels(s, [&](int64_t n, int64_t first, int64_t end) {
    for (int64_t i = 0; i < s.h.in * s.w.in; ++i) {
      mean_grad_at(s, dy + n * from.batch + first * from.channel, from, end - first,
                   lookers(s.h, i / s.w.in), lookers(s.w, i % s.w.in),
                   dx + n * to.batch + i * to.col + first * to.channel, to.channel);
    }
  });
}

template <typename T>
const T* as(const void* data) {
  return static_cast<const T*>(data);
}
template <typename T>
T* as(void* data) {
  return static_cast<T*>(data);
}

}  // namespace

void max_pool(const PoolShape& s, const void* x, void* y) noexcept {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return max_of(s, as<T>(x), as<T>(y));
  switch (s.dtype) {
    PEN_FOR_EACH_REAL(PEN_CASE)
    default:
      return;
  }
#undef PEN_CASE
}

void max_pool_grad(const PoolShape& s, const void* x, const void* y, const void* dy,
                   void* dx) noexcept {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return max_grad(s, as<T>(x), as<T>(y), as<T>(dy), as<T>(dx));
  switch (s.dtype) {
    PEN_FOR_EACH_REAL_FLOAT(PEN_CASE)
    default:
      return;
  }
#undef PEN_CASE
}

void avg_pool(const PoolShape& s, const void* x, void* y) noexcept {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return mean_of(s, as<T>(x), as<T>(y));
  switch (s.dtype) {
    PEN_FOR_EACH_REAL_FLOAT(PEN_CASE)
    default:
      return;
  }
#undef PEN_CASE
}

void avg_pool_grad(const PoolShape& s, const void* dy, void* dx) noexcept {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return mean_grad(s, as<T>(dy), as<T>(dx));
  switch (s.dtype) {
    PEN_FOR_EACH_REAL_FLOAT(PEN_CASE)
    default:
      return;
  }
#undef PEN_CASE
}

}  // namespace penstock::kernels
