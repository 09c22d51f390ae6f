#include "kernels/conv_integer.h"

#include <algorithm>

#include <penstock/base/threads.h>

namespace penstock::kernels {
namespace {

using Word = uint32_t;  // its products wrap around
using Index = std::array<int64_t, 3>;

constexpr int64_t kThreadWork = 1 << 16;  // multiplications

// The output position that reads input position `in` with tap `tap`, or the reverse; -1 if none.
int64_t seen_by(const WindowAxis& axis, int64_t in, int64_t tap) {
  const int64_t at = in + axis.pad - tap * axis.dilation;
  return at >= 0 && at % axis.stride == 0 && at / axis.stride < axis.out ? at / axis.stride : -1;
}
int64_t seen_from(const WindowAxis& axis, int64_t out, int64_t tap) {
  const int64_t at = out * axis.stride - axis.pad + tap * axis.dilation;
  return at >= 0 && at < axis.in ? at : -1;
}

// Calls body(offset in the image, tap) for what a position reads.
template <typename See, typename Body>
void for_taps(const Window& window, const ImageStrides& strides, const Index& at, const See& see,
              const Body& body) {
  int64_t tap = 0;
  Index i;
  for (i[0] = 0; i[0] < window[0].size; ++i[0]) {
    for (i[1] = 0; i[1] < window[1].size; ++i[1]) {
      for (i[2] = 0; i[2] < window[2].size; ++i[2], ++tap) {
        int64_t offset = 0;
        bool exists = true;
        for (size_t k = 0; k < 3 && exists; ++k) {
          const int64_t pos = see(window[k], at[k], i[k]);
          exists = pos >= 0;
          offset += pos * strides.axes[k];
        }
        if (exists) body(offset, tap);
      }
    }
  }
}

// Calls body(image, position, place of it) for every position of every image, on all threads.
template <typename Body>
void for_positions(const ConvShape& s, const Index& sizes, const Body& body) {
  const int64_t each = sizes[0] * sizes[1] * sizes[2];
  const int64_t work =
      window_size(s.window) * s.in_channels / s.groups * std::max<int64_t>(s.out_channels, 1);
  parallel_for(s.batch * each, std::max<int64_t>(1, kThreadWork / std::max<int64_t>(work, 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t at = i % each;
                   body(i / each,
                        Index{at / sizes[2] / sizes[1], at / sizes[2] % sizes[1], at % sizes[2]});
                 }
               });
}

int64_t place(const ImageStrides& strides, int64_t image, const Index& at) {
  return image * strides.batch + at[0] * strides.axes[0] + at[1] * strides.axes[1] +
         at[2] * strides.axes[2];
}

}  // namespace

void integer_conv(const ConvShape& s, const void* input, const void* filter,
                  void* output) noexcept {
  const ImageStrides from = in_strides(s.window, s.channels_first, s.in_channels);
  const ImageStrides to = out_strides(s.window, s.channels_first, s.out_channels);
  const int64_t ins = s.in_channels / s.groups, outs = s.out_channels / s.groups;
  const Word* w = static_cast<const Word*>(filter);
  for_positions(s, {s.window[0].out, s.window[1].out, s.window[2].out},
                [&](int64_t n, const Index& at) {
                  Word* y = static_cast<Word*>(output) + place(to, n, at);
                  for (int64_t o = 0; o < s.out_channels; ++o) y[o * to.channel] = 0;
                  const Word* image = static_cast<const Word*>(input) + n * from.batch;
                  for_taps(s.window, from, at, seen_from, [&](int64_t offset, int64_t tap) {
                    for (int64_t o = 0; o < s.out_channels; ++o) {
                      const Word* x = image + offset + o / outs * ins * from.channel;
                      Word sum = 0;
                      for (int64_t i = 0; i < ins; ++i) {
                        sum += x[i * from.channel] * w[(tap * ins + i) * s.out_channels + o];
                      }
                      y[o * to.channel] += sum;
                    }
                  });
                });
}

void integer_conv_input_grad(const ConvShape& s, const void* filter, const void* dy,
                             void* dx) noexcept {
  const ImageStrides from = out_strides(s.window, s.channels_first, s.out_channels);
  const ImageStrides to = in_strides(s.window, s.channels_first, s.in_channels);
  const int64_t ins = s.in_channels / s.groups, outs = s.out_channels / s.groups;
  const Word* w = static_cast<const Word*>(filter);
  for_positions(
      s, {s.window[0].in, s.window[1].in, s.window[2].in}, [&](int64_t n, const Index& at) {
        Word* x = static_cast<Word*>(dx) + place(to, n, at);
        for (int64_t i = 0; i < s.in_channels; ++i) x[i * to.channel] = 0;
        const Word* image = static_cast<const Word*>(dy) + n * from.batch;
        for_taps(s.window, from, at, seen_by, [&](int64_t offset, int64_t tap) {
          for (int64_t i = 0; i < s.in_channels; ++i) {
            const int64_t first = i / ins * outs;
            Word sum = 0;
            for (int64_t o = first; o < first + outs; ++o) {
              sum +=
                  image[offset + o * from.channel] * w[(tap * ins + i % ins) * s.out_channels + o];
            }
            x[i * to.channel] += sum;
          }
        });
      });
}

}  // namespace penstock::kernels
