#include "kernels/pool.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include <penstock/base/threads.h>

#include "kernels/pool_rows.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kThreadWork = 1 << 15;  // elements of windows a thread should have at least
constexpr int64_t kChannels = 64;  // of one thread, where windows that overlap must be on one
constexpr int64_t kMaxSeen = 64;   // elements of a window that are looked at together

using Index = std::array<int64_t, 3>;

// The type in which values are compared and added.
template <typename T>
using Wide =
    std::conditional_t<std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>, float, T>;
template <typename T>
constexpr bool kHasRows = std::is_same_v<T, float> || std::is_same_v<T, double>;

// Input positions [begin, end) that output position `out` looks at.
struct Span {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};
using Box = std::array<Span, 3>;

Span span_of(const WindowAxis& axis, int64_t out) {
  const int64_t begin = out * axis.stride - axis.pad;
  return {std::max<int64_t>(begin, 0), std::min(begin + axis.size, axis.in)};
}
Box box_of(const Window& w, const Index& out) {
  return {span_of(w[0], out[0]), span_of(w[1], out[1]), span_of(w[2], out[2])};
}
int64_t box_size(const Box& box) { return box[0].size() * box[1].size() * box[2].size(); }

// Calls body(position) for all positions of a box, in order.
template <typename Body>
void for_box(const Box& box, const Body& body) {
  for (int64_t i = box[0].begin; i < box[0].end; ++i) {
    for (int64_t j = box[1].begin; j < box[1].end; ++j) {
      for (int64_t k = box[2].begin; k < box[2].end; ++k) body(Index{i, j, k});
    }
  }
}

int64_t offset(const ImageStrides& strides, const Index& at) {
  return at[0] * strides.axes[0] + at[1] * strides.axes[1] + at[2] * strides.axes[2];
}
Index unravel(int64_t i, int64_t size1, int64_t size2) {
  return {i / size2 / size1, i / size2 % size1, i % size2};
}

// Splits units of `windows_each` windows over the threads.
template <typename Body>
void split(const PoolShape& s, int64_t units, int64_t windows_each, const Body& body) {
  int64_t work = windows_each;
  for (const WindowAxis& axis : s.window) work *= std::min(axis.size, axis.in);
  parallel_for(units, std::max<int64_t>(1, kThreadWork / std::max<int64_t>(work, 1)), body);
}

ImageStrides in_image(const PoolShape& s) {
  return in_strides(s.window, s.channels_first, s.channels);
}
ImageStrides out_image(const PoolShape& s) {
  return out_strides(s.window, s.channels_first, s.channels);
}

// Calls body(elements in the window, offset of its image, offset in the output) for every window,
// on all threads by lines of the output; offsets are those of channel 0.
template <typename Body>
void for_windows(const PoolShape& s, const Body& body) {
  const ImageStrides from = in_image(s), to = out_image(s);
  const Window& w = s.window;
  const int64_t lines = w[0].out * w[1].out;
  split(s, s.batch * lines, w[2].out * s.channels, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t n = unit / lines;
      Index out{unit % lines / w[1].out, unit % lines % w[1].out, 0};
      for (; out[2] < w[2].out; ++out[2]) {
        body(box_of(w, out), n * from.batch, n * to.batch + offset(to, out));
      }
    }
  });
}

// Calls body(image, first channel, end channel) for every block of channels of every image.
template <typename Body>
void for_channels(const PoolShape& s, int64_t positions, const Body& body) {
  const int64_t blocks = (s.channels + kChannels - 1) / kChannels;
  split(s, s.batch * blocks, positions * kChannels, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t first = unit % blocks * kChannels;
      body(unit / blocks, first, std::min(first + kChannels, s.channels));
    }
  });
}

// Calls body(offsets, count) for the elements of a box, some at a time and in order.
template <typename Body>
void for_offsets(const Box& box, const ImageStrides& strides, const Body& body) {
  int64_t offsets[kMaxSeen], count = 0;
  for_box(box, [&](const Index& at) {
    if (count == kMaxSeen) {
      body(offsets, count);
      count = 0;
    }
    offsets[count++] = offset(strides, at);
  });
  if (count > 0) body(offsets, count);
}

// The first largest element of a window: its value, and where it is.
template <typename T>
struct Most {
  Wide<T> value;
  int64_t at;
};
template <typename T>
Most<T> most_of(const T* x, const ImageStrides& strides, const Box& box) {
  Most<T> most{{}, -1};
  for_box(box, [&](const Index& position) {
    const int64_t at = offset(strides, position);
    const Wide<T> value(x[at]);
    const bool nan = value != value, had_nan = most.value != most.value;
    if (most.at < 0 || (nan ? !had_nan : value > most.value)) most = {value, at};
  });
  return most;
}

template <typename T>
void max_of(const PoolShape& s, const T* x, T* y) {
  const ImageStrides from = in_image(s), to = out_image(s);
  for_windows(s, [&](const Box& box, int64_t image, int64_t out) {
    if constexpr (kHasRows<T>) {
      if (from.channel == 1) {
        bool more = false;
        return for_offsets(box, from, [&](const int64_t* offsets, int64_t count) {
          max_rows(Seen<T>{x + image, offsets, count, s.channels}, more, y + out);
          more = true;
        });
      }
    }
    for (int64_t c = 0; c < s.channels; ++c) {
      y[out + c * to.channel] = T(most_of(x + image + c * from.channel, from, box).value);
    }
  });
}

template <typename T, typename Place>
void argmax_of(const PoolShape& s, const T* x, T* y, Place* places, bool from_batch) {
  const ImageStrides from = in_image(s), to = out_image(s);
  for_windows(s, [&](const Box& box, int64_t image, int64_t out) {
    for (int64_t c = 0; c < s.channels; ++c) {
      const int64_t first = c * from.channel, at = out + c * to.channel;
      const Most<T> most = most_of(x + image + first, from, box);
      y[at] = T(most.value);
      places[at] = static_cast<Place>(most.at + first + (from_batch ? image : 0));
    }
  });
}

template <typename T>
void mean_of(const PoolShape& s, const T* x, T* y) {
  const ImageStrides from = in_image(s), to = out_image(s);
  for_windows(s, [&](const Box& box, int64_t image, int64_t out) {
    const auto count = static_cast<Wide<T>>(box_size(box));
    if constexpr (kHasRows<T>) {
      if (from.channel == 1) {
        bool more = false;
        for_offsets(box, from, [&](const int64_t* offsets, int64_t some) {
          sum_rows(Seen<T>{x + image, offsets, some, s.channels}, more, y + out);
          more = true;
        });
        for (int64_t c = 0; c < s.channels; ++c) y[out + c] /= count;
        return;
      }
    }
    for (int64_t c = 0; c < s.channels; ++c) {
      Wide<T> sum(0);
      for_box(box, [&](const Index& at) {
        sum += Wide<T>(x[image + c * from.channel + offset(from, at)]);
      });
      y[out + c * to.channel] = T(sum / count);
    }
  });
}

// The position of the first element of a window that equals `most`; -1 if there is none.
template <typename T>
int64_t find(const T* x, const ImageStrides& strides, const Box& box, T most) {
  const Wide<T> wanted(most);
  for (int64_t i = box[0].begin; i < box[0].end; ++i) {
    for (int64_t j = box[1].begin; j < box[1].end; ++j) {
      for (int64_t k = box[2].begin; k < box[2].end; ++k) {
        const int64_t at = offset(strides, {i, j, k});
        const Wide<T> value(x[at]);
        if (value == wanted || (value != value && wanted != wanted)) return at;
      }
    }
  }
  return -1;
}

template <typename T>
void max_grad(const PoolShape& s, const T* x, const T* y, const T* dy, T* dx) {
  const ImageStrides from = in_image(s), to = out_image(s);
  const int64_t positions = out_positions(s.window);
  const bool fits = window_size(s.window) <= kMaxSeen && from.channel == 1;
  for_channels(s, positions, [&](int64_t n, int64_t first, int64_t end) {
    const int64_t in = n * from.batch, out = n * to.batch;
    for (int64_t i = 0; i < in_positions(s.window); ++i) {
      T* at = dx + in + i * from.axes[2];
      for (int64_t c = first; c < end; ++c) at[c * from.channel] = T(0.0f);
    }
    for (int64_t i = 0; i < positions; ++i) {
      const Box box = box_of(s.window, unravel(i, s.window[1].out, s.window[2].out));
      const int64_t place = out + i * to.axes[2];
      if constexpr (kHasRows<T>) {
        if (fits) {
          for_offsets(box, from, [&](const int64_t* offsets, int64_t count) {
            add_to_largest(Seen<T>{x + in + first, offsets, count, end - first}, y + place + first,
                           dy + place + first, dx + in + first);
          });
          continue;
        }
      }
      for (int64_t c = first; c < end; ++c) {
        const int64_t image = in + c * from.channel, at = place + c * to.channel;
        const int64_t most = find(x + image, from, box, y[at]);
        if (most >= 0) dx[image + most] = T(Wide<T>(dx[image + most]) + Wide<T>(dy[at]));
      }
    }
  });
}

template <typename T>
void max_grad_grad(const PoolShape& s, const T* x, const T* y, const T* ddx, T* ddy) {
  const ImageStrides from = in_image(s), to = out_image(s);
  for_windows(s, [&](const Box& box, int64_t image, int64_t out) {
    for (int64_t c = 0; c < s.channels; ++c) {
      const int64_t in = image + c * from.channel, at = out + c * to.channel;
      const int64_t most = find(x + in, from, box, y[at]);
      ddy[at] = most < 0 ? T(0.0f) : ddx[in + most];
    }
  });
}

// Output positions [begin, end) that look at input position `in`.
Span lookers(const WindowAxis& axis, int64_t in) {
  const int64_t last = in + axis.pad;
  const int64_t first = last - axis.size;  // the last one that does not reach it
  return {first < 0 ? 0 : first / axis.stride + 1, std::min(last / axis.stride + 1, axis.out)};
}

template <typename T>
void mean_grad(const PoolShape& s, const T* dy, T* dx) {
  const ImageStrides from = out_image(s), to = in_image(s);
  for_channels(s, in_positions(s.window), [&](int64_t n, int64_t first, int64_t end) {
    Wide<T> sums[kChannels];
    for (int64_t i = 0; i < in_positions(s.window); ++i) {
      const Index in = unravel(i, s.window[1].in, s.window[2].in);
      std::fill_n(sums, kChannels, Wide<T>(0));
      for_box(
          {lookers(s.window[0], in[0]), lookers(s.window[1], in[1]), lookers(s.window[2], in[2])},
          [&](const Index& out) {
            const auto count = static_cast<Wide<T>>(box_size(box_of(s.window, out)));
            const T* at = dy + n * from.batch + offset(from, out);
            for (int64_t c = first; c < end; ++c) {
              sums[c - first] += Wide<T>(at[c * from.channel]) / count;
            }
          });
      T* at = dx + n * to.batch + i * to.axes[2];
      for (int64_t c = first; c < end; ++c) at[c * to.channel] = T(sums[c - first]);
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

// Calls function(typed arguments...) for shape `s`, over the dtypes that FOR_EACH lists.
#define PEN_DISPATCH(FOR_EACH, CASE) \
  switch (s.dtype) {                 \
    FOR_EACH(CASE)                   \
    default:                         \
      return;                        \
  }

void max_pool(const PoolShape& s, const void* x, void* y) noexcept {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return max_of(s, as<T>(x), as<T>(y));
  PEN_DISPATCH(PEN_FOR_EACH_REAL, PEN_CASE)
#undef PEN_CASE
}

void max_pool_with_argmax(const PoolShape& s, const void* x, void* y, void* places, bool from_batch,
                          bool narrow) noexcept {
#define PEN_CASE(T, dtype)                                                            \
  case DType::dtype:                                                                  \
    return narrow ? argmax_of(s, as<T>(x), as<T>(y), as<int32_t>(places), from_batch) \
                  : argmax_of(s, as<T>(x), as<T>(y), as<int64_t>(places), from_batch);
  PEN_DISPATCH(PEN_FOR_EACH_REAL, PEN_CASE)
#undef PEN_CASE
}

void max_pool_grad(const PoolShape& s, const void* x, const void* y, const void* dy,
                   void* dx) noexcept {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return max_grad(s, as<T>(x), as<T>(y), as<T>(dy), as<T>(dx));
  PEN_DISPATCH(PEN_FOR_EACH_REAL_FLOAT, PEN_CASE)
#undef PEN_CASE
}

void max_pool_grad_grad(const PoolShape& s, const void* x, const void* y, const void* ddx,
                        void* ddy) noexcept {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return max_grad_grad(s, as<T>(x), as<T>(y), as<T>(ddx), as<T>(ddy));
  PEN_DISPATCH(PEN_FOR_EACH_REAL_FLOAT, PEN_CASE)
#undef PEN_CASE
}

void avg_pool(const PoolShape& s, const void* x, void* y) noexcept {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return mean_of(s, as<T>(x), as<T>(y));
  PEN_DISPATCH(PEN_FOR_EACH_REAL_FLOAT, PEN_CASE)
#undef PEN_CASE
}

void avg_pool_grad(const PoolShape& s, const void* dy, void* dx) noexcept {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return mean_grad(s, as<T>(dy), as<T>(dx));
  PEN_DISPATCH(PEN_FOR_EACH_REAL_FLOAT, PEN_CASE)
#undef PEN_CASE
}
#undef PEN_DISPATCH

}  // namespace penstock::kernels
