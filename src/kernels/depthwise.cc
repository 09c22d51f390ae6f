#include "kernels/depthwise.h"

#include <algorithm>
#include <type_traits>

#include <penstock/base/threads.h>

#include "kernels/pair_rows.h"

namespace penstock::kernels {
namespace {

constexpr int64_t kThreadWork = 1 << 15;  // multiplications a thread should have at least
constexpr int64_t kBlock = 64;            // elements of a result that are worked on together

using Index = std::array<int64_t, 3>;

// The accumulator type.
template <typename T>
using Wide =
    std::conditional_t<std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>, float, T>;

int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }
Index unravel(int64_t i, int64_t size1, int64_t size2) {
  return {i / size2 / size1, i / size2 % size1, i % size2};
}
int64_t offset(const std::array<int64_t, 3>& strides, const Index& at) {
  return at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2];
}

// The position of element j of a block in an operand: (j / divisor) * stride.
struct Lane {
  int64_t divisor, stride;
  int64_t operator()(int64_t j) const { return j / divisor * stride; }
};

// Adds up products for elements [first, end) of a result, pair by pair.
template <typename T>
class Sums {
 public:
  Sums(const T* a, Lane lane_a, const T* b, Lane lane_b, int64_t first, int64_t end)
      : a_(a), b_(b), lane_a_(lane_a), lane_b_(lane_b), first_(first), n_(end - first) {
    std::fill_n(sums_, n_, Wide<T>(0));
  }
  void add(int64_t from_a, int64_t from_b) {
    if (pairs_.count == kMaxPairs) flush();
    pairs_.from_a[pairs_.count] = from_a;
    pairs_.from_b[pairs_.count++] = from_b;
  }
  const Wide<T>* finish() {
    flush();
    return sums_;
  }

 private:
  void flush() {
    if constexpr (std::is_same_v<T, Wide<T>>) {
      if (lane_a_.divisor * lane_a_.stride == 1 && lane_b_.divisor * lane_b_.stride == 1) {
        add_products(a_ + first_, b_ + first_, pairs_, n_, sums_);
        pairs_.count = 0;
        return;
      }
    }
    for (int64_t i = 0; i < pairs_.count; ++i) {
      const T *a = a_ + pairs_.from_a[i], *b = b_ + pairs_.from_b[i];
      for (int64_t j = 0; j < n_; ++j) {
        sums_[j] += Wide<T>(a[lane_a_(first_ + j)]) * Wide<T>(b[lane_b_(first_ + j)]);
      }
    }
    pairs_.count = 0;
  }

  const T *a_, *b_;
  Lane lane_a_, lane_b_;
  int64_t first_, n_;
  Pairs pairs_;
  Wide<T> sums_[kBlock];
};

// The taps of a filter: its axes' strides, and calls of body(offset of the tap, tap).
std::array<int64_t, 3> tap_strides(const DepthwiseShape& s) {
  const int64_t each = s.channels * s.multiplier;
  return {s.window[1].size * s.window[2].size * each, s.window[2].size * each, each};
}
template <typename Body>
void for_taps(const Window& w, const Body& body) {
  Index tap;
  for (tap[0] = 0; tap[0] < w[0].size; ++tap[0]) {
    for (tap[1] = 0; tap[1] < w[1].size; ++tap[1]) {
      for (tap[2] = 0; tap[2] < w[2].size; ++tap[2]) body(tap);
    }
  }
}

// The input position that output position `out` reads with a tap, and the reverse; false: none.
bool seen_from(const Window& w, const Index& out, const Index& tap, Index* in) {
  for (size_t k = 0; k < 3; ++k) {
    (*in)[k] = out[k] * w[k].stride - w[k].pad + tap[k] * w[k].dilation;
    if ((*in)[k] < 0 || (*in)[k] >= w[k].in) return false;
  }
  return true;
}
bool seen_by(const Window& w, const Index& in, const Index& tap, Index* out) {
  for (size_t k = 0; k < 3; ++k) {
    const int64_t at = in[k] + w[k].pad - tap[k] * w[k].dilation;
    if (at < 0 || at % w[k].stride != 0 || at / w[k].stride >= w[k].out) return false;
    (*out)[k] = at / w[k].stride;
  }
  return true;
}

ImageStrides in_image(const DepthwiseShape& s) {
  return in_strides(s.window, s.channels_first, s.channels);
}
ImageStrides out_image(const DepthwiseShape& s) {
  return out_strides(s.window, s.channels_first, s.channels * s.multiplier);
}

// Calls body(unit, first, end) for every unit and every block of its `elements`, on all threads.
template <typename Body>
void for_blocks(int64_t units, int64_t elements, int64_t pairs, const Body& body) {
  const int64_t blocks = divide_up(elements, kBlock);
  const int64_t work = std::max<int64_t>(1, std::min(elements, kBlock) * pairs);
  parallel_for(units * blocks, std::max<int64_t>(1, kThreadWork / work),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t first = i % blocks * kBlock;
                   body(i / blocks, first, std::min(first + kBlock, elements));
                 }
               });
}

template <typename T>
void forward(const DepthwiseShape& s, const T* x, const T* w, T* y) {
  const ImageStrides from = in_image(s), to = out_image(s);
  const std::array<int64_t, 3> taps = tap_strides(s);
  const int64_t positions = out_positions(s.window);
  for_blocks(s.batch * positions, s.channels * s.multiplier, window_size(s.window),
             [&](int64_t unit, int64_t first, int64_t end) {
               const int64_t n = unit / positions;
               const Index out = unravel(unit % positions, s.window[1].out, s.window[2].out);
               Sums<T> sums(x + n * from.batch, {s.multiplier, from.channel}, w, {1, 1}, first,
                            end);
               Index in;
               for_taps(s.window, [&](const Index& tap) {
                 if (seen_from(s.window, out, tap, &in))
                   sums.add(offset(from.axes, in), offset(taps, tap));
               });
               const Wide<T>* results = sums.finish();
               T* at = y + n * to.batch + offset(to.axes, out);
               for (int64_t j = first; j < end; ++j) at[j * to.channel] = T(results[j - first]);
             });
}

// A block of output channels holds whole input channels only if the multiplier divides it, so the
// multiples are the pairs here and a block is one of input channels.
template <typename T>
void input_grad(const DepthwiseShape& s, const T* w, const T* dy, T* dx) {
  const ImageStrides from = out_image(s), to = in_image(s);
  const std::array<int64_t, 3> taps = tap_strides(s);
  const int64_t positions = in_positions(s.window);
  for_blocks(s.batch * positions, s.channels, window_size(s.window) * s.multiplier,
             [&](int64_t unit, int64_t first, int64_t end) {
               const int64_t n = unit / positions;
               const Index in = unravel(unit % positions, s.window[1].in, s.window[2].in);
               Sums<T> sums(dy + n * from.batch, {1, s.multiplier * from.channel}, w,
                            {1, s.multiplier}, first, end);
               Index out;
               for_taps(s.window, [&](const Index& tap) {
                 if (!seen_by(s.window, in, tap, &out)) return;
                 for (int64_t m = 0; m < s.multiplier; ++m) {
                   sums.add(offset(from.axes, out) + m * from.channel, offset(taps, tap) + m);
                 }
               });
               const Wide<T>* results = sums.finish();
               T* at = dx + n * to.batch + offset(to.axes, in);
               for (int64_t j = first; j < end; ++j) at[j * to.channel] = T(results[j - first]);
             });
}

template <typename T>
void filter_grad(const DepthwiseShape& s, const T* x, const T* dy, T* dw) {
  const ImageStrides from = in_image(s), of_dy = out_image(s);
  const int64_t positions = out_positions(s.window);
  for_blocks(window_size(s.window), s.channels * s.multiplier, s.batch * positions,
             [&](int64_t unit, int64_t first, int64_t end) {
               const Index tap = unravel(unit, s.window[1].size, s.window[2].size);
               Sums<T> sums(x, {s.multiplier, from.channel}, dy, {1, of_dy.channel}, first, end);
               Index in;
               for (int64_t n = 0; n < s.batch; ++n) {
                 for (int64_t i = 0; i < positions; ++i) {
                   const Index out = unravel(i, s.window[1].out, s.window[2].out);
                   if (seen_from(s.window, out, tap, &in)) {
                     sums.add(n * from.batch + offset(from.axes, in),
                              n * of_dy.batch + offset(of_dy.axes, out));
                   }
                 }
               }
               const Wide<T>* results = sums.finish();
               T* at = dw + unit * s.channels * s.multiplier;
               for (int64_t j = first; j < end; ++j) at[j] = T(results[j - first]);
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

void depthwise_conv(const DepthwiseShape& s, const void* input, const void* filter,
                    void* output) noexcept {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return forward(s, as<T>(input), as<T>(filter), as<T>(output));
  switch (s.dtype) {
    PEN_FOR_EACH_REAL_FLOAT(PEN_CASE)
    default:
      return;
  }
#undef PEN_CASE
}

void depthwise_input_grad(const DepthwiseShape& s, const void* filter, const void* dy,
                          void* dx) noexcept {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return input_grad(s, as<T>(filter), as<T>(dy), as<T>(dx));
  switch (s.dtype) {
    PEN_FOR_EACH_REAL_FLOAT(PEN_CASE)
    default:
      return;
  }
#undef PEN_CASE
}

void depthwise_filter_grad(const DepthwiseShape& s, const void* input, const void* dy,
                           void* dfilter) noexcept {
#define PEN_CASE(T, dtype) \
  case DType::dtype:       \
    return filter_grad(s, as<T>(input), as<T>(dy), as<T>(dfilter));
  switch (s.dtype) {
    PEN_FOR_EACH_REAL_FLOAT(PEN_CASE)
    default:
      return;
  }
#undef PEN_CASE
}

}  // namespace penstock::kernels
